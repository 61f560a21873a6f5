//! Where in an order of all objects an operation can have its turn.
//!
//! In the order of a single lock, what comes right before says whether the lock is taken. In an order of all objects
//! other operations stand between.

use contest_data::trace::{Action, Event, LockMode, ObjectId};

use super::graph::{At, Graph, Name};

/// What an operation needs that other threads give.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    /// This lock, not taken by another thread.
    pub lock: ObjectId,
    /// A notification of this condition variable, where it is the thread's wait that ends.
    pub notified_by: ObjectId,
}

impl Needs {
    pub(super) fn of(action: Action, object: ObjectId, second: ObjectId) -> Self {
        let (lock, notified_by) = match action {
            Action::Acquire(_) => (object, ObjectId::NONE),
            Action::Wake(_) => (second, object),
            _ => (ObjectId::NONE, ObjectId::NONE),
        };
        Self { lock, notified_by }
    }

    fn is_nothing(self) -> bool {
        self.lock == ObjectId::NONE && self.notified_by == ObjectId::NONE
    }

    /// True if the operation takes the lock of these needs for its thread alone.
    fn is_taken_by(self, event: &Event) -> bool {
        match event.action {
            Action::Acquire(LockMode::Exclusive) => event.object == self.lock,
            Action::Wake(_) => event.second == self.lock,
            _ => false,
        }
    }
}

impl Graph {
    /// False if the thread of `name` waits right after the operation `after`, because of what these events have done.
    /// True does not say that it can go on.
    pub(super) fn can_go_on(
        &self,
        events: &[Event],
        (name, needs): (Name, Needs),
        (location, after): (u32, Option<At>),
    ) -> bool {
        if needs.is_nothing() {
            return true;
        }
        let order = self.order(location);
        let until = self.place_after(location, after);
        let mut lock_is_known = needs.lock == ObjectId::NONE;
        let mut notified = needs.notified_by == ObjectId::NONE;
        for &write in order[..until].iter().rev() {
            let by = self.entry(write).name;
            let is_it = |event: &&Event| event.thread.0 == by.thread && event.index == by.index;
            let Some(event) = events.iter().rev().find(is_it) else {
                return true;
            };
            if !lock_is_known && [event.object, event.second].contains(&needs.lock) {
                if by.thread != name.thread && needs.is_taken_by(event) {
                    return false;
                }
                lock_is_known = true;
            }
            if !notified && by.thread == name.thread {
                if event.action == Action::Wait && event.object == needs.notified_by {
                    return false;
                }
                // Its wait was over for another reason.
                notified = true;
            }
            notified |=
                matches!(event.action, Action::Notify(_)) && event.object == needs.notified_by;
            if lock_is_known && notified {
                return true;
            }
        }
        true
    }
}
