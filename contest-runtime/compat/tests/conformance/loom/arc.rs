//! loom `tests/arc.rs`.

use contest::FindingKind;
use contest::alloc::Arc;
use contest::cell::UnsafeCell;
use contest::notify::Notify;
use contest::sync::atomic::{AtomicBool, Ordering};
use contest::thread;

use crate::runs::{Shared, fails, increment, passes, read};

/// Reads its value when dropped.
struct Reads {
    value: Shared<UnsafeCell<u32>>,
    written: AtomicBool,
}

impl Reads {
    fn new() -> Self {
        Self {
            value: Shared::plain(UnsafeCell::new(0)),
            written: AtomicBool::new(false),
        }
    }

    fn write(&self) {
        increment(self.value.get());
        self.written.store(true, Ordering::Release);
    }
}

impl Drop for Reads {
    fn drop(&mut self) {
        assert_eq!(read(self.value.get()), 1);
    }
}

#[test]
fn whoever_drops_last_sees_what_the_others_wrote() {
    passes(|| {
        let mine = Arc::new(Reads::new());
        let theirs = mine.clone();
        thread::spawn(move || theirs.write());
        drop(mine);
    });
}

#[test]
fn a_flag_orders_the_accesses_of_owners() {
    passes(|| {
        let mine = Arc::new(Reads::new());
        let theirs = mine.clone();
        thread::spawn(move || theirs.write());
        while !mine.written.load(Ordering::Acquire) {
            thread::yield_now();
        }
        assert_eq!(read(mine.value.get()), 1);
    });
}

#[test]
fn an_arc_that_is_forgotten_is_a_leak() {
    let (kind, message) = fails(|| {
        let arc = Arc::new(1);
        let kept = arc.clone();
        let thread = thread::spawn(move || drop(arc));
        std::mem::forget(kept);
        thread.join().unwrap();
    });
    assert_eq!(kind, FindingKind::Leak);
    assert!(message.starts_with("Arc made at "), "{message}");
}

#[test]
fn the_only_owner_takes_the_value_out() {
    passes(|| {
        let arc = Arc::new(7);
        drop(arc.clone());
        assert_eq!(Arc::try_unwrap(arc).unwrap(), 7);
    });
}

#[test]
fn one_of_two_owners_does_not() {
    passes(|| {
        let arc = Arc::new(7);
        let other = arc.clone();
        let arc = Arc::try_unwrap(arc).unwrap_err();
        drop(other);
        assert_eq!(Arc::try_unwrap(arc).unwrap(), 7);
    });
}

#[test]
fn the_value_can_be_taken_once_the_other_thread_let_go() {
    passes(|| {
        let arc = Arc::new(7);
        let go = Arc::new(Notify::new());
        let (theirs, waits) = (arc.clone(), go.clone());
        let thread = thread::spawn(move || {
            waits.wait();
            drop(theirs);
        });
        let arc = Arc::try_unwrap(arc).unwrap_err();
        go.notify();
        thread.join().unwrap();
        assert_eq!(Arc::strong_count(&arc), 1);
        assert_eq!(Arc::try_unwrap(arc).unwrap(), 7);
    });
}
