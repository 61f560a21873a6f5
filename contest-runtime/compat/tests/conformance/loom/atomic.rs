//! loom `tests/atomic.rs`.

use std::sync::Arc;

use contest::FindingKind;
use contest::sync::atomic::{AtomicU32, Ordering};
use contest::thread;
use contest_compat::loom::atomic::AtomicU32 as WithPlainAccesses;

use crate::runs::{fails, outcomes, outcomes_under_rc11, passes};

contest::lazy_static! {
    static ref COUNT: AtomicU32 = AtomicU32::new(0);
    static ref COUNTED: contest::alloc::Arc<u32> = contest::alloc::Arc::new(5);
    static ref SLOWLY: contest::alloc::Arc<u32> = {
        thread::yield_now();
        contest::alloc::Arc::new(COUNT.fetch_add(1, Ordering::SeqCst))
    };
}

contest::thread_local! {
    static OF_STATIC: u32 = COUNT.load(Ordering::Relaxed);
}

#[test]
fn a_static_that_is_used_after_the_end_of_main_fails_where_that_ends_the_process() {
    let failure = std::panic::catch_unwind(|| {
        contest_compat::loom::model(|| {
            thread::spawn(|| assert_eq!(**COUNTED, 5));
        });
    });
    let text = *failure.unwrap_err().downcast::<String>().unwrap();
    assert!(text.contains("a static is used after"), "{text}");
}

#[test]
fn otherwise_threads_may_use_it_to_their_end() {
    passes(|| {
        thread::spawn(|| assert_eq!(**COUNTED, 5));
    });
}

#[test]
fn racing_threads_make_a_static_once() {
    passes(|| {
        let thread = thread::spawn(|| assert_eq!(**SLOWLY, 0));
        assert_eq!(**SLOWLY, 0);
        thread.join().unwrap();
        assert_eq!(COUNT.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn a_static_is_dropped_at_the_end_of_every_execution() {
    passes(|| {
        let thread = thread::spawn(|| assert_eq!(**COUNTED, 5));
        assert_eq!(**COUNTED, 5);
        thread.join().unwrap();
    });
}

#[test]
fn a_thread_local_may_be_made_from_a_static() {
    passes(|| {
        let threads = [(); 2]
            .map(|()| thread::spawn(|| OF_STATIC.try_with(|value| *value).unwrap_or(u32::MAX)));
        for thread in threads {
            assert_eq!(thread.join().unwrap(), 0);
        }
    });
}

#[test]
fn a_plain_read_of_an_atomic_races_with_a_relaxed_store() {
    let (kind, _) = fails(|| {
        let value = Arc::new(WithPlainAccesses::new(0));
        let theirs = Arc::clone(&value);
        let thread = thread::spawn(move || {
            // SAFETY: threads of a model do not run in parallel.
            unsafe { theirs.unsync_load() }
        });
        value.store(1, Ordering::Relaxed);
        thread.join().unwrap();
    });
    assert_eq!(kind, FindingKind::DataRace);
}

#[test]
fn a_plain_read_of_an_atomic_after_joining_the_writer_is_no_race() {
    passes(|| {
        let value = Arc::new(WithPlainAccesses::new(0));
        let theirs = Arc::clone(&value);
        let thread = thread::spawn(move || theirs.store(1, Ordering::Relaxed));
        thread.join().unwrap();
        // SAFETY: the other thread has ended.
        assert_eq!(unsafe { value.unsync_load() }, 1);
    });
}

#[test]
fn atomics_in_the_same_memory_one_after_the_other_do_not_race() {
    passes(|| {
        let make = |value| {
            move || {
                let atomic = Box::new(WithPlainAccesses::new(value));
                atomic.store(value + 1, Ordering::Relaxed);
                // SAFETY: the thread owns it.
                unsafe { atomic.unsync_load() }
            }
        };
        let threads = [1, 5].map(|value| thread::spawn(make(value)));
        assert_eq!(threads.map(|thread| thread.join().unwrap()), [2, 6]);
    });
}

/// The value that comes last was read by no exchange of an earlier one.
#[test]
fn two_exchanges_cannot_both_replace_old_values() {
    let seen = outcomes_under_rc11(|| {
        let pair = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
        let run = |own: usize, pair: &[AtomicU32; 2]| {
            pair[own].store(1, Ordering::Release);
            let other = &pair[1 - own];
            let _ = other.compare_exchange(0, 2, Ordering::AcqRel, Ordering::Acquire);
        };
        let theirs = Arc::clone(&pair);
        let thread = thread::spawn(move || run(0, &theirs));
        run(1, &pair);
        thread.join().unwrap();
        pair.each_ref().map(|value| value.load(Ordering::Acquire))
    });
    assert!(!seen.contains(&[2, 2]), "{seen:?}");
}

#[test]
fn additions_see_different_values() {
    let seen = outcomes(|| {
        let value = Arc::new(AtomicU32::new(0));
        let theirs = Arc::clone(&value);
        let thread = thread::spawn(move || theirs.fetch_add(1, Ordering::Relaxed));
        let mine = value.fetch_add(1, Ordering::Relaxed);
        (mine, thread.join().unwrap())
    });
    assert_eq!(seen, [(0, 1), (1, 0)].into());
}
