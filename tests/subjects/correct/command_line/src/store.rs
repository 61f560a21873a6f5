use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) struct Store {
    limit: u32,
    used: AtomicU32,
}

impl Store {
    pub(crate) fn new(limit: u32) -> Self {
        let used = AtomicU32::new(0);
        Self { limit, used }
    }

    pub(crate) fn reserve(&self, n: u32) -> bool {
        let reserved = |used: u32| (used + n <= self.limit).then_some(used + n);
        self.used.fetch_update(SeqCst, SeqCst, reserved).is_ok()
    }

    pub(crate) fn used(&self) -> u32 {
        self.used.load(SeqCst)
    }
}
