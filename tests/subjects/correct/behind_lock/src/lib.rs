//! Types for one thread at a time, whose calls do not rely on each other.

use std::cell::Cell;

/// Two slots.
#[derive(Debug)]
pub struct Slots {
    taken: [bool; 2],
}

impl Default for Slots {
    fn default() -> Self {
        Self::new()
    }
}

impl Slots {
    pub fn new() -> Self {
        Self { taken: [false; 2] }
    }

    pub fn n_free(&self) -> usize {
        self.taken.iter().filter(|it| !**it).count()
    }

    pub fn take_free(&mut self) -> bool {
        let free = self.taken.iter_mut().find(|it| !**it);
        free.is_some_and(|it| !std::mem::replace(it, true))
    }

    pub fn clear(&mut self) {
        self.taken = [false; 2];
    }
}

/// A level that is not `Sync`.
#[derive(Debug, Default)]
pub struct Level(Cell<u64>);

impl Level {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn get(&self) -> u64 {
        self.0.get()
    }

    pub fn raise(&mut self, by: u32) -> u64 {
        self.0.set(self.0.get() + u64::from(by));
        self.0.get()
    }
}
