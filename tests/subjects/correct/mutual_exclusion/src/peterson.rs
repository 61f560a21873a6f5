//! Peterson's algorithm (1981), with an exchange in place of sequentially consistent stores.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;

#[derive(Debug, Default)]
struct Peterson {
    wants: [AtomicBool; 2],
    turn: AtomicUsize,
    value: UnsafeCell<u64>,
}

// SAFETY: the value is used only by the thread that is inside.
unsafe impl Sync for Peterson {}

impl Peterson {
    /// Adds one to the value, alone.
    fn add(&self, own: usize) -> u64 {
        self.wants[own].store(true, Ordering::Relaxed);
        self.turn.swap(1 - own, Ordering::AcqRel);
        while self.wants[1 - own].load(Ordering::Acquire)
            && self.turn.load(Ordering::Acquire) != own
        {
            std::hint::spin_loop();
        }
        // SAFETY: alone.
        let value = unsafe {
            *self.value.get() += 1;
            *self.value.get()
        };
        self.wants[own].store(false, Ordering::Release);
        value
    }
}

/// One of the two.
#[derive(Debug)]
pub struct PetersonLeft(Arc<Peterson>);

/// The other one.
#[derive(Debug)]
pub struct PetersonRight(Arc<Peterson>);

/// A value for two.
pub fn peterson() -> (PetersonLeft, PetersonRight) {
    let shared = Arc::new(Peterson::default());
    (PetersonLeft(shared.clone()), PetersonRight(shared))
}

impl PetersonLeft {
    pub fn add(&mut self) -> u64 {
        self.0.add(0)
    }
}

impl PetersonRight {
    pub fn add(&mut self) -> u64 {
        self.0.add(1)
    }
}
