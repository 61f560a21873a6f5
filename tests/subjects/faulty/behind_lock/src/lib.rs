//! Types for one thread at a time, whose calls rely on each other.

use std::cell::Cell;

/// Two slots.
#[derive(Debug)]
pub struct Slots {
    taken: [bool; 2],
}

/// A slot that was free when it was looked for.
#[derive(Debug)]
pub struct Slot(usize);

impl Default for Slots {
    fn default() -> Self {
        Self::new()
    }
}

impl Slots {
    pub fn new() -> Self {
        Self { taken: [false; 2] }
    }

    pub fn free(&self) -> Option<Slot> {
        self.taken.iter().position(|it| !it).map(Slot)
    }

    pub fn take(&mut self, slot: Slot) {
        assert!(!self.taken[slot.0], "the slot is taken");
        self.taken[slot.0] = true;
    }

    pub fn clear(&mut self) {
        self.taken = [false; 2];
    }
}

/// A level that is not `Sync`.
#[derive(Debug, Default)]
pub struct Level(Cell<u32>);

impl Level {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn get(&self) -> u32 {
        self.0.get()
    }

    pub fn set(&mut self, level: u32) {
        self.0.set(level);
    }
}
