//! A map behind one lock.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// A map that threads share.
#[derive(Debug, Default)]
pub struct SynchronizedMap {
    map: Mutex<BTreeMap<u32, u32>>,
}

impl SynchronizedMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the value of a key.
    pub fn put(&self, key: u32, value: u32) -> Option<u32> {
        self.map.lock().unwrap().insert(key, value)
    }

    /// The value of a key.
    pub fn get(&self, key: u32) -> Option<u32> {
        self.map.lock().unwrap().get(&key).copied()
    }

    /// All entries.
    pub fn entries(&self) -> Vec<(u32, u32)> {
        let map = self.map.lock().unwrap();
        map.iter().map(|(key, value)| (*key, *value)).collect()
    }

    /// Takes over all entries of another map.
    pub fn put_all(&self, other: &SynchronizedMap) {
        if std::ptr::eq(self, other) {
            return;
        }
        // In the order of their addresses.
        let (mut map, others);
        if std::ptr::from_ref(self) < std::ptr::from_ref(other) {
            map = self.map.lock().unwrap();
            others = other.map.lock().unwrap();
        } else {
            others = other.map.lock().unwrap();
            map = self.map.lock().unwrap();
        }
        map.extend(others.iter().map(|(key, value)| (*key, *value)));
    }
}
