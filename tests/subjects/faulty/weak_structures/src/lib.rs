//! Known structures with one ordering too weak each. Sequentially consistent executions show nothing of it but races.

use std::cell::UnsafeCell;
use std::sync::atomic::{fence, AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;

const SLOTS: usize = 2;

/// A ring for one producer and one consumer.
#[derive(Debug, Default)]
struct Ring {
    slots: [AtomicU64; SLOTS],
    head: AtomicUsize,
    tail: AtomicUsize,
}

/// The end that writes.
#[derive(Debug)]
pub struct Producer(Arc<Ring>);

/// The end that reads.
#[derive(Debug)]
pub struct Consumer(Arc<Ring>);

/// An empty ring.
pub fn ring() -> (Producer, Consumer) {
    let ring = Arc::new(Ring::default());
    (Producer(ring.clone()), Consumer(ring))
}

impl Producer {
    /// False if the ring is full. The bug: the slot may be published before it is written.
    pub fn push(&mut self, value: u8) -> bool {
        let tail = self.0.tail.load(Ordering::Relaxed);
        if tail - self.0.head.load(Ordering::Acquire) == SLOTS {
            return false;
        }
        self.0.slots[tail % SLOTS].store(u64::from(value) + 1, Ordering::Relaxed);
        self.0.tail.store(tail + 1, Ordering::Relaxed);
        true
    }
}

impl Consumer {
    pub fn pop(&mut self) -> Option<u64> {
        let head = self.0.head.load(Ordering::Relaxed);
        if head == self.0.tail.load(Ordering::Acquire) {
            return None;
        }
        let value = self.0.slots[head % SLOTS].load(Ordering::Relaxed);
        self.0.head.store(head + 1, Ordering::Release);
        Some(value)
    }
}

#[derive(Debug)]
struct Counted {
    count: AtomicUsize,
    value: AtomicU64,
}

/// A handle of a value that the last one of two frees.
#[derive(Debug)]
struct Handle(*const Counted);

// SAFETY: what it points to is atomic, and lives as long as a handle does.
unsafe impl Send for Handle {}

impl Handle {
    fn add(&self) -> u64 {
        // SAFETY: this handle counts.
        unsafe { (*self.0).value.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Drop for Handle {
    /// The bug: nothing orders what other handles did before what frees the value.
    fn drop(&mut self) {
        // SAFETY: this handle counts.
        let count = unsafe { &(*self.0).count };
        if count.fetch_sub(1, Ordering::Relaxed) == 1 {
            // SAFETY: no handle is left.
            drop(unsafe { Box::from_raw(self.0.cast_mut()) });
        }
    }
}

/// One of two handles.
#[derive(Debug)]
pub struct First(Handle);

/// The other one.
#[derive(Debug)]
pub struct Second(Handle);

/// A value with two handles.
pub fn shared() -> (First, Second) {
    let counted = Counted {
        count: AtomicUsize::new(2),
        value: AtomicU64::new(0),
    };
    let counted = Box::into_raw(Box::new(counted));
    (First(Handle(counted)), Second(Handle(counted)))
}

impl First {
    pub fn add(&mut self) -> u64 {
        self.0.add()
    }
}

impl Second {
    pub fn add(&mut self) -> u64 {
        self.0.add()
    }
}

/// A lock whose holders come in the order of their tickets.
#[derive(Debug, Default)]
pub struct TicketLock {
    next: AtomicUsize,
    serving: AtomicUsize,
    value: UnsafeCell<u64>,
}

// SAFETY: only the holder uses the value.
unsafe impl Sync for TicketLock {}

impl TicketLock {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one to the value. The bug: nothing orders this holder after the one before.
    pub fn add(&self) -> u64 {
        let ticket = self.next.fetch_add(1, Ordering::Relaxed);
        while self.serving.load(Ordering::Relaxed) != ticket {
            std::hint::spin_loop();
        }
        // SAFETY: not ordered after the last use.
        let value = unsafe {
            *self.value.get() += 1;
            *self.value.get()
        };
        self.serving.store(ticket + 1, Ordering::Release);
        value
    }
}

/// A deque of which the owner takes at one end, and others steal at the other (Chase, Lev 2005; orderings of
/// Le, Pop, Cohen, Zappa Nardelli 2013).
#[derive(Debug)]
struct Deque {
    top: AtomicUsize,
    bottom: AtomicUsize,
    slots: [AtomicU64; 4],
}

/// The owner's end. It adds nothing, so that two steals are as good as one.
#[derive(Debug)]
pub struct Worker(Arc<Deque>);

/// An end to steal from.
#[derive(Debug)]
pub struct Stealer(Arc<Deque>);

/// A deque that holds 1 and 2.
pub fn deque() -> (Worker, Stealer) {
    let deque = Arc::new(Deque {
        top: AtomicUsize::new(1),
        bottom: AtomicUsize::new(3),
        slots: Default::default(),
    });
    deque.slots[1].store(1, Ordering::Relaxed);
    deque.slots[2].store(2, Ordering::Relaxed);
    (Worker(deque.clone()), Stealer(deque))
}

impl Worker {
    /// Takes what was added last. The bug: the owner may look at the top before others see that it takes.
    pub fn take(&mut self) -> Option<u64> {
        let deque = &self.0;
        let bottom = deque.bottom.load(Ordering::Relaxed) - 1;
        deque.bottom.store(bottom, Ordering::Relaxed);
        fence(Ordering::AcqRel);
        let top = deque.top.load(Ordering::Relaxed);
        if top > bottom {
            deque.bottom.store(bottom + 1, Ordering::Relaxed);
            return None;
        }
        let value = deque.slots[bottom % 4].load(Ordering::Relaxed);
        if top < bottom {
            return Some(value);
        }
        let won = deque
            .top
            .compare_exchange(top, top + 1, Ordering::SeqCst, Ordering::Relaxed);
        deque.bottom.store(bottom + 1, Ordering::Relaxed);
        won.is_ok().then_some(value)
    }
}

impl Stealer {
    fn steal(&self) -> Option<u64> {
        let deque = &self.0;
        let top = deque.top.load(Ordering::Acquire);
        fence(Ordering::SeqCst);
        let bottom = deque.bottom.load(Ordering::Acquire);
        if top >= bottom {
            return None;
        }
        let value = deque.slots[top % 4].load(Ordering::Relaxed);
        let won = deque
            .top
            .compare_exchange(top, top + 1, Ordering::SeqCst, Ordering::Relaxed);
        won.is_ok().then_some(value)
    }

    /// Steals two, one after another.
    pub fn steal_two(&mut self) -> [Option<u64>; 2] {
        let first = self.steal();
        [first, self.steal()]
    }
}

/// A pointer that one reader protects by a hazard pointer (Michael 2004).
#[derive(Debug)]
struct Hazard {
    current: AtomicPtr<AtomicU64>,
    protected: AtomicPtr<AtomicU64>,
    /// What could not be freed at once.
    retired: UnsafeCell<Vec<*mut AtomicU64>>,
}

// SAFETY: only the writer uses what is retired.
unsafe impl Send for Hazard {}
// SAFETY: likewise.
unsafe impl Sync for Hazard {}

impl Drop for Hazard {
    fn drop(&mut self) {
        self.retired.get_mut().push(*self.current.get_mut());
        for value in self.retired.get_mut() {
            // SAFETY: no other handle is left.
            drop(unsafe { Box::from_raw(*value) });
        }
    }
}

/// Reads what is current.
#[derive(Debug)]
pub struct Reader(Arc<Hazard>);

/// Replaces it.
#[derive(Debug)]
pub struct Writer(Arc<Hazard>);

/// A value that can be read while it is replaced.
pub fn protected() -> (Reader, Writer) {
    let hazard = Arc::new(Hazard {
        current: AtomicPtr::new(Box::into_raw(Box::new(AtomicU64::new(0)))),
        protected: AtomicPtr::default(),
        retired: UnsafeCell::default(),
    });
    (Reader(hazard.clone()), Writer(hazard))
}

impl Reader {
    /// The bug: the second look may come before the writer sees what is protected.
    pub fn read(&mut self) -> u64 {
        let mut found = self.0.current.load(Ordering::Acquire);
        loop {
            self.0.protected.store(found, Ordering::Release);
            let again = self.0.current.load(Ordering::Acquire);
            if again == found {
                break;
            }
            found = again;
        }
        // SAFETY: what is still current after it was protected is not freed.
        let value = unsafe { (*found).load(Ordering::Relaxed) };
        let none = std::ptr::null_mut();
        self.0.protected.store(none, Ordering::Release);
        value
    }
}

impl Writer {
    /// Frees the old value unless it is being read.
    pub fn replace(&mut self) {
        let new = Box::into_raw(Box::new(AtomicU64::new(1)));
        let old = self.0.current.swap(new, Ordering::AcqRel);
        fence(Ordering::SeqCst);
        if self.0.protected.load(Ordering::Acquire) == old {
            // SAFETY: only the writer uses it.
            unsafe { (*self.0.retired.get()).push(old) };
        } else {
            // SAFETY: no reader protects it, and none finds it any more.
            drop(unsafe { Box::from_raw(old) });
        }
    }
}

/// A value that readers use in sections, and a writer frees when every section has ended.
#[derive(Debug)]
struct Rcu {
    current: AtomicPtr<u64>,
    reading: AtomicBool,
    /// What could not be freed at once.
    retired: UnsafeCell<Vec<*mut u64>>,
}

// SAFETY: only the writer uses what is retired.
unsafe impl Send for Rcu {}
// SAFETY: likewise.
unsafe impl Sync for Rcu {}

impl Drop for Rcu {
    fn drop(&mut self) {
        self.retired.get_mut().push(*self.current.get_mut());
        for value in self.retired.get_mut() {
            // SAFETY: no other handle is left.
            drop(unsafe { Box::from_raw(*value) });
        }
    }
}

/// Reads in sections.
#[derive(Debug)]
pub struct Section(Arc<Rcu>);

/// Publishes new values.
#[derive(Debug)]
pub struct Updater(Arc<Rcu>);

/// A value, with its reader and its writer.
pub fn rcu() -> (Section, Updater) {
    let rcu = Arc::new(Rcu {
        current: AtomicPtr::new(Box::into_raw(Box::new(0))),
        reading: AtomicBool::new(false),
        retired: UnsafeCell::default(),
    });
    (Section(rcu.clone()), Updater(rcu))
}

impl Section {
    /// What is current.
    pub fn read(&mut self) -> u64 {
        self.0.reading.store(true, Ordering::SeqCst);
        let found = self.0.current.load(Ordering::SeqCst);
        // SAFETY: it is freed only when no section is open that may have found it.
        let value = unsafe { *found };
        self.0.reading.store(false, Ordering::Release);
        value
    }
}

impl Updater {
    /// Publishes a value; frees the old one if no section is open. The bug: the value may be published before it is
    /// written.
    pub fn update(&mut self) {
        let new = Box::into_raw(Box::new(7));
        let old = self.0.current.load(Ordering::Relaxed);
        self.0.current.store(new, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if self.0.reading.load(Ordering::SeqCst) {
            // SAFETY: only the writer uses it.
            unsafe { (*self.0.retired.get()).push(old) };
        } else {
            // SAFETY: no section is open, and later ones find the new value.
            drop(unsafe { Box::from_raw(old) });
        }
    }
}

/// A value that is set once.
#[derive(Debug, Default)]
pub struct Slot(AtomicPtr<u64>);

impl Slot {
    /// Sets the value; false if there is one. The bug: it is published with the caller's ordering.
    pub fn set(&self, value: u8, order: Ordering) -> bool {
        let new = Box::into_raw(Box::new(u64::from(value)));
        let none = std::ptr::null_mut();
        let set = self.0.compare_exchange(none, new, order, Ordering::Relaxed);
        if set.is_err() {
            // SAFETY: it was not published.
            drop(unsafe { Box::from_raw(new) });
        }
        set.is_ok()
    }

    /// The value.
    pub fn get(&self) -> Option<u64> {
        let found = self.0.load(Ordering::Acquire);
        // SAFETY: what is set stays until the end.
        unsafe { found.as_ref() }.copied()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let found = *self.0.get_mut();
        if !found.is_null() {
            // SAFETY: no other handle is left.
            drop(unsafe { Box::from_raw(found) });
        }
    }
}
