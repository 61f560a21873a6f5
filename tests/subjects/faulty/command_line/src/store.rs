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
        let used = self.used.load(SeqCst);
        if used + n > self.limit {
            return false;
        }
        self.used.store(used + n, SeqCst);
        true
    }

    pub(crate) fn used(&self) -> u32 {
        self.used.load(SeqCst)
    }
}
