//! `pass/atomics` and `pass/std`: what atomic operations do, and what goes through them.

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::Arc;

use contest::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};
use contest::sync::atomic::{AtomicI8, AtomicPtr, AtomicU64, AtomicUsize};
use contest::thread;

use super::{Failed, assume, executions, explored, fault};
use crate::runs::{Shared, join_all};
use contest::FindingKind;

#[test]
fn one_thread_has_one_execution() {
    let report = explored(|| {
        let value = AtomicU64::new(1);
        assert_eq!(value.load(SeqCst), 1);
        assert_eq!(value.compare_exchange(1, 2, SeqCst, SeqCst), Ok(1));
        assert_eq!(value.compare_exchange(1, 3, SeqCst, SeqCst), Err(2));
        assert_eq!(value.fetch_add(u64::MAX, Relaxed), 2);
        assert_eq!(value.fetch_sub(2, Relaxed), 1);
        assert_eq!(value.fetch_nand(0b101, Relaxed), u64::MAX);
        assert_eq!(value.swap(7, Relaxed), !0b101);
        assert_eq!(value.fetch_max(9, Relaxed), 7);
        assert_eq!(value.fetch_min(3, Relaxed), 9);
        assert_eq!(value.load(Relaxed), 3);
        let signed = AtomicI8::new(i8::MIN);
        assert_eq!(signed.fetch_max(-1, Relaxed), i8::MIN);
        assert_eq!(signed.fetch_sub(i8::MAX, Relaxed), -1);
        assert_eq!(signed.load(Relaxed), i8::MIN);
    });
    assert_eq!(report.traces(), 1);
}

#[test]
fn plain_accesses_and_atomic_ones_of_one_thread_see_each_other() {
    let report = explored(|| {
        let mut value = AtomicU64::new(1);
        value.store(2, Relaxed);
        assert_eq!(std::mem::replace(value.get_mut(), 3), 2);
        assert_eq!(value.load(Relaxed), 3);
        let mut of_a_pointer = (5, 6);
        let pointer = AtomicPtr::new(&raw mut of_a_pointer.0);
        let second = &raw mut of_a_pointer.1;
        let first = pointer.swap(second, SeqCst);
        assert_eq!(
            pointer.compare_exchange(first, first, SeqCst, SeqCst),
            Err(second)
        );
        assert_eq!(pointer.into_inner(), second);
        assert_eq!(value.into_inner(), 3);
    });
    assert_eq!(report.traces(), 1);
}

const ROUNDS: u64 = 16;

/// One thread hands out pointers to the values, another one adds to what they lead to and takes them away.
fn round_trip(failed: &Failed) {
    let values: [_; ROUNDS as usize] = std::array::from_fn(|_| contest::cell::Cell::new(0_u64));
    let pointer = AtomicPtr::<contest::cell::Cell<u64>>::new(null_mut());
    let shared = Shared::new((values, pointer));
    let (theirs, theirs_failed) = (shared.clone(), failed.clone());
    let other = thread::spawn(move || {
        let (values, pointer) = theirs.get();
        (0..ROUNDS).try_for_each(|round| {
            let found = pointer.load(SeqCst);
            assume(!found.is_null(), &theirs_failed)?;
            let value = values
                .iter()
                .find(|value| std::ptr::eq(*value, found))
                .unwrap();
            assert_eq!(value.replace(round + 1), round);
            pointer.store(null_mut(), SeqCst);
            Some(())
        });
    });
    let (values, pointer) = shared.get();
    let _ = (0..).zip(values).try_for_each(|(round, value)| {
        value.set(round);
        pointer.store(std::ptr::from_ref(value).cast_mut(), SeqCst);
        assume(pointer.load(SeqCst).is_null(), failed)?;
        assert_eq!(value.get(), round + 1);
        Some(())
    });
    other.join().unwrap();
}

#[test]
fn pointers_go_there_and_back() {
    // 33 there.
    assert_eq!(executions(round_trip), (1, 2 * ROUNDS));
}

fn key_is_made_once(failure: Ordering) -> impl Fn() {
    move || {
        let values = [contest::cell::Cell::new(0), contest::cell::Cell::new(0)];
        let shared = Shared::new((values, AtomicUsize::new(usize::MAX)));
        let threads = [0, 1].map(|own| {
            let shared = shared.clone();
            thread::spawn(move || {
                let (values, key) = shared.get();
                values[own].set(own + 5);
                let found = key.compare_exchange(usize::MAX, own, Release, failure);
                values[found.err().unwrap_or(own)].get()
            })
        });
        let [first, second] = threads.map(|thread| thread.join().unwrap());
        assert_eq!(first, second);
    }
}

#[test]
fn who_loses_the_race_for_a_key_sees_what_the_winner_wrote() {
    assert_eq!(explored(key_is_made_once(Acquire)).traces(), 2);
    // The ordering of a failure, which GenMC does not have.
    assert_eq!(fault(key_is_made_once(Relaxed)), FindingKind::DataRace);
}

#[test]
fn threads_have_values_of_their_own() {
    contest::thread_local!(static OWN: Cell<*mut u64> = const { Cell::new(null_mut()) });
    let report = explored(|| {
        let first = Arc::new(AtomicPtr::new(null_mut()));
        let threads = [true, false, true].map(|offers| {
            let first = first.clone();
            thread::spawn(move || {
                let mut value = 0;
                OWN.with(|own| own.set(&raw mut value));
                if offers {
                    let own = OWN.with(Cell::get);
                    let _ = first.compare_exchange(null_mut(), own, SeqCst, SeqCst);
                }
            })
        });
        join_all(threads);
    });
    assert_eq!(report.traces(), 2);
}
