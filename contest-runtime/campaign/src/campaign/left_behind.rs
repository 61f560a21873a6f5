//! What calls leave behind, by their steps: whether the memory of an object is all of it, and whether it is nothing.

use std::collections::HashMap;

use contest_data::trace::{Action, Event, ObjectId};

/// True if what these steps did to locks, atomics and the like is all in the memory of these: no lock is still held, no
/// thread was woken or started, nothing is on its way.
pub(super) fn only_in_memory<'e>(events: impl IntoIterator<Item = &'e Event>) -> bool {
    let mut held: HashMap<ObjectId, i64> = HashMap::new();
    for event in events {
        let taken = match event.action {
            Action::Acquire(_) | Action::TryAcquire(_, true) | Action::Arrive(true) => 1,
            Action::Release(..) => -1,
            Action::Load(_)
            | Action::Store(_)
            | Action::Rmw(..)
            | Action::CasFail(_)
            | Action::Fence(_)
            | Action::Assembly
            | Action::TryAcquire(_, false)
            | Action::Arrive(false)
            | Action::Notify(_)
            | Action::OnceBegin(_)
            | Action::OnceEnd(_)
            | Action::OncePeek(_)
            | Action::Yield
            | Action::Begin
            | Action::End
            | Action::CallBegin
            | Action::CallHold => 0,
            _ => return false,
        };
        *held.entry(event.object).or_default() += taken;
    }
    held.values().all(|count| *count == 0)
}

/// True if these steps of one thread, between which no other thread took one, left every lock and atomic as they found
/// it, and others can notice nothing of them. What they wrote to memory by plain accesses is not looked at.
pub(super) fn is_nothing<'e>(events: impl IntoIterator<Item = &'e Event> + Clone) -> bool {
    let mut atomics: HashMap<ObjectId, (u64, u64)> = HashMap::new();
    for event in events.clone() {
        match event.action {
            Action::Store(_) | Action::Rmw(..) => {
                let (_, now) = atomics.entry(event.object).or_insert((event.read, 0));
                *now = event.wrote;
            }
            Action::Notify(_) if event.wrote != 0 => return false,
            Action::Assembly | Action::OnceBegin(true) | Action::OnceEnd(_) => return false,
            _ => {}
        }
    }
    only_in_memory(events) && atomics.values().all(|(was, now)| was == now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_data::trace::{LockMode, ThreadIndex, Update};
    use std::panic::Location;
    use std::sync::atomic::Ordering::SeqCst;

    fn event(object: u32, action: Action, read: u64, wrote: u64) -> Event {
        Event {
            thread: ThreadIndex::MAIN,
            index: 0,
            call: None,
            action,
            object: ObjectId(object),
            second: ObjectId::NONE,
            location: Location::caller(),
            name: "",
            read,
            wrote,
        }
    }

    #[test]
    fn what_is_given_back_is_nothing() {
        let add = Action::Rmw(SeqCst, Update::Add);
        let take = event(1, Action::Acquire(LockMode::Exclusive), 0, 0);
        let give = event(1, Action::Release(LockMode::Exclusive, None), 0, 0);
        let (up, down) = (event(2, add, 1, 2), event(2, add, 2, 1));
        assert!(is_nothing(&[
            take,
            up,
            event(3, Action::Load(SeqCst), 7, 0),
            down,
            give
        ]));
        assert!(!is_nothing(&[take, up, give]));
        assert!(!is_nothing(&[take, up, down]));
        assert!(is_nothing(&[event(4, Action::Notify(true), 0, 0)]));
        assert!(!is_nothing(&[event(4, Action::Notify(true), 0, 1)]));
        assert!(!is_nothing(&[event(5, Action::Unpark, 0, 0)]));
        assert!(!is_nothing(&[
            event(6, Action::OnceBegin(true), 0, 0),
            event(6, Action::OnceEnd(true), 0, 0)
        ]));
    }
}
