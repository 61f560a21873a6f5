//! A table that can be compared with another one.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

/// A table from numbers to numbers.
#[derive(Debug, Default)]
pub struct Hashtable {
    table: Mutex<BTreeMap<u32, u32>>,
}

impl Hashtable {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Both tables, locked in the order of their addresses.
    fn both<'a>(&'a self, other: &'a Self) -> [MutexGuard<'a, BTreeMap<u32, u32>>; 2] {
        if std::ptr::from_ref(self) < std::ptr::from_ref(other) {
            let mine = self.table.lock().unwrap();
            [mine, other.table.lock().unwrap()]
        } else {
            let others = other.table.lock().unwrap();
            [self.table.lock().unwrap(), others]
        }
    }

    /// Number of entries.
    pub fn size(&self) -> usize {
        self.table.lock().unwrap().len()
    }

    /// The value of a key.
    pub fn get(&self, key: u32) -> Option<u32> {
        self.table.lock().unwrap().get(&key).copied()
    }

    /// Sets the value of a key.
    pub fn put(&self, key: u32, value: u32) -> Option<u32> {
        self.table.lock().unwrap().insert(key, value)
    }

    /// True if both have the same entries.
    pub fn equals(&self, other: &Hashtable) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        let [mine, others] = self.both(other);
        *mine == *others
    }
}
