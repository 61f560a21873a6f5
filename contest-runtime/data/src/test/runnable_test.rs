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
    /// The state that is looked at in the end, if one is.
    pub state: Option<StateOf>,
}

/// What a state is a hash of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateOf {
    /// What `Debug` shows of the first object, see [`TestSlot::state`](crate::test::TestSlot::state); memory, if it
    /// shows nothing.
    Object,
    /// All memory of the code under test, statics too.
    Memory,
}

impl RunnableTest {
    /// How a call of this test uses the future that its operation returns.
    #[must_use]
    pub fn future_use(&self, call: &TestCall) -> FutureUse {
        self.subject.operations[usize::from(call.operation)].future_use(&call.choices)
    }

    /// The test with all futures run to their end, but for those that are left waiting.
    #[must_use]
    pub fn undisturbed(&self) -> Cow<'_, Self> {
        let stays = |call: &TestCall| {
            let how = self.future_use(call);
            matches!(how, FutureUse::Run | FutureUse::LeaveWaiting)
        };
        if self.test.threads.iter().flatten().all(stays) {
            return Cow::Borrowed(self);
        }
        let mut plain = self.clone();
        for call in plain.test.threads.iter_mut().flatten() {
            if !stays(call) {
                set_future_use(self.subject, call, FutureUse::Run);
            }
        }
        Cow::Owned(plain)
    }

    /// Has these calls, by lane and number, leave their futures where they wait.
    pub fn leave_waiting(&mut self, calls: impl IntoIterator<Item = (usize, usize)>) {
        for (lane, number) in calls {
            let lane = self.test.threads.get_mut(lane);
            if let Some(call) = lane.and_then(|calls| calls.get_mut(number)) {
                set_future_use(self.subject, call, FutureUse::LeaveWaiting);
            }
        }
    }
}

fn set_future_use(subject: &Subject, call: &mut TestCall, how: FutureUse) {
    let operation = &subject.operations[usize::from(call.operation)];
    let argument = operation.future_argument();
    if let Some(choice) = argument.and_then(|it| call.choices.get_mut(it)) {
        *choice = how.choice();
    }
}
