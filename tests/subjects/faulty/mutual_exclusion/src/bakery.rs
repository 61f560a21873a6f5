//! Lamport's bakery (1974), for two.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;

#[derive(Debug, Default)]
struct Bakery {
    choosing: [AtomicBool; 2],
    numbers: [AtomicUsize; 2],
    value: UnsafeCell<u64>,
}

// SAFETY: the value is used only by the thread that is inside.
unsafe impl Sync for Bakery {}

impl Bakery {
    /// Adds one to the value, alone. The bug: the number may be seen after the look at the other one's.
    fn add(&self, own: usize) -> u64 {
        let other = 1 - own;
        self.choosing[own].store(true, Ordering::SeqCst);
        let mine = self.numbers[other].load(Ordering::SeqCst) + 1;
        self.numbers[own].store(mine, Ordering::Release);
        self.choosing[own].store(false, Ordering::Release);
        while self.choosing[other].load(Ordering::SeqCst) {
            std::hint::spin_loop();
        }
        loop {
            let theirs = self.numbers[other].load(Ordering::SeqCst);
            if theirs == 0 || (mine, own) < (theirs, other) {
                break;
            }
            std::hint::spin_loop();
        }
        // SAFETY: not alone.
        let value = unsafe {
            *self.value.get() += 1;
            *self.value.get()
        };
        self.numbers[own].store(0, Ordering::Release);
        value
    }
}

/// One of the two.
#[derive(Debug)]
pub struct BakeryLeft(Arc<Bakery>);

/// The other one.
#[derive(Debug)]
pub struct BakeryRight(Arc<Bakery>);

/// A value for two.
pub fn bakery() -> (BakeryLeft, BakeryRight) {
    let shared = Arc::new(Bakery::default());
    (BakeryLeft(shared.clone()), BakeryRight(shared))
}

impl BakeryLeft {
    pub fn add(&mut self) -> u64 {
        self.0.add(0)
    }
}

impl BakeryRight {
    pub fn add(&mut self) -> u64 {
        self.0.add(1)
    }
}
