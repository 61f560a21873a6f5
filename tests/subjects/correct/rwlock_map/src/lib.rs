//! A map behind a reader-writer lock.

use std::collections::BTreeMap;
use std::sync::RwLock;

/// A map from names to numbers.
#[derive(Debug, Default)]
pub struct Directory {
    entries: RwLock<BTreeMap<String, u32>>,
}

impl Directory {
    /// An empty directory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an entry and gives back the one it replaces.
    pub fn insert(&self, name: &str, number: u32) -> Option<u32> {
        self.entries
            .write()
            .unwrap()
            .insert(name.to_string(), number)
    }

    /// Removes an entry.
    pub fn remove(&self, name: &str) -> Option<u32> {
        self.entries.write().unwrap().remove(name)
    }

    /// Looks an entry up.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.entries.read().unwrap().get(name).copied()
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.read().unwrap().len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
