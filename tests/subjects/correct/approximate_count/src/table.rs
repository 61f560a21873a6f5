//! A table whose capacity grows by and by.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// A table that grows when it has nothing better to do.
#[derive(Default)]
pub struct Table {
    wanted: AtomicUsize,
    slots: Mutex<Vec<Option<u32>>>,
}

impl Table {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for more values. The room may not be there at once if the table is in use, however eventually
    /// the capacity is what was reserved.
    pub fn reserve(&self, additional: u8) {
        self.wanted.fetch_add(usize::from(additional), SeqCst);
        if let Ok(mut slots) = self.slots.try_lock() {
            let wanted = self.wanted.load(SeqCst).max(slots.len());
            slots.resize(wanted, None);
        }
    }

    /// Puts a value into the first free slot; makes one if all are taken.
    pub fn insert(&self, value: u32) {
        let mut slots = self.slots.lock().unwrap();
        match slots.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => *slot = Some(value),
            None => slots.push(Some(value)),
        }
    }

    /// The number of slots.
    pub fn capacity(&self) -> usize {
        self.slots.lock().unwrap().len()
    }
}
