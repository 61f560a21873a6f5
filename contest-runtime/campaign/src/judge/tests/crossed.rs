//! Deadlocks with a guard that a thread keeps: which are the crate's, and which the threads' own.

use super::model::*;
use crate::judge::crossed_locks::{LockWait, are_crossed};
use crate::judge::{Compared, Judge, SerialOutcomes};
use contest_data::test::TestShape;
use contest_data::trace::{Outcome, ThreadIndex};

const FIRST: ThreadIndex = ThreadIndex(1);
const SECOND: ThreadIndex = ThreadIndex(2);

/// A thread has made the first call of each lane that has several, and hangs in the next one.
fn crossed(lanes: &[Vec<u16>], waits: Vec<LockWait>) -> bool {
    let test = test(lanes);
    let shape = TestShape::of(&test);
    let mut history = empty(&shape);
    for (lane, calls) in lanes.iter().enumerate() {
        let hangs = usize::from(calls.len() > 1);
        if hangs == 1 {
            returned(&mut history, lane, 0, "()", (1, 2));
        }
        history.lanes[lane][hangs].outcome = Outcome::Pending;
    }
    history.lock_waits = waits;
    let judge = Judge {
        test: &test,
        shape: &shape,
        outcomes: &SerialOutcomes::default(),
        compared: &Compared::default(),
    };
    are_crossed(&judge, &history)
}

/// The first thread waits for a lock that the second one has taken in this call, and the other way round.
fn waits(taken_in: [u16; 2], had_in: &[u16]) -> Vec<LockWait> {
    let of = |waiter, holder, taken_in, had_in: &[u16]| LockWait {
        waiter,
        holder,
        taken_in: Some(taken_in),
        had_in: had_in.to_vec(),
    };
    vec![
        of(FIRST, SECOND, taken_in[1], had_in),
        of(SECOND, FIRST, taken_in[0], &[]),
    ]
}

#[test]
fn a_call_that_holds_a_lock_and_waits_for_the_guard_of_another_thread_is_reported() {
    let lanes = [vec![LOCK, PUSH_1, LET_GO], vec![PUSH_2]];
    assert!(crossed(&lanes, waits([0, 0], &[])));
    assert!(!crossed(&lanes, Vec::new()));
}

#[test]
fn locks_that_are_taken_inside_of_calls_follow_the_usual_rule() {
    let lanes = [vec![PUSH_1, PUSH_1], vec![PUSH_2]];
    assert!(!crossed(&lanes, waits([1, 0], &[])), "nothing is kept");
    let lanes = [vec![LOCK, PUSH_1, LET_GO], vec![PUSH_2]];
    assert!(!crossed(&lanes, waits([1, 0], &[])), "not by the guard");
}

#[test]
fn a_lock_that_the_thread_has_already_is_its_own_mistake() {
    // As a read lock behind a writer.
    let lanes = [vec![LOCK, PUSH_1, LET_GO], vec![PUSH_2]];
    assert!(!crossed(&lanes, waits([0, 0], &[0])));
}

#[test]
fn guards_of_two_threads_in_opposite_orders_are_theirs() {
    let lanes = [vec![LOCK, PUSH_1, LET_GO], vec![LOCK, PUSH_2, LET_GO]];
    assert!(!crossed(&lanes, waits([0, 0], &[])));
}
