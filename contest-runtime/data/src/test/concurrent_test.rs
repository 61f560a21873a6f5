//! A concurrent test as data: objects, a sequential prefix, then two or three threads of calls.

use crate::subject::{Receiver, Subject};

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
    /// The operation with which it ends; `None` if it is dropped.
    ///
    /// Where a subject has operations that take the object whole ([`Receiver::Whole`]), the last argument of every
    /// constructor says which one it is: the alternatives are those operations, in their order.
    #[must_use]
    pub fn ending(&self, subject: &Subject) -> Option<u16> {
        let made = subject.constructors.get(usize::from(self.constructor))?;
        let all_chosen = self.choices.len() == made.arguments.len();
        let choice = self.choices.last().filter(|_| all_chosen);
        let numbered = (0_u16..).zip(subject.operations);
        let mut whole = numbered.filter(|(_, it)| it.receiver == Receiver::Whole);
        let ending = whole.nth(choice.copied().unwrap_or(0).into());
        ending.map(|(number, _)| number)
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
