use std::collections::BTreeMap;
use std::sync::Mutex;

/// Gives every key a number, once. It looks, unlocks, and then acts on what it saw.
#[derive(Debug, Default)]
pub struct Numbers {
    known: Mutex<BTreeMap<u32, u32>>,
}

impl Numbers {
    /// No number given yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of this key, a new one if it has none.
    pub fn number(&self, key: u32) -> u32 {
        let next = self.known.lock().unwrap().len() as u32;
        *self.known.lock().unwrap().entry(key).or_insert(next)
    }

    /// Forgets the number of this key.
    pub fn forget(&self, key: u32) -> Option<u32> {
        self.known.lock().unwrap().remove(&key)
    }
}
