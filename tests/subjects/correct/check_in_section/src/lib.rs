//! Check and change under one lock.

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

    /// Takes a seat if one is free.
    pub fn take(&self) -> bool {
        let mut free = self.free.lock().unwrap();
        if *free == 0 {
            return false;
        }
        *free -= 1;
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
