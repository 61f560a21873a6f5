//! A cache that computes what it has not, and each value once.

#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

/// Values by name.
#[contest::shared]
#[derive(Debug, Default)]
pub struct Cache {
    entries: RwLock<HashMap<u32, Arc<OnceLock<u64>>>>,
    computed: AtomicU64,
}

#[contest::operations]
impl Cache {
    /// Nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of `key`; `compute` is called if there is none. Other threads that look up the same key meanwhile wait
    /// for it.
    #[contest(values(compute = [|| 5, || 7]))]
    pub fn get_or_compute(&self, key: u32, compute: impl FnOnce() -> u64) -> u64 {
        let known = self.entries.read().unwrap().get(&key).cloned();
        let entry = known.unwrap_or_else(|| {
            let mut entries = self.entries.write().unwrap();
            Arc::clone(entries.entry(key).or_default())
        });
        *entry.get_or_init(|| {
            self.computed.fetch_add(1, Ordering::Relaxed);
            compute()
        })
    }

    /// The value of `key`, if it is there.
    pub fn get(&self, key: u32) -> Option<u64> {
        let entries = self.entries.read().unwrap();
        entries.get(&key).and_then(|entry| entry.get().copied())
    }

    /// Forgets the value of `key`.
    pub fn forget(&self, key: u32) -> bool {
        self.entries.write().unwrap().remove(&key).is_some()
    }

    /// How many values were computed. Meanwhile others may compute more: nothing to rely on.
    #[contest(weak)]
    pub fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }
}

/// The same with a mistake: it looks, and later puts in, and another may have done so in between.
#[contest::shared]
#[derive(Debug, Default)]
pub struct HastyCache {
    entries: Mutex<HashMap<u32, u64>>,
}

#[contest::operations]
impl HastyCache {
    /// Nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of `key`; `compute` is called if there is none.
    #[contest(values(compute = [|| 5, || 7]))]
    pub fn get_or_compute(&self, key: u32, compute: impl FnOnce() -> u64) -> u64 {
        if let Some(value) = self.entries.lock().unwrap().get(&key) {
            return *value;
        }
        let value = compute();
        self.entries.lock().unwrap().insert(key, value);
        value
    }

    /// The value of `key`, if it is there.
    pub fn get(&self, key: u32) -> Option<u64> {
        self.entries.lock().unwrap().get(&key).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // An ordinary test: outside of a check the types behave as those of `std`.
    #[test]
    fn a_value_is_computed_once() {
        let cache = Cache::new();
        assert_eq!(cache.get_or_compute(1, || 10), 10);
        assert_eq!(cache.get_or_compute(1, || 20), 10);
        assert_eq!((cache.get(1), cache.computed()), (Some(10), 1));
        assert!(cache.forget(1) && !cache.forget(1));
    }
}
