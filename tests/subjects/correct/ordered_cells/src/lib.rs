//! Cells that are shared by hand, and rightly so.

pub mod kept;

use std::cell::UnsafeCell;
use std::sync::atomic::{fence, AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::{Arc, Condvar, Mutex, Once, RwLock};

#[derive(Default)]
struct Cell(UnsafeCell<u64>);

unsafe impl Sync for Cell {}
unsafe impl Send for Cell {}

impl Cell {
    fn set(&self, value: u64) {
        unsafe { *self.0.get() = value };
    }

    fn get(&self) -> u64 {
        unsafe { *self.0.get() }
    }
}

/// Release and acquire.
#[derive(Default)]
pub struct Flag {
    ready: AtomicBool,
    taken: AtomicBool,
    value: Cell,
}

impl Flag {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fills it, once; waits until it is full.
    pub fn fill(&self) {
        if !self.taken.swap(true, Ordering::Relaxed) {
            self.value.set(7);
            self.ready.store(true, Ordering::Release);
        }
        while !self.ready.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    }

    /// The value, once it is there.
    pub fn get(&self) -> Option<u64> {
        self.ready.load(Ordering::Acquire).then(|| self.value.get())
    }
}

/// Relaxed increments of others continue the release sequence.
#[derive(Default)]
pub struct Chain {
    steps: AtomicUsize,
    taken: AtomicBool,
    value: Cell,
}

impl Chain {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fills it, once; waits until it is full.
    pub fn fill(&self) {
        if !self.taken.swap(true, Ordering::Relaxed) {
            self.value.set(7);
            self.steps.store(8, Ordering::Release);
        }
        while self.steps.load(Ordering::Relaxed) < 8 {
            std::hint::spin_loop();
        }
    }

    /// Counts, and looks.
    pub fn count(&self) -> Option<u64> {
        self.steps
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |steps| (steps >= 8).then_some(steps + 1))
            .ok()?;
        (self.steps.load(Ordering::Acquire) >= 8).then(|| self.value.get())
    }
}

/// Two fences.
#[derive(Default)]
pub struct Fences {
    ready: AtomicBool,
    taken: AtomicBool,
    value: Cell,
}

impl Fences {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fills it, once; waits until it is full.
    pub fn fill(&self) {
        if !self.taken.swap(true, Ordering::Relaxed) {
            self.value.set(7);
            fence(Ordering::Release);
            self.ready.store(true, Ordering::Relaxed);
        }
        while !self.ready.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    }

    /// The value, once it is there.
    pub fn get(&self) -> Option<u64> {
        if self.ready.load(Ordering::Relaxed) {
            fence(Ordering::Acquire);
            return Some(self.value.get());
        }
        None
    }
}

/// Locks of every kind, one of them made by hand.
#[derive(Default)]
pub struct Locked {
    mutex: Mutex<()>,
    rwlock: RwLock<()>,
    spin: AtomicBool,
    values: [Cell; 3],
}

impl Locked {
    /// 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds under the mutex.
    pub fn add(&self) -> u64 {
        let _guard = self.mutex.lock().unwrap();
        self.values[0].set(self.values[0].get() + 1);
        self.values[0].get()
    }

    /// Writes under the write lock.
    pub fn write(&self) {
        let _guard = self.rwlock.write().unwrap();
        self.values[1].set(7);
    }

    /// Reads under the read lock.
    pub fn read(&self) -> u64 {
        let _guard = self.rwlock.read().unwrap();
        self.values[1].get()
    }

    /// Adds under the spin lock.
    pub fn spin(&self) -> u64 {
        while self.spin.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            std::hint::spin_loop();
        }
        self.values[2].set(self.values[2].get() + 1);
        let now = self.values[2].get();
        self.spin.store(false, Ordering::Release);
        now
    }
}

/// A condition variable's mutex.
#[derive(Default)]
pub struct HandOver {
    full: Mutex<bool>,
    changed: Condvar,
    value: Cell,
}

impl HandOver {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits until it is empty, and fills it.
    pub fn put(&self) {
        let mut full = self.full.lock().unwrap();
        while *full {
            full = self.changed.wait(full).unwrap();
        }
        self.value.set(7);
        *full = true;
        drop(full);
        self.changed.notify_all();
    }

    /// Waits until it is full, and empties it.
    pub fn take(&self) -> u64 {
        let mut full = self.full.lock().unwrap();
        while !*full {
            full = self.changed.wait(full).unwrap();
        }
        let value = self.value.get();
        *full = false;
        drop(full);
        self.changed.notify_all();
        value
    }
}

struct Noted(Cell);

impl Drop for Noted {
    fn drop(&mut self) {
        self.0.set(0);
    }
}

/// The last owner frees what all have used.
pub struct Owned {
    current: Mutex<Arc<Noted>>,
}

impl Owned {
    /// With one owner.
    pub fn new() -> Self {
        Self {
            current: Mutex::new(Arc::new(Noted(Cell::default()))),
        }
    }

    /// Uses the present one.
    pub fn look(&self) -> u64 {
        let held = Arc::clone(&*self.current.lock().unwrap());
        held.0.get()
    }

    /// Puts another one in its place.
    pub fn replace(&self) {
        let old = std::mem::replace(
            &mut *self.current.lock().unwrap(),
            Arc::new(Noted(Cell::default())),
        );
        drop(old);
    }
}

impl Default for Owned {
    fn default() -> Self {
        Self::new()
    }
}

/// A channel carries boxes.
pub struct Letters {
    sender: SyncSender<Box<u64>>,
    receiver: Mutex<Receiver<Box<u64>>>,
    once: Once,
    greeting: Cell,
}

impl Letters {
    /// An empty box for two.
    pub fn new() -> Self {
        let (sender, receiver) = sync_channel(2);
        Self {
            sender,
            receiver: Mutex::new(receiver),
            once: Once::new(),
            greeting: Cell::default(),
        }
    }

    /// Sends one, if there is room.
    pub fn send(&self) -> bool {
        let mut letter = Box::new(6);
        *letter += 1;
        self.sender.try_send(letter).is_ok()
    }

    /// Receives one, if there is one.
    pub fn receive(&self) -> Option<u64> {
        let mut letter = self.receiver.lock().unwrap().try_recv().ok()?;
        *letter += 1;
        Some(*letter)
    }

    /// Made by the first call.
    pub fn greeting(&self) -> u64 {
        self.once.call_once(|| self.greeting.set(7));
        self.greeting.get()
    }
}

impl Default for Letters {
    fn default() -> Self {
        Self::new()
    }
}
