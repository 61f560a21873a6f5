//! A handle that knows how many there are.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug)]
pub struct Handle(Arc<AtomicUsize>);

impl Handle {
    pub fn new() -> Self {
        Self(Arc::new(AtomicUsize::new(1)))
    }

    pub fn handles(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    pub fn is_the_only_one(&self) -> bool {
        self.handles() == 1
    }
}

impl Clone for Handle {
    fn clone(&self) -> Self {
        self.0.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(&self.0))
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
