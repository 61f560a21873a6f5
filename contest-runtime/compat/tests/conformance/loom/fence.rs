//! loom `tests/fence.rs`.

use std::sync::Arc;

use contest::FindingKind;
use contest::cell::UnsafeCell;
use contest::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};
use contest::sync::atomic::{AtomicBool, fence};
use contest::thread;

use crate::runs::{Shared, fails, increment, outcomes, passes, read};

/// How one side of the message is ordered: by a fence, by the access to the flag itself, or not at all.
#[derive(Clone, Copy)]
enum Side {
    Fence(Ordering),
    Access(Ordering),
}

/// A cell is written, a flag set; whoever sees the flag reads the cell.
fn message(writer: Side, reader: Side) {
    let shared = Shared::new((UnsafeCell::new(0), AtomicBool::new(false)));
    let theirs = Arc::clone(&shared);
    let thread = thread::spawn(move || {
        let (data, flag) = theirs.get();
        increment(data);
        match writer {
            Side::Fence(order) => {
                fence(order);
                flag.store(true, Relaxed);
            }
            Side::Access(order) => flag.store(true, order),
        }
    });
    let (data, flag) = shared.get();
    let set = match reader {
        Side::Fence(order) => flag.load(Relaxed).then(|| fence(order)),
        Side::Access(order) => flag.load(order).then_some(()),
    };
    if set.is_some() {
        assert_eq!(read(data), 1);
    }
    thread.join().unwrap();
}

#[test]
fn a_release_fence_synchronises_with_an_acquire_fence() {
    passes(|| message(Side::Fence(Release), Side::Fence(Acquire)));
}

#[test]
fn a_release_store_synchronises_with_an_acquire_fence() {
    passes(|| message(Side::Access(Release), Side::Fence(Acquire)));
}

#[test]
fn a_release_fence_synchronises_with_an_acquire_load() {
    passes(|| message(Side::Fence(Release), Side::Access(Acquire)));
}

#[test]
fn without_a_fence_on_either_side_there_is_a_race() {
    for (writer, reader) in [
        (Side::Access(Relaxed), Side::Fence(Acquire)),
        (Side::Fence(Release), Side::Access(Relaxed)),
    ] {
        assert_eq!(fails(|| message(writer, reader)).0, FindingKind::DataRace);
    }
}

fn flags<const N: usize>() -> Arc<[AtomicBool; N]> {
    Arc::new([(); N].map(|()| AtomicBool::new(false)))
}

#[test]
fn with_fences_one_of_two_threads_sees_the_store_of_the_other() {
    let seen = outcomes(|| {
        let flags = flags::<2>();
        let theirs = Arc::clone(&flags);
        let thread = thread::spawn(move || {
            theirs[0].store(true, Relaxed);
            fence(SeqCst);
            theirs[1].load(Relaxed)
        });
        flags[1].store(true, Relaxed);
        fence(SeqCst);
        let mine = flags[0].load(Relaxed);
        (mine, thread.join().unwrap())
    });
    assert_eq!(seen, [(false, true), (true, false), (true, true)].into());
}

#[test]
fn what_a_hazard_pointer_protects_is_not_freed() {
    passes(|| {
        // Reachable, protected, freed.
        let flags = flags::<3>();
        flags[0].store(true, Relaxed);
        let theirs = Arc::clone(&flags);
        let thread = thread::spawn(move || {
            theirs[1].store(true, Relaxed);
            fence(SeqCst);
            if theirs[0].load(Relaxed) {
                assert!(!theirs[2].load(Relaxed));
            }
        });
        flags[0].store(false, Relaxed);
        fence(SeqCst);
        if !flags[1].load(Relaxed) {
            flags[2].store(true, Relaxed);
        }
        thread.join().unwrap();
    });
}

/// Main stores `x`, and `z` if there is one; a reader loads `x` or `z`, then `y`; a writer stores `y`, then loads `x`;
/// fences between.
fn read_write_causality(by_third: bool) -> (bool, bool, bool) {
    let flags = flags::<3>();
    let [reads, writes] = [(); 2].map(|()| Arc::clone(&flags));
    let reader = thread::spawn(move || {
        let first = if by_third {
            reads[2].load(Acquire)
        } else {
            reads[0].load(Relaxed)
        };
        fence(SeqCst);
        (first, reads[1].load(Relaxed))
    });
    let writer = thread::spawn(move || {
        writes[1].store(true, Relaxed);
        fence(SeqCst);
        writes[0].load(Relaxed)
    });
    flags[0].store(true, Relaxed);
    if by_third {
        flags[2].store(true, Release);
    }
    let (first, second) = reader.join().unwrap();
    (first, second, writer.join().unwrap())
}

#[test]
fn fences_forbid_that_a_reader_is_ahead_of_main_and_behind_a_writer_that_is_behind_main() {
    for by_third in [false, true] {
        let seen = outcomes(|| read_write_causality(by_third));
        assert!(!seen.contains(&(true, false, false)));
        assert_eq!(seen.len(), 7, "all others happen: {seen:?}");
    }
}
