//! A gate that counts, in a thread-local, how deep the calling thread is inside.

use std::cell::Cell;
use std::sync::Mutex;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

std::thread_local!(static ENTRIES: Cell<u32> = Cell::new(0));

/// A gate.
#[derive(Debug, Default)]
pub struct Gate {
    total: Mutex<u32>,
}

impl Gate {
    /// A gate that no thread has entered.
    pub fn new() -> Self {
        Self::default()
    }

    /// How deep the calling thread is inside: always 1.
    pub fn enter(&self) -> u32 {
        DEPTH.with(|depth| depth.set(depth.get() + 1));
        ENTRIES.with(|entries| entries.set(entries.get() + 1));
        *self.total.lock().unwrap() += 1;
        let deep = DEPTH.with(Cell::get).max(ENTRIES.with(Cell::get));
        DEPTH.with(|depth| depth.set(depth.get() - 1));
        ENTRIES.with(|entries| entries.set(entries.get() - 1));
        deep
    }
}
