//! The working directory and handlers of signals: they are put back after the execution that has changed them.

use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use contest_data::contact::{Shared, Uses};
use contest_engine::memory::{contacts, is_user_code, process_state};

use super::call::{call, controlled};
use super::look_up;
use super::paths::working_directory_changed;

/// The C library's functions, which know what the kernel wants beside a handler; found once, before the snapshot.
static SIGACTION: AtomicUsize = AtomicUsize::new(0);
static SIGNAL: AtomicUsize = AtomicUsize::new(0);

type Sigaction = unsafe extern "C" fn(c_int, *const c_void, *mut c_void) -> c_int;
type Signal = unsafe extern "C" fn(c_int, usize) -> usize;

/// Finds the C library's functions that are called in the end.
pub(super) fn find_functions() {
    SIGACTION.store(look_up(c"sigaction"), Relaxed);
    SIGNAL.store(look_up(c"signal"), Relaxed);
}

/// A process that links this and has not started a driver looks it up at each call.
pub(super) fn found(place: &AtomicUsize, name: &CStr) -> usize {
    match place.load(Relaxed) {
        0 => look_up(name),
        found => found,
    }
}

fn note_changed() {
    if is_user_code() {
        process_state::note_changed();
    }
}

/// Code under test sets what the signal does.
fn note_handler(signal: c_int) {
    note_changed();
    if controlled().is_some() {
        contacts::note(|| Shared::Signal(signal), Uses::CHANGES);
    }
}

/// # Safety
/// As for `chdir(2)`.
pub unsafe fn chdir(path: *const c_char) -> c_int {
    working_directory_changed();
    note_changed();
    // SAFETY: the system call of that name with the caller's argument.
    unsafe { call(libc::SYS_chdir, [path.expose_provenance() as c_long]) }
}

/// # Safety
/// As for `fchdir(2)`.
pub unsafe fn fchdir(directory: c_int) -> c_int {
    working_directory_changed();
    note_changed();
    // SAFETY: the system call of that name with the caller's argument.
    unsafe { call(libc::SYS_fchdir, [directory.into()]) }
}

/// # Safety
/// As for `sigaction(2)`.
pub unsafe fn sigaction(signal: c_int, action: *const c_void, before: *mut c_void) -> c_int {
    if !action.is_null() {
        note_handler(signal);
    }
    let function = found(&SIGACTION, c"sigaction");
    // SAFETY: the C library's function of that name, which every C library has.
    let function: Sigaction = unsafe { std::mem::transmute(function) };
    // SAFETY: the same function with the same arguments, for which the caller keeps its contract.
    unsafe { function(signal, action, before) }
}

/// # Safety
/// As for `signal(2)`.
pub unsafe fn signal(signal: c_int, handler: usize) -> usize {
    note_handler(signal);
    let function = found(&SIGNAL, c"signal");
    // SAFETY: the C library's function of that name, which every C library has.
    let function: Signal = unsafe { std::mem::transmute(function) };
    // SAFETY: the same function with the same arguments, for which the caller keeps its contract.
    unsafe { function(signal, handler) }
}
