//! A test with all it needs to run.

use std::borrow::Cow;

use crate::subject::{FutureUse, Subject};
use crate::test::{ConcurrentTest, TestCall};

/// A test with all it needs to run.
#[derive(Clone, Debug)]
pub struct RunnableTest {
    /// The type under test.
    pub subject: &'static Subject,
    /// The test.
    pub test: ConcurrentTest,
    /// Calls that look at the objects after the lanes have ended.
    pub observers: Vec<TestCall>,
    /// The objects are dropped at the end. Not those whose drop takes longer than all the rest: they are forgotten.
    pub drops: bool,
    /// The state of the first object is looked at in the end, see [`TestSlot::state`].
    pub state: bool,
}

impl RunnableTest {
    /// How a call of this test uses the future that its operation returns.
    #[must_use]
    pub fn future_use(&self, call: &TestCall) -> FutureUse {
        self.subject.operations[usize::from(call.operation)].future_use(&call.choices)
    }

    /// The test with all futures run to their end.
    #[must_use]
    pub fn undisturbed(&self) -> Cow<'_, Self> {
        let mut calls = self.test.threads.iter().flatten();
        if calls.all(|call| self.future_use(call) == FutureUse::Run) {
            return Cow::Borrowed(self);
        }
        let mut plain = self.clone();
        for call in plain.test.threads.iter_mut().flatten() {
            let operation = &self.subject.operations[usize::from(call.operation)];
            let argument = operation.future_argument();
            if let Some(choice) = argument.and_then(|it| call.choices.get_mut(it)) {
                *choice = FutureUse::Run.choice();
            }
        }
        Cow::Owned(plain)
    }
}
