//! Questions about files, directories and the working directory, whose answers depend on what others have done.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::call::{call, note_opened};
use super::look_up;
use super::paths::{Given, working_directory_read};
use super::stamps;

/// The C library's functions, found once, before the snapshot.
static OPENDIR: AtomicUsize = AtomicUsize::new(0);
static REALPATH: AtomicUsize = AtomicUsize::new(0);
static GETCWD: AtomicUsize = AtomicUsize::new(0);

type Opendir = unsafe extern "C" fn(*const c_char) -> *mut c_void;
type Realpath = unsafe extern "C" fn(*const c_char, *mut c_char) -> *mut c_char;
type Getcwd = unsafe extern "C" fn(*mut c_char, usize) -> *mut c_char;

/// Finds the C library's functions that are called in the end.
pub(super) fn find_functions() {
    OPENDIR.store(look_up(c"opendir"), Relaxed);
    REALPATH.store(look_up(c"realpath"), Relaxed);
    GETCWD.store(look_up(c"getcwd"), Relaxed);
}

/// A process that links this and has not started a driver looks it up at each call.
fn found(place: &AtomicUsize, name: &CStr) -> usize {
    match place.load(Relaxed) {
        0 => look_up(name),
        found => found,
    }
}

/// # Safety
/// As for `statx(2)`.
pub unsafe fn statx(
    directory: c_int,
    path: *const c_char,
    flags: c_int,
    mask: c_uint,
    place: *mut c_void,
) -> c_int {
    // SAFETY: the caller gives a path. An empty one asks for the descriptor itself.
    let given = unsafe { Given::beside(directory, path) };
    let given = given.filter(|it| !it.path().is_empty());
    given.into_iter().for_each(Given::looked_at);
    let arguments = [
        directory.into(),
        path.expose_provenance() as c_long,
        flags.into(),
        mask.into(),
        place.expose_provenance() as c_long,
    ];
    // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
    let result = unsafe { call(libc::SYS_statx, arguments) };
    if result == 0
        // SAFETY: the kernel has written it.
        && let Some(status) = unsafe { place.cast::<libc::statx>().as_mut() }
    {
        stamps::show(status);
    }
    result
}

/// # Safety
/// As for `readlink(2)`.
pub unsafe fn readlink(path: *const c_char, buffer: *mut c_char, length: usize) -> isize {
    // SAFETY: the caller gives a path.
    unsafe { Given::new(path) }
        .into_iter()
        .for_each(Given::looked_at);
    let arguments = [
        libc::AT_FDCWD.into(),
        path.expose_provenance() as c_long,
        buffer.expose_provenance() as c_long,
        length as c_long,
    ];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    unsafe { call(libc::SYS_readlinkat, arguments) as isize }
}

/// # Safety
/// As for `realpath(3)`.
pub unsafe fn realpath(path: *const c_char, buffer: *mut c_char) -> *mut c_char {
    // SAFETY: the caller gives a path.
    unsafe { Given::new(path) }
        .into_iter()
        .for_each(Given::looked_at);
    let function = found(&REALPATH, c"realpath");
    // SAFETY: the C library's function of that name, which every C library has.
    let function: Realpath = unsafe { std::mem::transmute(function) };
    // SAFETY: the same function with the same arguments, for which the caller keeps its contract.
    unsafe { function(path, buffer) }
}

/// # Safety
/// As for `opendir(3)`.
pub unsafe fn opendir(path: *const c_char) -> *mut c_void {
    // SAFETY: the caller gives a path.
    unsafe { Given::new(path) }
        .into_iter()
        .for_each(Given::listed);
    note_opened();
    let function = found(&OPENDIR, c"opendir");
    // SAFETY: the C library's function of that name, which every C library has.
    let function: Opendir = unsafe { std::mem::transmute(function) };
    // SAFETY: the same function with the same argument, for which the caller keeps its contract.
    unsafe { function(path) }
}

/// # Safety
/// As for `getcwd(3)`.
pub unsafe fn getcwd(buffer: *mut c_char, length: usize) -> *mut c_char {
    working_directory_read();
    let function = found(&GETCWD, c"getcwd");
    // SAFETY: the C library's function of that name, which every C library has.
    let function: Getcwd = unsafe { std::mem::transmute(function) };
    // SAFETY: the same function with the same arguments, for which the caller keeps its contract.
    unsafe { function(buffer, length) }
}
