//! Locks that calls of one thread take while they hold others.

use contest_data::test::{MainCall, TestShape};
use contest_data::trace::{ExecutionRecord, ObjectId, ThreadIndex};

use crate::generate::LockOrder;

/// Most locks that are looked at, of those held at once, and most orders of one run.
const MOST: usize = 64;

/// Each lock that a call of the main thread's prefix takes while others are held, by earlier calls too. Locks are
/// those of [`Event::lock_taken`](contest_data::trace::Event::lock_taken).
pub(super) fn lock_orders(record: &ExecutionRecord, shape: &TestShape) -> Vec<LockOrder> {
    let mut held: Vec<ObjectId> = Vec::new();
    let mut found: Vec<LockOrder> = Vec::new();
    let own = record
        .events
        .iter()
        .filter(|it| it.thread == ThreadIndex::MAIN);
    for event in own {
        let Some((lock, takes)) = event.lock_taken() else {
            continue;
        };
        if !takes {
            if let Some(last) = held.iter().rposition(|it| *it == lock) {
                held.remove(last);
            }
            continue;
        }
        let call = event.call.map(|call| shape.main_call(usize::from(call)));
        if let Some(MainCall::Prefix(call)) = call {
            for outer in held.iter().filter(|outer| **outer != lock) {
                let order = LockOrder {
                    call,
                    outer: outer.0,
                    inner: lock.0,
                };
                if found.len() < MOST && !found.contains(&order) {
                    found.push(order);
                }
            }
        }
        if held.len() < MOST {
            held.push(lock);
        }
    }
    found
}
