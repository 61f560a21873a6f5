//! A concurrent test as data: objects, a sequential prefix, then two or three threads of calls.

/// One call of a test.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TestCall {
    /// Index into [`ConcurrentTest::objects`].
    pub object: u8,
    /// Index into [`Subject::operations`](crate::subject::Subject::operations).
    pub operation: u16,
    /// One choice per argument.
    pub choices: Vec<u8>,
}

/// How an object of a test is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TestObject {
    /// Index into [`Subject::constructors`](crate::subject::Subject::constructors).
    pub constructor: u16,
    /// One choice per argument.
    pub choices: Vec<u8>,
}

impl TestObject {
    /// The operation with which it ends, one of those that take the object whole
    /// ([`Receiver::Whole`](crate::subject::Receiver::Whole)); `None` if there are none, and it is dropped.
    ///
    /// Where a subject has such operations, the last argument of every constructor chooses among them, in their order.
    /// Without choices it is the first one.
    #[must_use]
    pub fn ending(&self, mut whole: impl Iterator<Item = u16>) -> Option<u16> {
        let choice = self.choices.last().copied().unwrap_or(0);
        whole.nth(choice.into())
    }
}

/// A concurrent test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ConcurrentTest {
    /// Index of the subject in the driver's table.
    pub subject: u16,
    /// Objects, made in order by the main thread.
    pub objects: Vec<TestObject>,
    /// Calls of the main thread before the others start.
    pub prefix: Vec<TestCall>,
    /// Calls of each further thread.
    pub threads: Vec<Vec<TestCall>>,
}
