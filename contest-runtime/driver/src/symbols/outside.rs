//! Files and processes: the world outside, which no execution puts back. The kernel answers; it is noted that code
//! under test reached out.

use std::ffi::{c_char, c_int, c_long, c_uint, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use contest_engine::memory::outside::Outside;

use super::call::{call, note, note_opened};
use super::look_up;

/// The C library's `posix_spawnp`; found once, before the snapshot.
static SPAWN: AtomicUsize = AtomicUsize::new(0);

type PosixSpawn = unsafe extern "C" fn(
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
) -> c_int;

/// Finds the C library's function that is called in the end.
pub(super) fn find_function() {
    SPAWN.store(look_up(c"posix_spawnp"), Relaxed);
}

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
    unsafe { call(libc::SYS_openat, arguments) }
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

/// # Safety
/// As for `posix_spawnp(3)`.
pub unsafe fn posix_spawnp(
    pid: *mut c_void,
    path: *mut c_void,
    actions: *mut c_void,
    attributes: *mut c_void,
    argv: *mut c_void,
    environment: *mut c_void,
) -> c_int {
    note(Outside::Process);
    // A process that links this and has not started a driver spawns as well.
    let found = match SPAWN.load(Relaxed) {
        0 => look_up(c"posix_spawnp"),
        found => found,
    };
    if found == 0 {
        return libc::ENOSYS;
    }
    // SAFETY: the C library's function of that name.
    let function: PosixSpawn = unsafe { std::mem::transmute(found) };
    // SAFETY: the same function with the same arguments, for which the caller keeps its contract.
    unsafe { function(pid, path, actions, attributes, argv, environment) }
}
