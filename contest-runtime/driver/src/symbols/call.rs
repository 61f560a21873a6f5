//! How code of this module calls the kernel, and when the engine answers instead.

use std::ffi::{c_int, c_long};

use contest_engine::execution::{Active, active};
use contest_engine::memory::{descriptors, is_user_code, outside};

pub(super) use raw::system_call;

#[cfg(target_arch = "aarch64")]
#[path = "raw_aarch64.rs"]
mod raw;
#[cfg(target_arch = "x86_64")]
#[path = "raw_x86_64.rs"]
mod raw;

/// The execution on whose behalf the caller runs, if it is code under test.
#[inline]
pub(super) fn controlled() -> Option<Active> {
    if is_user_code() { active() } else { None }
}

pub(super) fn fail(errno: c_int) -> c_int {
    // SAFETY: the thread's own errno.
    unsafe { *libc::__errno_location() = errno };
    -1
}

pub(super) fn libc_convention(result: c_long) -> c_long {
    if (-4095..0).contains(&result) {
        return fail(-result as c_int).into();
    }
    result
}

/// # Safety
/// The arguments are valid for the system call of this number.
pub(super) unsafe fn raw_call<const N: usize>(number: c_long, arguments: [c_long; N]) -> c_long {
    let mut six = [0; 6];
    six[..N].copy_from_slice(&arguments);
    // SAFETY: by this function's contract; the system call ignores the arguments that were added.
    unsafe { system_call(number, six) }
}

/// # Safety
/// The arguments are valid for the system call of this number.
pub(super) unsafe fn call<const N: usize>(number: c_long, arguments: [c_long; N]) -> c_int {
    // SAFETY: `raw_call` has the contract of this function.
    libc_convention(unsafe { raw_call(number, arguments) }) as c_int
}

/// Notes that code under test opens a descriptor.
pub(super) fn note_opened() {
    if controlled().is_some() {
        descriptors::note_opened();
    }
}

/// Notes what code under test does outside the process.
pub(super) fn note(deed: outside::Outside) {
    if controlled().is_some() {
        outside::note(deed);
    }
}
