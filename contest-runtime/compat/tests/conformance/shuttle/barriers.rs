//! `basic/barrier.rs`: who passes, who leads, who is left.

use std::collections::BTreeSet;
use std::sync::Arc;

use contest::FindingKind;
use contest::sync::Barrier;
use contest::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use contest::thread;

use super::{failure, outcomes};

/// For each of the threads whether it led, in the order of the threads.
fn leaders(bound: usize, threads: usize) -> BTreeSet<Vec<bool>> {
    outcomes(move || {
        let barrier = Arc::new(Barrier::new(bound));
        let wait = |_| {
            let barrier = Arc::clone(&barrier);
            thread::spawn(move || barrier.wait().is_leader())
        };
        let threads: Vec<_> = (0..threads).map(wait).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

#[test]
fn no_thread_passes_before_all_have_arrived() {
    outcomes(|| {
        let barrier = Arc::new(Barrier::new(3));
        let arrived = Arc::new(AtomicUsize::new(0));
        let wait = |_| {
            let (barrier, arrived) = (Arc::clone(&barrier), Arc::clone(&arrived));
            thread::spawn(move || {
                arrived.fetch_add(1, SeqCst);
                barrier.wait();
                assert_eq!(arrived.load(SeqCst), 3);
            })
        };
        let threads: Vec<_> = (0..3).map(wait).collect();
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn every_thread_may_be_the_leader_and_exactly_one_is() {
    let expected = BTreeSet::from([vec![true, false], vec![false, true]]);
    assert_eq!(leaders(2, 2), expected);
    for leaders in leaders(3, 3) {
        assert_eq!(leaders.iter().filter(|leader| **leader).count(), 1);
    }
}

#[test]
fn a_barrier_for_one_or_for_none_lets_everybody_pass_as_a_leader() {
    for bound in [0, 1] {
        assert_eq!(leaders(bound, 2), BTreeSet::from([vec![true, true]]));
    }
}

#[test]
fn a_barrier_can_be_used_again() {
    assert_eq!(leaders(1, 3), BTreeSet::from([vec![true; 3]]));
    let led: BTreeSet<usize> = outcomes(|| {
        let barrier = Arc::new(Barrier::new(2));
        let theirs = Arc::clone(&barrier);
        let rounds = |barrier: &Barrier| (0..2).filter(|_| barrier.wait().is_leader()).count();
        let thread = thread::spawn(move || rounds(&theirs));
        rounds(&barrier) + thread.join().unwrap()
    });
    assert_eq!(led, BTreeSet::from([2]));
}

#[test]
fn too_few_threads_wait_for_ever() {
    let finding = failure(|| {
        let barrier = Arc::new(Barrier::new(3));
        let theirs = Arc::clone(&barrier);
        let thread = thread::spawn(move || theirs.wait().is_leader());
        barrier.wait();
        thread.join().unwrap();
    });
    assert_eq!(finding.kind, FindingKind::Deadlock);
    assert!(
        finding
            .details
            .iter()
            .any(|line| line.contains("Barrier#1")),
        "{:?}",
        finding.details
    );
}
