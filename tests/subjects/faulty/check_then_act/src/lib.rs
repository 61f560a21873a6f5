//! A cache that looks, unlocks, and then acts on what it saw.

use std::collections::HashMap;
use std::sync::Mutex;

/// Gives every key a number, once.
#[derive(Debug, Default)]
pub struct Numbers {
    known: Mutex<HashMap<u32, u32>>,
    next: Mutex<u32>,
}

impl Numbers {
    /// No number given yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of this key, a new one if it has none.
    pub fn number(&self, key: u32) -> u32 {
        let known = self.known.lock().unwrap().get(&key).copied();
        if let Some(number) = known {
            return number;
        }
        let number = {
            let mut next = self.next.lock().unwrap();
            *next += 1;
            *next
        };
        self.known.lock().unwrap().insert(key, number);
        number
    }
}
