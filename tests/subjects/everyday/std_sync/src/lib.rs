//! Sound types, each about one or two facilities of `std::sync` and `std::thread`.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{
    AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::sync::{
    Arc, Condvar, LazyLock, Mutex, MutexGuard, Once, OnceLock, RwLock, TryLockError, Weak,
};
use std::thread;
use std::time::Duration;

mod timed;

pub use timed::{Beacon, TimedLatch};

/// `Mutex`.
#[derive(Debug, Default)]
pub struct Counter(Mutex<u64>);

impl Counter {
    pub fn add(&self, n: u64) -> u64 {
        let mut count = self.0.lock().unwrap();
        *count += n;
        *count
    }

    pub fn get(&self) -> u64 {
        *self.0.lock().unwrap()
    }

    pub fn reset(&self) -> u64 {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// `RwLock`, many readers.
#[derive(Debug, Default)]
pub struct Settings(RwLock<(u32, String)>);

impl Settings {
    pub fn set(&self, n: u32) {
        let mut settings = self.0.write().unwrap();
        settings.0 = n;
        settings.1 = format!("set to {n}");
    }

    pub fn get(&self) -> (u32, String) {
        self.0.read().unwrap().clone()
    }

    pub fn number(&self) -> u32 {
        self.0.read().unwrap().0
    }
}

/// `RwLock` with an `Arc`: readers keep what they got.
#[derive(Debug)]
pub struct Snapshots(RwLock<Arc<Vec<u32>>>);

impl Default for Snapshots {
    fn default() -> Self {
        Self(RwLock::new(Arc::new(Vec::new())))
    }
}

impl Snapshots {
    pub fn add(&self, n: u32) -> usize {
        let mut list = self.0.write().unwrap();
        let mut new = Vec::clone(&list);
        new.push(n);
        *list = Arc::new(new);
        list.len()
    }

    pub fn read(&self) -> Vec<u32> {
        let list = Arc::clone(&self.0.read().unwrap());
        list.to_vec()
    }
}

/// `OnceLock`.
#[derive(Debug, Default)]
pub struct Once1(OnceLock<u32>);

impl Once1 {
    pub fn set(&self, n: u32) -> bool {
        self.0.set(n).is_ok()
    }

    pub fn get(&self) -> Option<u32> {
        self.0.get().copied()
    }

    pub fn get_or_init(&self, n: u32) -> u32 {
        *self.0.get_or_init(|| n)
    }
}

static TABLE: LazyLock<Vec<u32>> = LazyLock::new(|| (0..8).map(|n| n * n).collect());

/// `LazyLock` in a static.
#[derive(Debug, Default)]
pub struct Squares(AtomicUsize);

impl Squares {
    pub fn next(&self) -> u32 {
        TABLE[self.0.fetch_add(1, Ordering::SeqCst) % TABLE.len()]
    }
}

/// `Once`.
#[derive(Debug)]
pub struct Initialised {
    once: Once,
    times: AtomicU32,
}

impl Default for Initialised {
    fn default() -> Self {
        Self {
            once: Once::new(),
            times: AtomicU32::new(0),
        }
    }
}

impl Initialised {
    pub fn start(&self) -> u32 {
        self.once.call_once(|| {
            self.times.fetch_add(1, Ordering::Relaxed);
        });
        self.times.load(Ordering::Relaxed)
    }

    pub fn is_started(&self) -> bool {
        self.once.is_completed()
    }
}

/// `Condvar` with a time limit.
#[derive(Debug, Default)]
pub struct Queue {
    items: Mutex<Vec<u32>>,
    more: Condvar,
}

impl Queue {
    pub fn put(&self, n: u32) {
        self.items.lock().unwrap().push(n);
        self.more.notify_one();
    }

    pub fn take(&self) -> Option<u32> {
        let mut items = self.items.lock().unwrap();
        if items.is_empty() {
            items = self
                .more
                .wait_timeout(items, Duration::from_millis(5))
                .unwrap()
                .0;
        }
        items.pop()
    }
}

/// `Condvar`, a gate that is opened once; who waits looks again.
#[derive(Debug, Default)]
pub struct Gate {
    open: Mutex<bool>,
    changed: Condvar,
}

impl Gate {
    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.changed.notify_all();
    }

    pub fn pass(&self) -> bool {
        let open = self.open.lock().unwrap();
        let limit = Duration::from_millis(10);
        let (open, _) = self
            .changed
            .wait_timeout_while(open, limit, |open| !*open)
            .unwrap();
        *open
    }

    pub fn is_open(&self) -> bool {
        *self.open.lock().unwrap()
    }
}

/// `mpsc::channel`.
#[derive(Debug)]
pub struct Inbox {
    sender: Sender<u32>,
    receiver: Mutex<Receiver<u32>>,
}

impl Default for Inbox {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self {
            sender,
            receiver: Mutex::new(receiver),
        }
    }
}

impl Inbox {
    pub fn send(&self, n: u32) -> bool {
        self.sender.send(n).is_ok()
    }

    pub fn try_take(&self) -> Option<u32> {
        match self.receiver.lock().unwrap().try_recv() {
            Ok(n) => Some(n),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => None,
        }
    }

    pub fn all(&self) -> Vec<u32> {
        self.receiver.lock().unwrap().try_iter().collect()
    }

    pub fn soon(&self) -> Option<u32> {
        let receiver = self.receiver.lock().unwrap();
        receiver.recv_timeout(Duration::from_millis(3)).ok()
    }
}

/// `mpsc::sync_channel`.
#[derive(Debug)]
pub struct Bounded {
    sender: SyncSender<u32>,
    receiver: Mutex<Receiver<u32>>,
}

impl Default for Bounded {
    fn default() -> Self {
        let (sender, receiver) = sync_channel(1);
        Self {
            sender,
            receiver: Mutex::new(receiver),
        }
    }
}

impl Bounded {
    pub fn try_put(&self, n: u32) -> bool {
        self.sender.try_send(n).is_ok()
    }

    pub fn try_take(&self) -> Option<u32> {
        self.receiver.lock().unwrap().try_recv().ok()
    }
}

/// `AtomicU64`, maximum.
#[derive(Debug, Default)]
pub struct Highest(AtomicU64);

impl Highest {
    pub fn see(&self, n: u64) -> u64 {
        self.0.fetch_max(n, Ordering::AcqRel)
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

/// `compare_exchange`, an account that is never overdrawn.
#[derive(Debug, Default)]
pub struct Account(AtomicI64);

impl Account {
    pub fn pay_in(&self, n: u32) -> i64 {
        self.0.fetch_add(i64::from(n), Ordering::SeqCst) + i64::from(n)
    }

    pub fn pay_out(&self, n: u32) -> bool {
        let out = |now: i64| now.checked_sub(i64::from(n)).filter(|left| *left >= 0);
        self.0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, out)
            .is_ok()
    }

    pub fn balance(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// `AtomicBool` with release and acquire, and a fence.
#[derive(Debug, Default)]
pub struct Published {
    number: AtomicU32,
    there: AtomicBool,
}

impl Published {
    pub fn publish(&self) {
        self.number.store(7, Ordering::Relaxed);
        fence(Ordering::Release);
        self.there.store(true, Ordering::Relaxed);
    }

    pub fn read(&self) -> Option<u32> {
        if !self.there.load(Ordering::Acquire) {
            return None;
        }
        Some(self.number.load(Ordering::Relaxed))
    }
}

/// `AtomicPtr`, what is replaced is freed by who replaced it.
#[derive(Debug)]
pub struct Cell1(AtomicPtr<u32>);

impl Default for Cell1 {
    fn default() -> Self {
        Self(AtomicPtr::new(Box::into_raw(Box::new(0))))
    }
}

impl Cell1 {
    pub fn replace(&self, n: u32) -> u32 {
        let old = self.0.swap(Box::into_raw(Box::new(n)), Ordering::AcqRel);
        // SAFETY: made by `into_raw`, and the swap has given it to this call only.
        *unsafe { Box::from_raw(old) }
    }
}

impl Drop for Cell1 {
    fn drop(&mut self) {
        // SAFETY: as above; nobody else has the cell.
        drop(unsafe { Box::from_raw(*self.0.get_mut()) });
    }
}

/// A lock by hand, with its guard's work inside.
#[derive(Debug, Default)]
pub struct Spin {
    taken: AtomicBool,
    count: AtomicU32,
}

impl Spin {
    pub fn count_up(&self) -> u32 {
        while self
            .taken
            .compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            std::hint::spin_loop();
        }
        let count = self.count.load(Ordering::Relaxed) + 1;
        self.count.store(count, Ordering::Relaxed);
        self.taken.store(false, Ordering::Release);
        count
    }
}

/// A job that runs once at a time; further calls are turned away.
#[derive(Debug, Default)]
pub struct Job {
    running: AtomicBool,
    runs: AtomicU32,
}

impl Job {
    /// Runs the job unless it is running. The result tells whether it ran.
    pub fn run(&self) -> bool {
        if self.running.swap(true, Ordering::AcqRel) {
            return false;
        }
        self.runs.fetch_add(1, Ordering::Relaxed);
        self.running.store(false, Ordering::Release);
        true
    }

    /// As `run`, with another way to take the flag.
    pub fn run_once(&self) -> Result<u32, &'static str> {
        self.running
            .compare_exchange(false, true, Ordering::AcqRel, Ordering::Acquire)
            .map_err(|_| "it runs")?;
        let runs = self.runs.fetch_add(1, Ordering::Relaxed) + 1;
        self.running.store(false, Ordering::Release);
        Ok(runs)
    }

    pub fn runs(&self) -> u32 {
        self.runs.load(Ordering::Relaxed)
    }
}

/// `try_lock`.
#[derive(Debug, Default)]
pub struct Busy(Mutex<u32>);

impl Busy {
    pub fn try_add(&self) -> Option<u32> {
        match self.0.try_lock() {
            Ok(mut count) => {
                *count += 1;
                Some(*count)
            }
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Poisoned(_)) => unreachable!("nothing panics"),
        }
    }

    pub fn get(&self) -> u32 {
        *self.0.lock().unwrap()
    }
}

/// `Weak`, what is gone is forgotten.
#[derive(Debug, Default)]
pub struct Registry {
    known: Mutex<Vec<Weak<u32>>>,
    held: Mutex<Vec<Arc<u32>>>,
}

impl Registry {
    pub fn add(&self, n: u32) {
        let new = Arc::new(n);
        let mut held = self.held.lock().unwrap();
        self.known.lock().unwrap().push(Arc::downgrade(&new));
        held.push(new);
    }

    pub fn release(&self) -> usize {
        let mut held = self.held.lock().unwrap();
        held.pop();
        held.len()
    }

    pub fn alive(&self) -> usize {
        let held = self.held.lock().unwrap();
        let mut known = self.known.lock().unwrap();
        known.retain(|it| it.strong_count() > 0);
        drop(held);
        known.len()
    }
}

thread_local! {
    static CALLS: Cell<u32> = const { Cell::new(0) };
    static SCRATCH: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// `thread_local!`, a buffer of each thread.
#[derive(Debug, Default)]
pub struct Sums(Mutex<u32>);

impl Sums {
    pub fn add_up(&self, n: u32) -> u32 {
        CALLS.set(CALLS.get() + 1);
        let sum = SCRATCH.with_borrow_mut(|scratch| {
            scratch.clear();
            scratch.extend([n, 1, 2]);
            scratch.iter().sum::<u32>()
        });
        *self.0.lock().unwrap() += sum;
        sum
    }

    pub fn total(&self) -> u32 {
        *self.0.lock().unwrap()
    }
}

/// `thread::scope`, work of a call in two threads.
#[derive(Debug, Default)]
pub struct Halves(Mutex<u32>);

impl Halves {
    pub fn add_in_halves(&self, n: u32) -> u32 {
        let half = n / 2;
        let sum = thread::scope(|scope| {
            let left = scope.spawn(move || half);
            let right = scope.spawn(move || n - half);
            left.join().unwrap() + right.join().unwrap()
        });
        *self.0.lock().unwrap() += sum;
        sum
    }

    pub fn sum(&self) -> u32 {
        *self.0.lock().unwrap()
    }
}

/// Two locks, always in one order.
#[derive(Debug, Default)]
pub struct Pair {
    left: Mutex<u32>,
    right: Mutex<u32>,
}

impl Pair {
    fn both(&self) -> (MutexGuard<'_, u32>, MutexGuard<'_, u32>) {
        let left = self.left.lock().unwrap();
        (left, self.right.lock().unwrap())
    }

    pub fn move_right(&self) -> bool {
        let (mut left, mut right) = self.both();
        let moves = *left > 0;
        if moves {
            *left -= 1;
            *right += 1;
        }
        moves
    }

    pub fn add_left(&self) {
        *self.left.lock().unwrap() += 1;
    }

    pub fn sum(&self) -> u32 {
        let (left, right) = self.both();
        *left + *right
    }
}

/// A permit that is given back when it is dropped.
#[derive(Debug)]
pub struct Permits {
    free: Mutex<u32>,
}

impl Default for Permits {
    fn default() -> Self {
        Self {
            free: Mutex::new(2),
        }
    }
}

impl Permits {
    pub fn try_acquire(&self) -> Option<Permit<'_>> {
        let mut free = self.free.lock().unwrap();
        if *free == 0 {
            return None;
        }
        *free -= 1;
        Some(Permit(self))
    }

    pub fn free(&self) -> u32 {
        *self.free.lock().unwrap()
    }
}

/// One of [`Permits`].
#[derive(Debug)]
pub struct Permit<'a>(&'a Permits);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap() += 1;
    }
}
