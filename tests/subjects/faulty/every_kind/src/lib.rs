//! One subject of each kind, each with one bug.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Poll, Waker};

/// Counts visits: a type.
///
/// ```
/// let visits = faulty_every_kind::Visits::new();
/// std::thread::scope(|scope| {
///     scope.spawn(|| visits.visit());
///     visits.visit();
/// });
/// assert_eq!(visits.count(), 2);
/// ```
#[derive(Debug, Default)]
pub struct Visits {
    count: AtomicU32,
}

impl Visits {
    pub fn new() -> Self {
        Self::default()
    }

    /// BUG: two steps.
    pub fn visit(&self) -> u32 {
        let before = self.count.load(Ordering::SeqCst);
        self.count.store(before + 1, Ordering::SeqCst);
        before + 1
    }

    pub fn count(&self) -> u32 {
        self.count.load(Ordering::SeqCst)
    }
}

/// A gate that tasks wait for: a future.
#[derive(Debug, Default)]
pub struct Gate {
    open: AtomicBool,
    waiting: Mutex<Option<Waker>>,
}

impl Gate {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn open(&self) {
        self.open.store(true, Ordering::SeqCst);
        if let Some(waker) = self.waiting.lock().unwrap().take() {
            waker.wake();
        }
    }

    /// BUG: nothing looks again once the waker is there.
    pub async fn pass(&self) {
        poll_fn(|context| {
            if self.open.load(Ordering::SeqCst) {
                return Poll::Ready(());
            }
            *self.waiting.lock().unwrap() = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

#[derive(Debug, Default)]
struct Shared {
    items: Mutex<VecDeque<u32>>,
    changed: Condvar,
    closed: AtomicBool,
}

/// The end that gives.
#[derive(Debug)]
pub struct Sender(Arc<Shared>);

/// The end that takes.
#[derive(Debug)]
pub struct Receiver(Arc<Shared>);

/// Two ends of a pair.
pub fn channel() -> (Sender, Receiver) {
    let shared = Arc::new(Shared::default());
    (Sender(Arc::clone(&shared)), Receiver(shared))
}

impl Sender {
    pub fn send(&self, number: u32) {
        self.0.items.lock().unwrap().push_back(number);
        self.0.changed.notify_all();
    }
}

impl Drop for Sender {
    /// BUG: not under the lock.
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::SeqCst);
        self.0.changed.notify_all();
    }
}

impl Receiver {
    /// The next number; `None` once the sender is gone.
    pub fn recv(&mut self) -> Option<u32> {
        let mut items = self.0.items.lock().unwrap();
        loop {
            if let Some(item) = items.pop_front() {
                return Some(item);
            }
            if self.0.closed.load(Ordering::SeqCst) {
                return None;
            }
            items = self.0.changed.wait(items).unwrap();
        }
    }
}

/// Functions over a static.
pub mod names {
    use std::sync::Mutex;

    static NAMES: Mutex<Vec<String>> = Mutex::new(Vec::new());

    /// BUG: another thread may come in between.
    pub fn register(name: &str) -> usize {
        if let Some(number) = number(name) {
            return number;
        }
        let next = NAMES.lock().unwrap().len();
        NAMES.lock().unwrap().push(name.to_owned());
        next
    }

    pub fn number(name: &str) -> Option<usize> {
        NAMES.lock().unwrap().iter().position(|it| it == name)
    }
}

/// A number that threads share by hand.
#[derive(Debug, Default)]
pub struct Shelf {
    number: UnsafeCell<u32>,
}

// BUG: nothing orders the accesses.
unsafe impl Sync for Shelf {}

impl Shelf {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn put(&self, number: u32) {
        unsafe { *self.number.get() = number }
    }

    pub fn number(&self) -> u32 {
        unsafe { *self.number.get() }
    }
}

/// A weight that one thread hands to another.
#[derive(Debug, Default)]
pub struct Parcel {
    weight: AtomicU32,
    ready: AtomicBool,
}

impl Parcel {
    pub fn new() -> Self {
        Self::default()
    }

    /// BUG: the second store does not release the first.
    pub fn put(&self) {
        self.weight.store(7, Ordering::Relaxed);
        self.ready.store(true, Ordering::Relaxed);
    }

    pub fn weigh(&self) -> Option<u32> {
        let ready = self.ready.load(Ordering::Acquire);
        ready.then(|| self.weight.load(Ordering::Relaxed))
    }
}
