//! The system call instruction of x86-64.

use std::arch::asm;
use std::ffi::c_long;

/// A system call; an error is returned as its negative number.
///
/// # Safety
/// As for the system call.
#[inline]
pub(in crate::symbols) unsafe fn system_call(number: c_long, arguments: [c_long; 6]) -> c_long {
    let result;
    // SAFETY: the kernel's convention; it clobbers rcx and r11 beside the result.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            in("rdx") arguments[2],
            in("r10") arguments[3],
            in("r8") arguments[4],
            in("r9") arguments[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}
