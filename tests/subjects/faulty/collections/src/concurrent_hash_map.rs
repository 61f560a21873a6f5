//! `java.util.concurrent.ConcurrentHashMap` of JDK 1.6 (PCR, V6, "atomicity"): segments with a lock each. What the paper
//! calls the fault is not described there; here `is_empty` and `contains_value` look at the segments once, without the
//! second look by which the original notices that something changed between two segments.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

const SEGMENTS: usize = 2;

#[derive(Debug, Default)]
struct Segment {
    entries: BTreeMap<u32, u32>,
}

/// A map in segments.
#[derive(Debug, Default)]
pub struct ConcurrentHashMap {
    segments: [Mutex<Segment>; SEGMENTS],
}

impl ConcurrentHashMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    fn enter(&self, index: usize) -> MutexGuard<'_, Segment> {
        self.segments[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, key: u32) -> MutexGuard<'_, Segment> {
        self.enter(key as usize % SEGMENTS)
    }

    /// All segments at once, in order.
    fn all(&self) -> Vec<MutexGuard<'_, Segment>> {
        (0..SEGMENTS).map(|index| self.enter(index)).collect()
    }

    /// True if there is no entry. The fault: one segment after the other.
    pub fn is_empty(&self) -> bool {
        (0..SEGMENTS).all(|index| self.enter(index).entries.is_empty())
    }

    /// Number of entries.
    pub fn size(&self) -> usize {
        self.all().iter().map(|segment| segment.entries.len()).sum()
    }

    /// The value of a key.
    pub fn get(&self, key: u32) -> Option<u32> {
        self.of(key).entries.get(&key).copied()
    }

    /// True if the key has a value.
    pub fn contains_key(&self, key: u32) -> bool {
        self.of(key).entries.contains_key(&key)
    }

    /// True if a key has this value. The fault: as in `is_empty`.
    pub fn contains_value(&self, value: u32) -> bool {
        (0..SEGMENTS).any(|index| self.enter(index).entries.values().any(|own| *own == value))
    }

    /// The same under its older name.
    pub fn contains(&self, value: u32) -> bool {
        self.contains_value(value)
    }

    /// Sets the value of a key.
    pub fn put(&self, key: u32, value: u32) -> Option<u32> {
        self.of(key).entries.insert(key, value)
    }

    /// Sets the value of a key that has none; else returns its value.
    pub fn put_if_absent(&self, key: u32, value: u32) -> Option<u32> {
        let mut segment = self.of(key);
        let before = segment.entries.get(&key).copied();
        segment.entries.entry(key).or_insert(value);
        before
    }

    /// Removes a key.
    pub fn remove(&self, key: u32) -> Option<u32> {
        self.of(key).entries.remove(&key)
    }

    /// Removes a key that has this value.
    pub fn remove_entry(&self, key: u32, value: u32) -> bool {
        let mut segment = self.of(key);
        let found = segment.entries.get(&key) == Some(&value);
        if found {
            segment.entries.remove(&key);
        }
        found
    }

    /// Replaces the value of a key that has one.
    pub fn replace(&self, key: u32, value: u32) -> Option<u32> {
        let mut segment = self.of(key);
        segment
            .entries
            .get_mut(&key)
            .map(|own| std::mem::replace(own, value))
    }

    /// Replaces one value of a key by another one.
    pub fn replace_value(&self, key: u32, old: u32, new: u32) -> bool {
        let mut segment = self.of(key);
        match segment.entries.get_mut(&key) {
            Some(own) if *own == old => {
                *own = new;
                true
            }
            _ => false,
        }
    }

    /// Removes all keys.
    pub fn clear(&self) {
        for mut segment in self.all() {
            segment.entries.clear();
        }
    }

    /// The keys, sorted.
    pub fn keys(&self) -> Vec<u32> {
        self.entry_set().iter().map(|(key, _)| *key).collect()
    }

    /// The values, by their keys.
    pub fn values(&self) -> Vec<u32> {
        self.entry_set().iter().map(|(_, value)| *value).collect()
    }

    /// Keys with their values, sorted.
    pub fn entry_set(&self) -> Vec<(u32, u32)> {
        let mut all: Vec<(u32, u32)> = Vec::new();
        for segment in self.all() {
            all.extend(segment.entries.iter().map(|(key, value)| (*key, *value)));
        }
        all.sort_unstable();
        all
    }

    /// Sets several values at once.
    pub fn put_all(&self, entries: &[(u32, u32)]) {
        let mut all = self.all();
        for (key, value) in entries {
            all[*key as usize % SEGMENTS].entries.insert(*key, *value);
        }
    }

    /// A number that is the same for equal maps.
    pub fn hash_code(&self) -> u32 {
        let hash = |hash: u32, (key, value): &(u32, u32)| hash.wrapping_add(key ^ value);
        self.entry_set().iter().fold(0, hash)
    }
}
