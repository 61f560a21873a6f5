//! Types whose calls depend on chance, each with a line that is wrong.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A throw may be lost.
#[derive(Default)]
pub struct Dice {
    thrown: AtomicU64,
}

impl Dice {
    pub fn throw(&self) -> u64 {
        let thrown = self.thrown.load(SeqCst);
        self.thrown.store(thrown + 1, SeqCst);
        random() % 6 + 1
    }

    pub fn thrown(&self) -> u64 {
        self.thrown.load(SeqCst)
    }
}

/// Two may take the same.
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
        let look = |index: usize| self.lists[index].lock().unwrap().last().copied();
        let taken = look(first).map(|n| (first, n));
        let (from, n) = taken.or_else(|| look(1 - first).map(|n| (1 - first, n)))?;
        self.lists[from].lock().unwrap().pop();
        Some(n)
    }

    pub fn len(&self) -> usize {
        let left = self.lists[0].lock().unwrap();
        left.len() + self.lists[1].lock().unwrap().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A name may be lost.
#[derive(Default)]
pub struct Names {
    names: Mutex<HashMap<u32, String>>,
}

impl Names {
    pub fn insert(&self, key: u32) {
        let mut names = self.names.lock().unwrap().clone();
        names.insert(key, format!("name {key}"));
        *self.names.lock().unwrap() = names;
    }

    pub fn keys(&self) -> Vec<u32> {
        self.names.lock().unwrap().keys().copied().collect()
    }
}

static NEXT: AtomicU64 = AtomicU64::new(0);

/// Two may have the same number.
#[derive(Debug, Default)]
pub struct Sessions {
    open: Mutex<Vec<u64>>,
}

impl Sessions {
    pub fn open(&self) -> u64 {
        let id = NEXT.load(SeqCst);
        NEXT.store(id + 1, SeqCst);
        self.open.lock().unwrap().push(id);
        id
    }
}

/// A mark may be lost.
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
        let count = self.count.load(SeqCst);
        self.count.store(count + 1, SeqCst);
    }

    pub fn count(&self) -> u64 {
        self.count.load(SeqCst)
    }

    /// The count, and how many that are in a second.
    pub fn rate(&self) -> (u64, f64) {
        let count = self.count.load(SeqCst);
        (count, count as f64 / self.began.elapsed().as_secs_f64())
    }
}

/// Two may take the same.
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
        let empty = |items: &mut Vec<u32>| items.is_empty();
        let wait = self.changed.wait_timeout_while(items, limit, empty);
        let last = wait.unwrap().0.last().copied();
        let mut items = self.items.lock().unwrap();
        items.pop();
        last
    }
}
