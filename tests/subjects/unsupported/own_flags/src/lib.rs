//! A board with a race and a panic.

use std::cell::UnsafeCell;
use std::sync::Mutex;

/// A board.
#[derive(Default)]
pub struct Board {
    mark: UnsafeCell<u32>,
    rows: Mutex<Vec<u32>>,
}

unsafe impl Sync for Board {}

impl Board {
    /// An empty board.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the mark.
    pub fn set(&self) {
        unsafe { *self.mark.get() = 1 }; // RACE
    }

    /// Adds a row and takes it away.
    pub fn flash(&self) {
        self.rows.lock().unwrap().push(1);
        let row = self.rows.lock().unwrap().pop();
        drop(row);
    }

    /// How many rows there are: none without a call of `flash`.
    pub fn rows(&self) {
        assert_eq!(self.rows.lock().unwrap().len(), 0, "a row");
    }
}
