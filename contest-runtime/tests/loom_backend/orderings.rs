//! Bugs of memory orderings, and the same programs without them.

use contest::FindingKind;
use contest::cell::UnsafeCell;
use contest::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};
use contest::sync::atomic::{AtomicBool, AtomicUsize, fence};
use contest::sync::{Arc, Mutex};
use contest::{hint, thread};

use super::{clean, found};

/// A value, then a flag that says it is there.
fn message_passing(store: Ordering, load: Ordering) {
    let message = Arc::new((AtomicUsize::new(0), AtomicBool::new(false)));
    let theirs = Arc::clone(&message);
    let thread = thread::spawn(move || {
        theirs.0.store(1, Relaxed);
        theirs.1.store(true, store);
    });
    if message.1.load(load) {
        assert_eq!(message.0.load(Relaxed), 1, "the message is not there yet");
    }
    thread.join().unwrap();
}

#[test]
fn a_relaxed_flag_passes_no_message() {
    for (store, load) in [(Relaxed, Acquire), (Release, Relaxed), (Relaxed, Relaxed)] {
        let finding = found(move || message_passing(store, load));
        assert_eq!(finding.kind, FindingKind::Panic, "{store:?} {load:?}");
        assert!(finding.message.contains("the message is not there yet"));
    }
    clean(|| message_passing(Release, Acquire));
}

/// A lock that spins.
struct SpinLock {
    held: AtomicBool,
    value: UnsafeCell<usize>,
    take: Ordering,
    give: Ordering,
}

// SAFETY: that this is wrong for some orderings is what the test is about.
unsafe impl Sync for SpinLock {}
// SAFETY: it owns its value and has no ties to a thread.
unsafe impl Send for SpinLock {}

impl SpinLock {
    fn increment(&self) {
        // A failed exchange writes nothing; with a `swap` loom would go on for ever.
        while self
            .held
            .compare_exchange(false, true, self.take, Relaxed)
            .is_err()
        {
            hint::spin_loop();
        }
        // SAFETY: the lock is held.
        self.value.with_mut(|value| unsafe { *value += 1 });
        self.held.store(false, self.give);
    }
}

fn spin_lock(take: Ordering, give: Ordering) {
    let lock = Arc::new(SpinLock {
        held: AtomicBool::new(false),
        value: UnsafeCell::new(0),
        take,
        give,
    });
    let theirs = Arc::clone(&lock);
    let thread = thread::spawn(move || theirs.increment());
    lock.increment();
    thread.join().unwrap();
    // SAFETY: no other thread is left.
    assert_eq!(lock.value.with(|value| unsafe { *value }), 2);
}

#[test]
fn a_relaxed_spin_lock_protects_nothing() {
    for (take, give) in [(Relaxed, Release), (Acquire, Relaxed)] {
        let finding = found(move || spin_lock(take, give));
        assert_eq!(finding.kind, FindingKind::DataRace, "{finding:?}");
    }
    clean(|| spin_lock(Acquire, Release));
}

/// Two values that are written together and read without a lock.
fn sequence_lock(fences: bool) {
    let lock = Arc::new((
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    ));
    let theirs = Arc::clone(&lock);
    let writer = thread::spawn(move || {
        theirs.0.store(1, Relaxed);
        if fences {
            fence(Release);
        }
        theirs.1.store(7, Relaxed);
        theirs.2.store(7, Relaxed);
        theirs.0.store(2, Release);
    });
    let before = lock.0.load(Acquire);
    let values = (lock.1.load(Relaxed), lock.2.load(Relaxed));
    if fences {
        fence(Acquire);
    }
    let after = lock.0.load(Relaxed);
    if before == after && before.is_multiple_of(2) {
        assert_eq!(values.0, values.1, "torn");
    }
    writer.join().unwrap();
}

#[test]
fn a_sequence_lock_without_fences_is_torn() {
    let finding = found(|| sequence_lock(false));
    assert!(finding.message.contains("torn"), "{finding:?}");
    clean(|| sequence_lock(true));
}

/// A value that whoever comes first makes, and a flag that saves the others the lock.
struct Lazy {
    made: AtomicBool,
    making: Mutex<()>,
    value: UnsafeCell<usize>,
    look: Ordering,
    tell: Ordering,
}

// SAFETY: that this is wrong for some orderings is what the test is about.
unsafe impl Sync for Lazy {}
// SAFETY: it owns its value and has no ties to a thread.
unsafe impl Send for Lazy {}

impl Lazy {
    fn get(&self) -> usize {
        if !self.made.load(self.look) {
            let _making = self.making.lock().unwrap();
            if !self.made.load(Relaxed) {
                // SAFETY: only the holder of the lock gets here, once.
                self.value.with_mut(|value| unsafe { *value = 7 });
                self.made.store(true, self.tell);
            }
        }
        // SAFETY: it was made, and is not changed any more.
        self.value.with(|value| unsafe { *value })
    }
}

fn lazy(look: Ordering, tell: Ordering) {
    let lazy = Arc::new(Lazy {
        made: AtomicBool::new(false),
        making: Mutex::new(()),
        value: UnsafeCell::new(0),
        look,
        tell,
    });
    let theirs = Arc::clone(&lazy);
    let thread = thread::spawn(move || assert_eq!(theirs.get(), 7));
    assert_eq!(lazy.get(), 7);
    thread.join().unwrap();
}

#[test]
fn a_lazy_value_behind_a_relaxed_flag_is_not_made_yet() {
    for (look, tell) in [(Relaxed, Release), (Acquire, Relaxed)] {
        let finding = found(move || lazy(look, tell));
        assert_eq!(finding.kind, FindingKind::DataRace, "{finding:?}");
    }
    clean(|| lazy(Acquire, Release));
}
