//! For machines without `std`; brings its own panic handler, so it links with nothing that has one.

#![no_std]

use core::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// A counter.
#[derive(Debug, Default)]
pub struct Counter {
    count: AtomicU32,
}

impl Counter {
    /// Starts at 0.
    pub const fn new() -> Self {
        Self {
            count: AtomicU32::new(0),
        }
    }

    /// Adds one.
    pub fn add(&self) -> u32 {
        self.count.fetch_add(1, SeqCst)
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
