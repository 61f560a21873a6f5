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
