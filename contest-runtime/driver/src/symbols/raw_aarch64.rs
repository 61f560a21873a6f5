//! The system call instruction of aarch64.

use std::arch::asm;
use std::ffi::c_long;

/// A system call; an error is returned as its negative number.
///
/// # Safety
/// As for the system call.
#[inline]
pub(in crate::symbols) unsafe fn system_call(number: c_long, arguments: [c_long; 6]) -> c_long {
    let result;
    // SAFETY: the kernel's convention; it keeps every other register.
    unsafe {
        asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") arguments[0] => result,
            in("x1") arguments[1],
            in("x2") arguments[2],
            in("x3") arguments[3],
            in("x4") arguments[4],
            in("x5") arguments[5],
            options(nostack),
        );
    }
    result
}
