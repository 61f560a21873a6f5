//! A cache that looks and acts under one lock.

use std::collections::HashMap;
use std::sync::Mutex;

/// Gives every key a number, once.
#[derive(Debug, Default)]
pub struct Numbers {
    known: Mutex<HashMap<u32, u32>>,
}

impl Numbers {
    /// No number given yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of this key, a new one if it has none.
    pub fn number(&self, key: u32) -> u32 {
        let mut known = self.known.lock().unwrap();
        let next = known.len() as u32 + 1;
        *known.entry(key).or_insert(next)
    }
}
