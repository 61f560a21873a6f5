//! A race that the detector cannot see: the summary says that there is such code.

#[cfg(target_arch = "x86_64")]
use std::arch::asm;

use crate::Place;

/// Written by inline assembly.
#[derive(Default)]
pub struct ByAssembly {
    value: Place<u64>,
}

impl ByAssembly {
    pub fn new() -> Self {
        Self::default()
    }

    #[cfg(target_arch = "x86_64")]
    pub fn write(&self) {
        unsafe { asm!("mov qword ptr [{}], 7", in(reg) self.value.at()) };
    }

    pub fn read(&self) {
        assert!(unsafe { *self.value.at() } < 100);
    }
}
