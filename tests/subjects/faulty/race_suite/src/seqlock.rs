//! A race on purpose: what is read is thrown away if a writer was there. It is a data race by the rules of the language all the same.

use std::sync::atomic::{fence, AtomicUsize, Ordering};

use crate::Place;

/// A version that is odd while a writer is there.
#[derive(Default)]
pub struct SeqLock {
    version: AtomicUsize,
    value: Place<[u64; 2]>,
}

impl SeqLock {
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets both halves.
    pub fn set(&self) {
        let version = loop {
            let version = self.version.load(Ordering::Relaxed);
            let taken = self.version.compare_exchange_weak(
                version & !1,
                (version & !1) + 1,
                Ordering::Acquire,
                Ordering::Relaxed,
            );
            if taken.is_ok() {
                break version & !1;
            }
            std::hint::spin_loop();
        };
        fence(Ordering::Release);
        unsafe { self.value.at().write_volatile([7, 7]) }; // data-race: SeqLock
        self.version.store(version + 2, Ordering::Release);
    }

    /// True if both halves are of one writer.
    pub fn is_whole(&self) -> bool {
        loop {
            let before = self.version.load(Ordering::Acquire);
            let value = unsafe { self.value.at().read_volatile() }; // data-race: SeqLock
            fence(Ordering::Acquire);
            if before & 1 == 0 && self.version.load(Ordering::Relaxed) == before {
                return value[0] == value[1];
            }
            std::hint::spin_loop();
        }
    }
}
