//! A test with all it needs to run.

use crate::subject::Subject;
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
