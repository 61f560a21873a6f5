//! Files: the world outside, which no execution puts back. The kernel answers; it is noted that code under test reached
//! out.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use contest_engine::memory::outside::Outside;
use contest_std::sync::atomic::{AtomicU32 as Visible, Ordering::SeqCst};

use super::c_locks;
use super::call::{call, controlled, note, note_opened};
use super::random;

/// Goes up with everything that changes files. A static on purpose: it starts again in every execution.
static CHANGES: Visible = Visible::new(0);
/// Changes of files are visible operations. Set before the snapshot.
static ORDERED: AtomicBool = AtomicBool::new(false);

/// From here on changes of files are visible operations: in tests of the crate, where a thread may be late there.
pub(crate) fn order_files() {
    ORDERED.store(true, Relaxed);
}

/// Code under test is about to change a file: a visible operation, unless C code holds a lock.
pub(super) fn change_file() {
    if ORDERED.load(Relaxed) && controlled().is_some() && c_locks::are_free() {
        CHANGES.fetch_add(1, SeqCst);
    }
}

/// # Safety
/// As for `open64(2)`; `mode` counts only if a file is created.
pub unsafe fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    if flags & (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT) != 0 {
        note(Outside::File);
        change_file();
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
    change_file();
    let arguments = [libc::AT_FDCWD.into(), path.expose_provenance() as c_long, 0];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    unsafe { call(libc::SYS_unlinkat, arguments) }
}

/// # Safety
/// As for `rename(2)`.
pub unsafe fn rename(from: *const c_char, to: *const c_char) -> c_int {
    note(Outside::File);
    change_file();
    let here: c_long = libc::AT_FDCWD.into();
    let arguments = [
        here,
        from.expose_provenance() as c_long,
        here,
        to.expose_provenance() as c_long,
    ];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    unsafe { call(libc::SYS_renameat, arguments) }
}

/// # Safety
/// As for `mkdir(2)`.
pub unsafe fn mkdir(path: *const c_char, mode: c_uint) -> c_int {
    note(Outside::File);
    change_file();
    let arguments = [
        libc::AT_FDCWD.into(),
        path.expose_provenance() as c_long,
        c_long::from(mode),
    ];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    unsafe { call(libc::SYS_mkdirat, arguments) }
}
