//! A table that can be compared with another one.

use std::collections::BTreeMap;
use std::sync::Mutex;

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
        let mine = self.table.lock().unwrap();
        if other.size() != mine.len() {
            return false;
        }
        for (key, value) in mine.iter() {
            if other.get(*key) != Some(*value) {
                return false;
            }
        }
        true
    }
}
