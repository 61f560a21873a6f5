//! Locks that were acquired in opposite orders, in one execution or by one thread: where a deadlock may be near.
//!
//! The lock-order graph of Goodlock (Havelund: Using runtime analysis to guide model checking of Java programs, SPIN
//! 2000). Deviation: who acquires does not count, because a task may run on any thread of an executor, nor does how
//! (for reading or writing) or under which other locks: it only says where to look first.

use contest_data::sorted::{SortedMap, SortedSet};
use contest_data::trace::{Event, ObjectId};

/// Most pairs of locks, one acquired while the other is held: an execution may go round a loop for ever.
const MOST_PAIRS: usize = 128;
/// Most locks that a thread holds at once: what it gave to another thread to release would stay for ever.
const MOST_HELD: usize = 8;

/// The lock that is held, and the one that is acquired.
type Pair = (ObjectId, ObjectId);

/// Indices of the events that acquire a lock while another is held, and are part of a cycle: by way of further such
/// acquisitions, that other lock is acquired while this one is held.
pub(super) fn in_cycles(events: &[Event]) -> Vec<usize> {
    let mut held: SortedMap<u16, Vec<ObjectId>> = SortedMap::new();
    let mut pairs: SortedSet<Pair> = SortedSet::new();
    let mut acquired: Vec<(Pair, usize)> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let Some((lock, acquires)) = event.lock_taken() else {
            continue;
        };
        let held = held.get_or_default(event.thread.0);
        if acquires {
            for pair in held.iter().map(|outer| (*outer, lock)) {
                if pair.0 != lock && (pairs.len() < MOST_PAIRS || pairs.contains(&pair)) {
                    pairs.insert(pair);
                    acquired.push((pair, at));
                }
            }
            if held.len() == MOST_HELD {
                held.remove(0);
            }
            held.push(lock);
        } else if let Some(last) = held.iter().rposition(|held| *held == lock) {
            held.remove(last);
        }
    }
    pairs = (pairs.iter().copied())
        .filter(|(outer, lock)| reaches(&pairs, *lock, *outer))
        .collect();
    acquired.retain(|(pair, _)| pairs.contains(pair));
    let mut all: Vec<usize> = acquired.into_iter().map(|(_, at)| at).collect();
    all.dedup();
    all
}

fn reaches(pairs: &SortedSet<Pair>, from: ObjectId, to: ObjectId) -> bool {
    let mut seen = vec![from];
    let mut next = 0;
    while let Some(lock) = seen.get(next).copied() {
        next += 1;
        for (outer, inner) in pairs {
            if *outer == lock && !seen.contains(inner) {
                seen.push(*inner);
            }
        }
    }
    seen.contains(&to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::SwitchOnce;
    use contest_data::decision::Strategy;
    use contest_data::limits::Limits;
    use contest_engine::execution::Engine;
    use contest_std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockWriteGuard};

    #[expect(dead_code, reason = "held until it is dropped")]
    enum Guard<'l> {
        OfMutex(MutexGuard<'l, ()>),
        OfRwLock(RwLockWriteGuard<'l, ()>),
    }

    /// Runs once; for each thread that is started, the locks that it acquires, each inside of the one before. How many
    /// acquisitions are in cycles.
    fn cycles(threads: &'static [&'static [usize]]) -> usize {
        let mut strategy = SwitchOnce::new();
        assert!(strategy.begin());
        let mut engine = Engine::new(Limits::default());
        let record = engine.run(&mut strategy, || {
            let locks = Arc::new(([(); 2].map(Mutex::new), RwLock::new(())));
            for thread in threads {
                let locks = Arc::clone(&locks);
                let lock = move || {
                    let lock = |lock: &usize| match locks.0.get(*lock) {
                        Some(mutex) => Guard::OfMutex(mutex.lock().unwrap()),
                        None => Guard::OfRwLock(locks.1.write().unwrap()),
                    };
                    drop(thread.iter().map(lock).collect::<Vec<_>>());
                };
                contest_std::thread::spawn(lock).join().unwrap();
            }
        });
        in_cycles(&record.events).len()
    }

    #[test]
    fn acquisitions_in_opposite_orders_are_found_and_others_are_not() {
        assert_eq!(cycles(&[&[0, 1], &[1, 0]]), 2);
        assert_eq!(cycles(&[&[0, 1], &[0, 1]]), 0);
        assert_eq!(cycles(&[&[0], &[1], &[1, 0]]), 0);
        assert_eq!(cycles(&[&[0, 1], &[1, 2], &[2, 0]]), 3);
        assert_eq!(cycles(&[&[0, 1, 2], &[2, 1]]), 2);
    }
}
