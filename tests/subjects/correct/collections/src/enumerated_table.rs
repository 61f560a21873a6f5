//! `java.util.Hashtable` of JDK 1.6.0 (PCR, V7, "data race"), mended: what runs over the entries holds the lock.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A table from numbers to numbers.
#[derive(Debug, Default)]
pub struct EnumeratedTable {
    table: Mutex<BTreeMap<u32, u32>>,
    /// Written under the lock, read without it.
    count: AtomicUsize,
}

impl EnumeratedTable {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    fn enter(&self) -> MutexGuard<'_, BTreeMap<u32, u32>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn counted(&self, table: &BTreeMap<u32, u32>) {
        self.count.store(table.len(), SeqCst);
    }

    /// Number of entries.
    pub fn size(&self) -> usize {
        self.count.load(SeqCst)
    }

    /// True if there is no entry.
    pub fn is_empty(&self) -> bool {
        self.count.load(SeqCst) == 0
    }

    /// The value of a key.
    pub fn get(&self, key: u32) -> Option<u32> {
        self.enter().get(&key).copied()
    }

    /// Sets the value of a key.
    pub fn put(&self, key: u32, value: u32) -> Option<u32> {
        let mut table = self.enter();
        let before = table.insert(key, value);
        self.counted(&table);
        before
    }

    /// Sets several values at once.
    pub fn put_all(&self, entries: &[(u32, u32)]) {
        let mut table = self.enter();
        table.extend(entries.iter().copied());
        self.counted(&table);
    }

    /// Removes a key.
    pub fn remove(&self, key: u32) -> Option<u32> {
        let mut table = self.enter();
        let removed = table.remove(&key);
        self.counted(&table);
        removed
    }

    /// Removes all keys.
    pub fn clear(&self) {
        let mut table = self.enter();
        table.clear();
        self.counted(&table);
    }

    /// True if a key has this value.
    pub fn contains(&self, value: u32) -> bool {
        self.enter().values().any(|own| *own == value)
    }

    /// The same under its newer name.
    pub fn contains_value(&self, value: u32) -> bool {
        self.contains(value)
    }

    /// True if the key has a value.
    pub fn contains_key(&self, key: u32) -> bool {
        self.enter().contains_key(&key)
    }

    /// The keys.
    pub fn keys(&self) -> Vec<u32> {
        self.enter().keys().copied().collect()
    }

    /// The values.
    pub fn elements(&self) -> Vec<u32> {
        self.enter().values().copied().collect()
    }

    /// The keys at one time.
    pub fn key_set(&self) -> Vec<u32> {
        self.enter().keys().copied().collect()
    }

    /// The values at one time.
    pub fn values(&self) -> Vec<u32> {
        self.enter().values().copied().collect()
    }

    /// The entries at one time.
    pub fn entry_set(&self) -> Vec<(u32, u32)> {
        let table = self.enter();
        table.iter().map(|(key, value)| (*key, *value)).collect()
    }

    /// True if the entries are these.
    pub fn equals(&self, entries: &[(u32, u32)]) -> bool {
        self.entry_set() == entries
    }

    /// A number that is the same for equal tables.
    pub fn hash_code(&self) -> u32 {
        let table = self.enter();
        table
            .iter()
            .fold(0, |hash, (key, value)| hash.wrapping_add(key ^ value))
    }

    /// The entries as text.
    pub fn text(&self) -> String {
        format!("{:?}", self.enter())
    }

    /// An independent table with the same entries.
    pub fn copy(&self) -> Self {
        let entries = self.enter().clone();
        Self {
            count: AtomicUsize::new(entries.len()),
            table: Mutex::new(entries),
        }
    }
}
