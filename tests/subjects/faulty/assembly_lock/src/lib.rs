//! A lock whose instructions are not seen by the compiler.

use std::cell::UnsafeCell;

/// A flag, 0 or 1.
#[derive(Default)]
struct Flag(UnsafeCell<u32>);

#[cfg(target_arch = "x86_64")]
impl Flag {
    fn get(&self) -> u32 {
        let value: u32;
        unsafe { std::arch::asm!("mov {:e}, dword ptr [{}]", out(reg) value, in(reg) self.0.get()) };
        value
    }

    fn set(&self, value: u32) {
        unsafe { std::arch::asm!("mov dword ptr [{}], {:e}", in(reg) self.0.get(), in(reg) value) };
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Flag {
    fn atomic(&self) -> &std::sync::atomic::AtomicU32 {
        unsafe { std::sync::atomic::AtomicU32::from_ptr(self.0.get()) }
    }

    fn get(&self) -> u32 {
        self.atomic().load(std::sync::atomic::Ordering::SeqCst)
    }

    fn set(&self, value: u32) {
        self.atomic().store(value, std::sync::atomic::Ordering::SeqCst);
    }
}

/// A sum behind the lock.
#[derive(Default)]
pub struct Sum {
    locked: Flag,
    value: UnsafeCell<u32>,
}

unsafe impl Sync for Sum {}

impl Sum {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&self) -> u32 {
        while self.locked.get() == 1 {
            std::hint::spin_loop();
        }
        // BUG: another thread may have taken it since.
        self.locked.set(1);
        let value = unsafe {
            *self.value.get() += 1;
            *self.value.get()
        };
        self.locked.set(0);
        value
    }
}
