//! `AbstractMultimap.AsMap` of Google Collections 1.0 (AutoConTest, Table 1): the view of a synchronized multimap as a
//! map from keys to collections.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A multimap, seen as a map.
#[derive(Debug, Default)]
pub struct AsMap {
    mutex: Mutex<()>,
    entries: Mutex<BTreeMap<u32, Vec<u32>>>,
    /// Changes of the structure, for iterators that fail fast.
    changes: AtomicU64,
}

impl AsMap {
    /// The view of an empty multimap.
    pub fn new() -> Self {
        Self::default()
    }

    fn enter(&self) -> MutexGuard<'_, ()> {
        self.mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entries(&self) -> MutexGuard<'_, BTreeMap<u32, Vec<u32>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) {
        self.changes.fetch_add(1, SeqCst);
    }

    /// The collections one after the other, as an iterator of the JDK gives them.
    ///
    /// # Panics
    /// If the structure changes meanwhile.
    fn iterate(&self, mut see: impl FnMut(u32, &[u32])) {
        let expected = self.changes.load(SeqCst);
        let mut last = None;
        loop {
            let next = {
                let entries = self.entries();
                let mut after = entries.iter().filter(|(key, _)| Some(**key) > last);
                after.next().map(|(key, values)| (*key, values.clone()))
            };
            let Some((key, values)) = next else { return };
            assert_eq!(
                self.changes.load(SeqCst),
                expected,
                "concurrent modification"
            );
            see(key, &values);
            last = Some(key);
        }
    }

    /// Adds a value to the collection of a key, through the multimap.
    pub fn put(&self, key: u32, value: u32) {
        let _entered = self.enter();
        self.entries().entry(key).or_default().push(value);
        self.changed();
    }

    /// The collection of a key.
    pub fn get(&self, key: u32) -> Option<Vec<u32>> {
        let _entered = self.enter();
        self.entries().get(&key).cloned()
    }

    /// True if the key has a collection.
    pub fn contains_key(&self, key: u32) -> bool {
        let _entered = self.enter();
        self.entries().contains_key(&key)
    }

    /// True if a key has exactly this collection.
    pub fn contains_value(&self, values: &[u32]) -> bool {
        let _entered = self.enter();
        let mut found = false;
        self.iterate(|_, own| found |= own == values);
        found
    }

    /// Removes a key with its collection.
    pub fn remove(&self, key: u32) -> Option<Vec<u32>> {
        let _entered = self.enter();
        let removed = self.entries().remove(&key);
        if removed.is_some() {
            self.changed();
        }
        removed
    }

    /// Removes one value of a key; false if it is not there.
    pub fn remove_value(&self, key: u32, value: u32) -> bool {
        let _entered = self.enter();
        let mut entries = self.entries();
        let Some(values) = entries.get_mut(&key) else {
            return false;
        };
        let Some(at) = values.iter().position(|own| *own == value) else {
            return false;
        };
        values.remove(at);
        if values.is_empty() {
            entries.remove(&key);
        }
        self.changed();
        true
    }

    /// The keys.
    pub fn key_set(&self) -> Vec<u32> {
        let _entered = self.enter();
        self.entries().keys().copied().collect()
    }

    /// The collections.
    pub fn values(&self) -> Vec<Vec<u32>> {
        let _entered = self.enter();
        self.entries().values().cloned().collect()
    }

    /// Keys with their collections.
    pub fn entry_set(&self) -> Vec<(u32, Vec<u32>)> {
        let _entered = self.enter();
        let mut all = Vec::new();
        self.iterate(|key, values| all.push((key, values.to_vec())));
        all
    }

    /// Number of keys.
    pub fn size(&self) -> usize {
        let _entered = self.enter();
        self.entries().len()
    }

    /// True if there is no key.
    pub fn is_empty(&self) -> bool {
        let _entered = self.enter();
        self.entries().is_empty()
    }

    /// Removes all keys.
    pub fn clear(&self) {
        let _entered = self.enter();
        self.entries().clear();
        self.changed();
    }

    /// True if the entries are these.
    pub fn equals(&self, entries: &[(u32, Vec<u32>)]) -> bool {
        self.entry_set() == entries
    }

    /// A number that is the same for equal maps.
    pub fn hash_code(&self) -> u32 {
        let _entered = self.enter();
        let mut hash = 0_u32;
        self.iterate(|key, values| {
            let of_values = values.iter().fold(1_u32, |hash, value| {
                hash.wrapping_mul(31).wrapping_add(*value)
            });
            hash = hash.wrapping_add(key ^ of_values);
        });
        hash
    }

    /// The entries as text.
    pub fn text(&self) -> String {
        format!("{:?}", self.entry_set())
    }
}
