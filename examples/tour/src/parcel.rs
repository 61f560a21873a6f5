use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A weight that one thread hands to another.
#[derive(Debug, Default)]
pub struct Parcel {
    weight: AtomicU32,
    ready: AtomicBool,
}

impl Parcel {
    /// Not ready.
    pub fn new() -> Self {
        Self::default()
    }

    /// Hands over a parcel of seven pounds.
    pub fn put(&self) {
        self.weight.store(7, Ordering::Relaxed);
        self.ready.store(true, Ordering::Relaxed);
    }

    /// Its weight, if it is ready.
    pub fn weigh(&self) -> Option<u32> {
        let ready = self.ready.load(Ordering::Acquire);
        ready.then(|| self.weight.load(Ordering::Relaxed))
    }
}
