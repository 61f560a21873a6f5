//! Small concurrent types, each with a test below `tests` that fails now and then.
#![allow(missing_docs)]

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::sync::atomic::Ordering::{Acquire, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, OnceLock, RwLock, Weak};
use std::thread::{current, park, Thread};

/// Counts.
#[derive(Default)]
pub struct Counter(AtomicUsize);

impl Counter {
    pub fn get(&self) -> usize {
        self.0.load(SeqCst)
    }
    pub fn bump(&self) {
        let value = self.0.load(SeqCst);
        self.0.store(value + 1, SeqCst);
    }
}

/// Must not be overdrawn.
pub struct Account(Mutex<i64>);

impl Account {
    pub fn with(balance: i64) -> Self {
        Self(Mutex::new(balance))
    }

    pub fn balance(&self) -> i64 {
        *self.0.lock().unwrap()
    }
    pub fn withdraw(&self, amount: i64) -> bool {
        if self.balance() < amount {
            return false;
        }
        *self.0.lock().unwrap() -= amount;
        true
    }
}

/// Two accounts that lock each other.
#[derive(Default)]
pub struct Bank {
    left: Mutex<i64>,
    right: Mutex<i64>,
}

impl Bank {
    pub fn to_right(&self, amount: i64) {
        let mut left = self.left.lock().unwrap();
        let mut right = self.right.lock().unwrap();
        *left -= amount;
        *right += amount;
    }

    pub fn to_left(&self, amount: i64) {
        let mut right = self.right.lock().unwrap();
        let mut left = self.left.lock().unwrap();
        *left += amount;
        *right -= amount;
    }
}

/// Made at first use, once.
#[derive(Default)]
pub struct Lazy {
    ready: AtomicBool,
    made: Mutex<usize>,
}

impl Lazy {
    pub fn made(&self) -> usize {
        *self.made.lock().unwrap()
    }

    pub fn get(&self) {
        if self.ready.load(SeqCst) {
            return;
        }
        let mut made = self.made.lock().unwrap();
        *made += 1;
        self.ready.store(true, SeqCst);
    }
}

/// Opens once; those who wait go on then.
#[derive(Default)]
pub struct Gate {
    open: AtomicBool,
    lock: Mutex<()>,
    opened: Condvar,
}

impl Gate {
    pub fn open(&self) {
        self.open.store(true, SeqCst);
        self.opened.notify_all();
    }
    pub fn wait(&self) {
        let mut held = self.lock.lock().unwrap();
        while !self.open.load(SeqCst) {
            held = self.opened.wait(held).unwrap();
        }
    }
}

/// Two values whose sum stays the same.
pub struct Pair(RwLock<(i64, i64)>);

impl Default for Pair {
    fn default() -> Self {
        Self(RwLock::new((50, 50)))
    }
}

impl Pair {
    pub fn shift(&self, by: i64) {
        let mut both = self.0.write().unwrap();
        both.0 -= by;
        both.1 += by;
    }

    pub fn sum(&self) -> i64 {
        let first = self.0.read().unwrap().0;
        let second = self.0.read().unwrap().1;
        first + second
    }
}

/// A queue.
#[derive(Default)]
pub struct Queue(Mutex<VecDeque<u32>>);

impl Queue {
    pub fn push(&self, value: u32) {
        self.0.lock().unwrap().push_back(value);
    }

    pub fn is_empty(&self) -> bool {
        self.0.lock().unwrap().is_empty()
    }

    pub fn pop(&self) -> Option<u32> {
        self.0.lock().unwrap().pop_front()
    }

    /// The first value, or 0.
    pub fn take(&self) -> u32 {
        if self.is_empty() {
            return 0;
        }
        self.pop().expect("it is not empty")
    }
}

/// A lock that spins, around a number.
#[derive(Default)]
pub struct Spin {
    locked: AtomicBool,
    value: UnsafeCell<u64>,
}

// SAFETY: the value is used under the lock.
unsafe impl Sync for Spin {}

impl Spin {
    fn lock(&self) {
        while self.locked.load(Acquire) {
            std::hint::spin_loop();
        }
        self.locked.store(true, Release);
    }

    pub fn add(&self, more: u64) -> u64 {
        self.lock();
        // SAFETY: under the lock.
        let sum = unsafe {
            *self.value.get() += more;
            *self.value.get()
        };
        self.locked.store(false, Release);
        sum
    }
}

/// Lets everyone pass when it has been counted down.
pub struct Latch {
    left: Mutex<usize>,
    zero: Condvar,
}

impl Latch {
    pub fn new(left: usize) -> Self {
        Self {
            left: Mutex::new(left),
            zero: Condvar::new(),
        }
    }

    pub fn count_down(&self) {
        let mut left = self.left.lock().unwrap();
        *left -= 1;
        if *left == 0 {
            self.zero.notify_one();
        }
    }

    pub fn wait(&self) {
        let mut left = self.left.lock().unwrap();
        while *left > 0 {
            left = self.zero.wait(left).unwrap();
        }
    }
}

/// Numbers from 0 to 2, each given out once before it begins again.
#[derive(Default)]
pub struct Tickets(AtomicUsize);

impl Tickets {
    pub fn next(&self) -> usize {
        if self.0.load(SeqCst) > 2 {
            self.0.store(0, SeqCst);
        }
        self.0.fetch_add(1, SeqCst)
    }
}

/// Elects one of those who stand.
#[derive(Default)]
pub struct Election(AtomicBool);

impl Election {
    /// True for one of them.
    pub fn stand(&self) -> bool {
        if self.0.load(SeqCst) {
            return false;
        }
        self.0.store(true, SeqCst);
        true
    }
}

/// A block with a count of its owners; the last one frees it.
pub struct Shared(*mut Block);

struct Block {
    owners: AtomicUsize,
    value: u32,
}

// SAFETY: the block is only read while it has owners.
unsafe impl Send for Shared {}

impl Shared {
    pub fn pair(value: u32) -> (Self, Self) {
        let owners = AtomicUsize::new(2);
        let block = Box::into_raw(Box::new(Block { owners, value }));
        (Self(block), Self(block))
    }

    pub fn value(&self) -> u32 {
        // SAFETY: it has an owner.
        unsafe { (*self.0).value }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: this is an owner.
        let owners = unsafe { &(*self.0).owners };
        let last = owners.load(SeqCst) == 1;
        owners.fetch_sub(1, SeqCst);
        if last {
            // SAFETY: there is no other owner.
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}

/// Values that can be cut off.
pub struct List(RwLock<Vec<u32>>);

impl List {
    pub fn with(values: &[u32]) -> Self {
        Self(RwLock::new(values.to_vec()))
    }

    pub fn clear(&self) {
        self.0.write().unwrap().clear();
    }

    pub fn last(&self) -> Option<u32> {
        let length = self.0.read().unwrap().len();
        let index = length.checked_sub(1)?;
        Some(self.0.read().unwrap()[index])
    }
}

/// One thread waits for a flag, another one sets it.
#[derive(Default)]
pub struct Parked {
    set: AtomicBool,
    waiting: Mutex<Option<Thread>>,
}

impl Parked {
    pub fn wait(&self) {
        *self.waiting.lock().unwrap() = Some(current());
        while !self.set.load(SeqCst) {
            park();
        }
    }

    pub fn set(&self) {
        if let Some(waiting) = self.waiting.lock().unwrap().take() {
            waiting.unpark();
        }
        self.set.store(true, SeqCst);
    }
}

/// A value that lives as long as someone uses it.
#[derive(Default)]
pub struct Cache(Mutex<Weak<u32>>);

impl Cache {
    pub fn put(&self, value: &Arc<u32>) {
        *self.0.lock().unwrap() = Arc::downgrade(value);
    }

    pub fn get(&self) -> Option<u32> {
        let weak = self.0.lock().unwrap().clone();
        if weak.strong_count() == 0 {
            return None;
        }
        Some(*weak.upgrade().expect("someone uses it"))
    }
}

/// Takes work in until it is closed; all that was taken in is done.
#[derive(Default)]
pub struct Pipeline {
    closed: AtomicBool,
    work: Mutex<Vec<u32>>,
}

impl Pipeline {
    /// True if the work was taken in.
    pub fn submit(&self, item: u32) -> bool {
        if self.closed.load(SeqCst) {
            return false;
        }
        self.work.lock().unwrap().push(item);
        true
    }

    /// Closes it; how much is done.
    pub fn close(&self) -> usize {
        let mut work = self.work.lock().unwrap();
        self.closed.store(true, SeqCst);
        std::mem::take(&mut *work).len()
    }
}

/// A value with its version.
#[derive(Default)]
pub struct Versioned {
    version: Mutex<u64>,
    value: Mutex<u64>,
}

impl Versioned {
    pub fn set(&self, value: u64) {
        *self.value.lock().unwrap() = value;
        *self.version.lock().unwrap() += 1;
    }

    /// The version and the value.
    pub fn get(&self) -> (u64, u64) {
        let value = *self.value.lock().unwrap();
        (*self.version.lock().unwrap(), value)
    }
}

/// Gives out so many permits and no more.
pub struct Permits(AtomicUsize);

impl Permits {
    pub fn new(count: usize) -> Self {
        Self(AtomicUsize::new(count))
    }

    pub fn left(&self) -> usize {
        self.0.load(SeqCst)
    }

    pub fn try_acquire(&self) -> bool {
        if self.left() == 0 {
            return false;
        }
        self.0.fetch_sub(1, SeqCst);
        true
    }
}

/// Keeps the first value that is given to it.
#[derive(Default)]
pub struct First(OnceLock<u32>);

impl First {
    /// The first value.
    pub fn keep(&self, value: u32) -> u32 {
        if self.0.get().is_none() {
            self.0.set(value).expect("there is no value yet");
        }
        *self.0.get().expect("it was set")
    }
}

/// Passes messages on to one listener, while it listens.
pub struct Hub {
    sender: Sender<u32>,
    listener: Mutex<Option<Receiver<u32>>>,
}

impl Default for Hub {
    fn default() -> Self {
        let (sender, listener) = channel();
        let listener = Mutex::new(Some(listener));
        Self { sender, listener }
    }
}

impl Hub {
    /// True if the message was passed on.
    pub fn publish(&self, message: u32) -> bool {
        if self.listener.lock().unwrap().is_none() {
            return false;
        }
        self.sender.send(message).expect("it listens");
        true
    }

    /// The listener goes.
    pub fn leave(&self) {
        self.listener.lock().unwrap().take();
    }
}
