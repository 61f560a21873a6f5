//! Has a type error.

use std::sync::Mutex;

/// Never built.
#[derive(Default)]
pub struct Broken {
    count: Mutex<u32>,
}

impl Broken {
    /// Starts at 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Not a number.
    pub fn count(&self) -> u32 {
        *self.count.lock().unwrap() + "one"
    }
}
