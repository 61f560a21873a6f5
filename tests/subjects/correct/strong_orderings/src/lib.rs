//! Orderings that are stronger than they must be.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A value that is published once it is there.
#[derive(Debug, Default)]
pub struct Published {
    value: AtomicU64,
    ready: AtomicBool,
}

impl Published {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn publish(&self) {
        self.value.store(7, Ordering::SeqCst);
        self.ready.store(true, Ordering::SeqCst);
    }

    pub fn get(&self) -> Option<u64> {
        let ready = self.ready.load(Ordering::SeqCst);
        ready.then(|| self.value.load(Ordering::SeqCst))
    }
}
