//! Sound types whose calls depend on chance: on random numbers, keys of hashers, the clock, addresses, ids.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A random number of 64 bits.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Each call draws.
#[derive(Default)]
pub struct Dice {
    thrown: AtomicU64,
}

impl Dice {
    pub fn throw(&self) -> u64 {
        self.thrown.fetch_add(1, SeqCst);
        random() % 6 + 1
    }

    pub fn thrown(&self) -> u64 {
        self.thrown.load(SeqCst)
    }
}

/// Takes from any list that has something.
#[derive(Default)]
pub struct AnyOf {
    lists: [Mutex<Vec<u32>>; 2],
}

impl AnyOf {
    pub fn put_left(&self, n: u32) {
        self.lists[0].lock().unwrap().push(n);
    }

    pub fn put_right(&self, n: u32) {
        self.lists[1].lock().unwrap().push(n);
    }

    pub fn take(&self) -> Option<u32> {
        let first = (random() % 2) as usize;
        let mut left = self.lists[0].lock().unwrap();
        let mut right = self.lists[1].lock().unwrap();
        if first == 0 {
            left.pop().or_else(|| right.pop())
        } else {
            right.pop().or_else(|| left.pop())
        }
    }
}

/// The same, and each thread has a generator of its own, which is not seeded by chance.
#[derive(Default)]
pub struct AnyInTurn {
    lists: [Mutex<Vec<u32>>; 2],
}

thread_local! {
    static TURN: std::cell::Cell<u32> = const { std::cell::Cell::new(1_406_868_647) };
}

impl AnyInTurn {
    pub fn put_left(&self, n: u32) {
        self.lists[0].lock().unwrap().push(n);
    }

    pub fn put_right(&self, n: u32) {
        self.lists[1].lock().unwrap().push(n);
    }

    /// Looks at one list after the other, in an order that changes.
    pub fn take(&self) -> Option<u32> {
        let mut n = TURN.get();
        n ^= n << 13;
        n ^= n >> 17;
        n ^= n << 5;
        TURN.set(n);
        let first = (n % 2) as usize;
        if let Some(found) = self.lists[first].lock().unwrap().pop() {
            return Some(found);
        }
        let mut left = self.lists[0].lock().unwrap();
        let mut right = self.lists[1].lock().unwrap();
        if first == 0 {
            right.pop().or_else(|| left.pop())
        } else {
            left.pop().or_else(|| right.pop())
        }
    }
}

/// What is in a map, in the order of the map.
#[derive(Default)]
pub struct Names {
    names: Mutex<HashMap<u32, String>>,
}

impl Names {
    pub fn insert(&self, key: u32) -> Option<String> {
        self.names
            .lock()
            .unwrap()
            .insert(key, format!("name {key}"))
    }

    pub fn remove(&self, key: u32) -> Option<String> {
        self.names.lock().unwrap().remove(&key)
    }

    pub fn keys(&self) -> Vec<u32> {
        self.names.lock().unwrap().keys().copied().collect()
    }

    pub fn any(&self) -> Option<u32> {
        self.names.lock().unwrap().keys().next().copied()
    }

    pub fn len(&self) -> usize {
        self.names.lock().unwrap().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Identifiers that are random.
#[derive(Default)]
pub struct Sessions {
    open: Mutex<Vec<u64>>,
}

impl Sessions {
    pub fn open(&self) -> u64 {
        let id = random();
        self.open.lock().unwrap().push(id);
        id
    }

    pub fn close_one(&self) -> bool {
        self.open.lock().unwrap().pop().is_some()
    }

    pub fn count(&self) -> usize {
        self.open.lock().unwrap().len()
    }
}

/// Identifiers from the device, read by hand.
#[derive(Default)]
pub struct Tokens {
    last: Mutex<[u8; 4]>,
}

impl Tokens {
    pub fn next(&self) -> u32 {
        let mut bytes = [0; 4];
        let mut device = File::open("/dev/urandom").unwrap();
        device.read_exact(&mut bytes).unwrap();
        *self.last.lock().unwrap() = bytes;
        u32::from_le_bytes(bytes)
    }

    pub fn last(&self) -> u32 {
        u32::from_le_bytes(*self.last.lock().unwrap())
    }
}

/// How often something happens.
pub struct Meter {
    began: Instant,
    count: AtomicU64,
}

impl Default for Meter {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            count: AtomicU64::new(0),
        }
    }
}

impl Meter {
    pub fn mark(&self) {
        self.count.fetch_add(1, SeqCst);
    }

    pub fn count(&self) -> u64 {
        self.count.load(SeqCst)
    }

    pub fn per_second(&self) -> f64 {
        self.count.load(SeqCst) as f64 / self.began.elapsed().as_secs_f64()
    }

    pub fn nanoseconds(&self) -> u128 {
        self.began.elapsed().as_nanos()
    }
}

/// The clock is looked at only where something was there before.
#[derive(Default)]
pub struct LastSeen {
    at: Mutex<Option<u64>>,
}

impl LastSeen {
    pub fn see(&self) -> Option<u64> {
        let mut at = self.at.lock().unwrap();
        let now = || {
            SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap()
                .as_nanos() as u64
        };
        let before = at.map(|then| now() - then);
        *at = Some(at.map_or(0, |_| now()));
        before
    }

    pub fn forget(&self) -> bool {
        self.at.lock().unwrap().take().is_some()
    }
}

/// Who has it, as a number.
#[derive(Default)]
pub struct Holder {
    by: Mutex<u64>,
}

impl Holder {
    pub fn take(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        thread::current().id().hash(&mut hasher);
        let id = hasher.finish();
        *self.by.lock().unwrap() = id;
        id
    }

    pub fn is_mine(&self) -> bool {
        let mut hasher = DefaultHasher::new();
        thread::current().id().hash(&mut hasher);
        *self.by.lock().unwrap() == hasher.finish()
    }
}

/// Boxes, and where they are.
#[derive(Default)]
pub struct Places {
    boxes: Mutex<Vec<Box<u32>>>,
}

impl Places {
    pub fn put(&self, n: u32) -> usize {
        let boxed = Box::new(n);
        let address = std::ptr::from_ref(&*boxed).addr();
        self.boxes.lock().unwrap().push(boxed);
        address
    }

    pub fn lowest(&self) -> Option<u32> {
        let boxes = self.boxes.lock().unwrap();
        boxes
            .iter()
            .min_by_key(|it| std::ptr::from_ref(&***it).addr())
            .map(|it| **it)
    }

    pub fn len(&self) -> usize {
        self.boxes.lock().unwrap().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Waits a random time when it meets another one.
#[derive(Default)]
pub struct BackOff {
    taken: std::sync::atomic::AtomicBool,
    count: AtomicU64,
}

impl BackOff {
    pub fn count_up(&self) -> u64 {
        while self.taken.swap(true, SeqCst) {
            thread::sleep(Duration::from_micros(random() % 50 + 1));
        }
        let count = self.count.load(SeqCst) + 1;
        self.count.store(count, SeqCst);
        self.taken.store(false, SeqCst);
        count
    }
}

/// Waits for 20 ms at most.
#[derive(Default)]
pub struct Soon {
    items: Mutex<Vec<u32>>,
    changed: Condvar,
}

impl Soon {
    pub fn put(&self, n: u32) {
        self.items.lock().unwrap().push(n);
        self.changed.notify_all();
    }

    pub fn take(&self) -> Option<u32> {
        let items = self.items.lock().unwrap();
        let limit = Duration::from_millis(20);
        let wait = self
            .changed
            .wait_timeout_while(items, limit, |items| items.is_empty());
        wait.unwrap().0.pop()
    }
}
