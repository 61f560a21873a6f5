//! A cache with an approximate count, and a table that grows later.

mod table;

pub use table::Table;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// A cache that counts its entries when it has nothing better to do.
#[derive(Default)]
pub struct Cache {
    entries: Mutex<BTreeMap<u32, u32>>,
    counting: Mutex<()>,
    counted: AtomicU64,
}

impl Cache {
    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts an entry in.
    pub fn insert(&self, key: u32, value: u32) {
        self.entries.lock().unwrap().insert(key, value);
        // Whoever counts at this moment may have missed the entry; the next one that counts will not.
        if let Ok(_counting) = self.counting.try_lock() {
            let count = self.entries.lock().unwrap().len() as u64;
            self.counted.store(count, SeqCst);
        }
    }

    /// The value of a key.
    pub fn get(&self, key: u32) -> Option<u32> {
        self.entries.lock().unwrap().get(&key).copied()
    }

    /// Returns an approximate number of entries. It may not reflect entries that were inserted just now.
    pub fn entry_count(&self) -> u64 {
        self.counted.load(SeqCst)
    }
}
