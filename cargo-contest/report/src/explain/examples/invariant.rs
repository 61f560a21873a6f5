//! An annotated type, with a method that must always return true.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[contest::shared]
#[derive(Debug, Default)]
pub struct Tickets {
    sold: AtomicU32,
}

#[contest::operations]
impl Tickets {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn buy(&self) -> bool {
        if self.sold.load(SeqCst) == 1 {
            return false;
        }
        // Fix: `compare_exchange(0, 1, …)` in place of `load` and `fetch_add`.
        self.sold.fetch_add(1, SeqCst);
        true
    }

    #[contest(invariant)]
    pub fn not_oversold(&self) -> bool {
        self.sold.load(SeqCst) <= 1
    }
}
