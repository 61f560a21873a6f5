//! Dekker's algorithm (Dijkstra 1965).

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;

#[derive(Debug, Default)]
struct Dekker {
    wants: [AtomicBool; 2],
    turn: AtomicUsize,
    value: UnsafeCell<u64>,
}

// SAFETY: the value is used only by the thread that is inside.
unsafe impl Sync for Dekker {}

impl Dekker {
    /// Adds one to the value, alone. The bug: the first look may come before the other one sees who wants to enter.
    fn add(&self, own: usize) -> u64 {
        self.wants[own].store(true, Ordering::Release);
        while self.wants[1 - own].load(Ordering::SeqCst) {
            if self.turn.load(Ordering::Acquire) != own {
                self.wants[own].store(false, Ordering::Release);
                while self.turn.load(Ordering::Acquire) != own {
                    std::hint::spin_loop();
                }
                self.wants[own].store(true, Ordering::SeqCst);
            }
        }
        // SAFETY: not alone.
        let value = unsafe {
            *self.value.get() += 1;
            *self.value.get()
        };
        self.turn.store(1 - own, Ordering::Release);
        self.wants[own].store(false, Ordering::Release);
        value
    }
}

/// One of the two.
#[derive(Debug)]
pub struct DekkerLeft(Arc<Dekker>);

/// The other one.
#[derive(Debug)]
pub struct DekkerRight(Arc<Dekker>);

/// A value for two.
pub fn dekker() -> (DekkerLeft, DekkerRight) {
    let shared = Arc::new(Dekker::default());
    (DekkerLeft(shared.clone()), DekkerRight(shared))
}

impl DekkerLeft {
    pub fn add(&mut self) -> u64 {
        self.0.add(0)
    }
}

impl DekkerRight {
    pub fn add(&mut self) -> u64 {
        self.0.add(1)
    }
}
