//! Cells in annotated types: accesses that nothing orders are data races, and others are none.

use std::cell::{Cell, UnsafeCell};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use contest::annotated::Report;

fn races(report: &Report) -> Vec<String> {
    let races = report.findings.iter();
    races
        .filter(|it| it.kind.name() == "data-race")
        .map(|it| format!("{} {:?}", it.message, it.details))
        .collect()
}

macro_rules! shared_by_hand {
    ($($type:ident)*) => {
        $(
            // SAFETY: what the types promise, and some do not keep.
            unsafe impl Sync for $type {}
        )*
    };
}

shared_by_hand! { Counter Gauge Locked Once Flags Ring Parts Held }

/// No lock at all.
#[contest::shared]
#[derive(Default)]
pub(crate) struct Counter {
    value: UnsafeCell<u32>,
}

#[contest::operations]
impl Counter {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn add(&self) {
        // SAFETY: none; this is the bug.
        unsafe { *self.value.get() += 1 }
    }
}

/// A `Cell` that threads share.
#[contest::shared]
#[derive(Default)]
pub(crate) struct Gauge {
    value: Cell<u32>,
}

#[contest::operations]
impl Gauge {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn set(&self, value: u32) {
        self.value.set(value);
    }

    pub(crate) fn value(&self) -> u32 {
        self.value.get()
    }
}

/// A lock beside the value.
#[contest::shared]
#[derive(Default)]
pub(crate) struct Locked {
    lock: Mutex<()>,
    value: UnsafeCell<Vec<u32>>,
    changes: Cell<u32>,
}

#[contest::operations]
impl Locked {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn push(&self, value: u32) -> u32 {
        let _held = self.lock.lock().unwrap();
        // SAFETY: the lock is held.
        unsafe { (*self.value.get()).push(value) };
        self.changes.set(self.changes.get() + 1);
        self.changes.get()
    }

    pub(crate) fn first(&self) -> Option<u32> {
        let _held = self.lock.lock().unwrap();
        // SAFETY: as above.
        let values = unsafe { &*self.value.get() };
        values.first().copied()
    }
}

/// Written once, published by a flag.
#[contest::shared]
#[derive(Default)]
pub(crate) struct Once {
    begun: AtomicBool,
    ready: AtomicBool,
    value: UnsafeCell<u32>,
}

#[contest::operations]
impl Once {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn set(&self, value: u32) -> bool {
        if self.begun.swap(true, Ordering::AcqRel) {
            return false;
        }
        let place = self.value.get();
        // SAFETY: one thread gets here, and nobody reads before the flag is set.
        unsafe { place.write(value) };
        self.ready.store(true, Ordering::Release);
        true
    }

    pub(crate) fn get(&self) -> Option<u32> {
        let ready = self.ready.load(Ordering::Acquire);
        // SAFETY: written, and not again.
        ready.then(|| unsafe { *self.value.get() })
    }
}

/// The same, looked at without a look at the flag.
#[contest::shared]
#[derive(Default)]
pub(crate) struct Flags {
    begun: AtomicBool,
    value: UnsafeCell<u32>,
}

#[contest::operations]
impl Flags {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn set(&self, value: u32) -> bool {
        if self.begun.swap(true, Ordering::AcqRel) {
            return false;
        }
        let place = self.value.get();
        // SAFETY: one thread gets here; `get` may be reading.
        unsafe { std::ptr::write(place, value) };
        true
    }

    pub(crate) fn get(&self) -> u32 {
        // SAFETY: none; this is the bug.
        unsafe { std::ptr::read(self.value.get()) }
    }
}

/// Elements that threads have for themselves.
#[contest::shared]
#[derive(Default)]
pub(crate) struct Ring {
    next: AtomicUsize,
    slots: UnsafeCell<[u32; 8]>,
}

#[contest::operations]
impl Ring {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn put(&self, value: u32) -> Option<usize> {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        if at >= 8 {
            return None;
        }
        // SAFETY: no other thread has this number.
        unsafe { (*self.slots.get())[at] = value };
        Some(at)
    }
}

struct Halves {
    left: u32,
    right: u32,
}

/// Each method has a half.
#[contest::shared(plain(Halves))]
pub(crate) struct Parts {
    left: Mutex<()>,
    right: Mutex<()>,
    halves: UnsafeCell<Halves>,
}

#[contest::operations]
impl Parts {
    pub(crate) fn new() -> Self {
        Self {
            left: Mutex::new(()),
            right: Mutex::new(()),
            halves: UnsafeCell::new(Halves { left: 0, right: 0 }),
        }
    }

    pub(crate) fn left(&self) -> u32 {
        let _held = self.left.lock().unwrap();
        // SAFETY: the lock of this half is held.
        unsafe {
            (*self.halves.get()).left += 1;
            (*self.halves.get()).left
        }
    }

    pub(crate) fn right(&self) -> u32 {
        let _held = self.right.lock().unwrap();
        // SAFETY: as above.
        unsafe {
            let halves = self.halves.get();
            (*halves).right += 1;
            (*halves).right
        }
    }
}

/// A pointer that is kept.
#[contest::shared]
#[derive(Default)]
pub(crate) struct Held {
    value: UnsafeCell<u32>,
}

#[contest::operations]
impl Held {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn add(&self) {
        let value = self.value.get();
        // SAFETY: none; this is the bug.
        unsafe { *value += 1 };
    }
}

#[test]
fn an_unsafe_cell_without_a_lock_is_a_data_race_at_its_line() {
    let report = contest::check::<Counter>().report();
    let reason = races(&report);
    assert_eq!(reason.len(), 1, "{:#?}", report.findings);
    let here = file!();
    assert!(reason[0].contains(&format!("{here}:")), "{reason:?}");
}

#[test]
fn a_pointer_that_is_kept_is_the_cell() {
    assert_eq!(races(&contest::check::<Held>().report()).len(), 1);
}

#[test]
fn a_cell_that_threads_share_is_a_data_race() {
    assert!(!races(&contest::check::<Gauge>().report()).is_empty());
}

#[test]
fn a_read_without_the_flag_is_a_data_race() {
    assert!(!races(&contest::check::<Flags>().report()).is_empty());
}

#[test]
fn what_a_lock_protects_is_none() {
    for report in [
        contest::check::<Locked>().report(),
        contest::check::<Ring>().report(),
        contest::check::<Parts>().report(),
    ] {
        assert!(report.findings.is_empty(), "{:#?}", report.findings);
    }
}

#[test]
fn what_a_flag_publishes_is_none() {
    let report = contest::check::<Once>().report();
    // That `get` may see nothing yet after a `set` that came second is another matter.
    assert!(races(&report).is_empty(), "{:#?}", report.findings);
}

/// Memory of a cell that was freed is used for the next one, which another thread has.
#[test]
fn cells_in_memory_that_is_used_again_are_different_ones() {
    let report = contest::Builder::new().exhaustive().run(|| {
        let use_one = || {
            let counter = Box::new(Counter::new());
            counter.add();
            drop(counter);
        };
        let thread = contest::thread::spawn(use_one);
        use_one();
        thread.join().unwrap();
    });
    assert!(report.findings().is_empty(), "{:?}", report.findings());
}

#[test]
fn memory_and_locks_have_the_names_of_fields() {
    let report = contest::check::<Counter>().report();
    let rows = report.findings[0].interleaving.iter();
    let events: Vec<&str> = rows.map(|row| row.event.as_str()).collect();
    assert!(events.contains(&"write of Counter.value"), "{events:?}");
    let details = report.findings[0].details.join("\n");
    assert!(details.contains("`Counter.value`, 4 bytes"), "{details}");
    let report = contest::check::<Flags>().report();
    let rows = report.findings[0].interleaving.iter();
    let events: Vec<&str> = rows.map(|row| row.event.as_str()).collect();
    assert!(
        events.contains(&"Flags.begun.swap() -> 0, now 1"),
        "{events:?}"
    );
}

#[test]
fn tests_by_hand_show_the_names_of_fields_too() {
    use super::subjects::Lossy;
    let report = contest::Builder::new().exhaustive().run(|| {
        let counter = std::sync::Arc::new(Lossy::new());
        let theirs = std::sync::Arc::clone(&counter);
        let thread = contest::thread::spawn(move || theirs.add());
        counter.add();
        thread.join().unwrap();
        assert_eq!(counter.value(), 2);
    });
    let text = format!("{:?}", report.findings()[0]);
    assert!(text.contains("Lossy.count.load() -> 0"), "{text}");
}
