//! A place for the waker of one task.

use std::sync::Mutex;
use std::task::Waker;

/// Keeps a waker.
#[derive(Debug, Default)]
pub struct Place {
    waker: Mutex<Option<Waker>>,
}

impl Place {
    /// An empty place.
    pub fn new() -> Self {
        Self::default()
    }

    /// This waker is woken from now on.
    pub fn register(&self, waker: &Waker) {
        let mut kept = self.waker.lock().unwrap();
        // BUG: that of an earlier poll stays.
        kept.get_or_insert_with(|| waker.clone());
    }

    /// Wakes the task.
    pub fn wake(&self) {
        let kept = self.waker.lock().unwrap().clone();
        if let Some(waker) = kept {
            waker.wake();
        }
    }
}
