//! A check outside the lock, and a panic inside it.

use std::sync::Mutex;

/// Seats that can be taken.
#[derive(Debug)]
pub struct Seats {
    free: Mutex<u32>,
}

impl Seats {
    /// One free seat.
    pub fn new() -> Self {
        Self {
            free: Mutex::new(1),
        }
    }

    /// Takes a seat if one is free. Panics, and poisons the lock, if it went away in between.
    pub fn take(&self) -> bool {
        if self.free() == 0 {
            return false;
        }
        let mut free = self.free.lock().unwrap();
        *free = free.checked_sub(1).expect("a seat was free");
        true
    }

    /// Number of free seats.
    pub fn free(&self) -> u32 {
        *self.free.lock().unwrap()
    }
}

impl Default for Seats {
    fn default() -> Self {
        Self::new()
    }
}
