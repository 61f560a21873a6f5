//! Files: the world outside, which no execution puts back. The kernel answers; it is noted that code under test reached
//! out.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint};

use contest_engine::memory::outside::Outside;

use super::call::{call, note, note_opened};
use super::random;

/// # Safety
/// As for `open64(2)`; `mode` counts only if a file is created.
pub unsafe fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    if flags & (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT) != 0 {
        note(Outside::File);
    }
    note_opened();
    let arguments = [
        libc::AT_FDCWD.into(),
        path.expose_provenance() as c_long,
        (flags | libc::O_LARGEFILE).into(),
        c_long::from(mode),
    ];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    let descriptor = unsafe { call(libc::SYS_openat, arguments) };
    if descriptor >= 0 {
        // SAFETY: the kernel has read a path there.
        random::note_opened(unsafe { CStr::from_ptr(path) }, descriptor);
    }
    descriptor
}

/// # Safety
/// As for `unlink(2)`.
pub unsafe fn unlink(path: *const c_char) -> c_int {
    note(Outside::File);
    let arguments = [libc::AT_FDCWD.into(), path.expose_provenance() as c_long, 0];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    unsafe { call(libc::SYS_unlinkat, arguments) }
}

/// # Safety
/// As for `mkdir(2)`.
pub unsafe fn mkdir(path: *const c_char, mode: c_uint) -> c_int {
    note(Outside::File);
    let arguments = [
        libc::AT_FDCWD.into(),
        path.expose_provenance() as c_long,
        c_long::from(mode),
    ];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    unsafe { call(libc::SYS_mkdirat, arguments) }
}
