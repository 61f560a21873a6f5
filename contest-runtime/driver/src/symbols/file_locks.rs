//! Locks of files: a thread that would wait in the kernel for one waits for the engine, if a thread of this process has
//! it, or for the world outside.

use std::ffi::{c_int, c_long};

use contest_engine::execution::Active;
use libc::{EACCES, EAGAIN, EWOULDBLOCK};

use super::call::{call, controlled};
use super::real_time::{For, is_locked_by_others, note_file_lock};
use super::waiting::{change, wait, watch, watched};

/// # Safety
/// As for `flock(2)`.
pub unsafe fn flock(descriptor: c_int, operation: c_int) -> c_int {
    // SAFETY: takes numbers, touches no memory.
    let ask =
        |operation: c_int| unsafe { call(libc::SYS_flock, [descriptor.into(), operation.into()]) };
    let Some(active) = controlled() else {
        return ask(operation);
    };
    if operation & libc::LOCK_UN != 0 {
        return change(active, || ask(operation));
    }
    if operation & libc::LOCK_NB != 0 {
        return held(descriptor, ask(operation));
    }
    let result = until_locked(active, descriptor, || ask(operation | libc::LOCK_NB));
    held(descriptor, result)
}

/// `fcntl(2)` with one of the commands that wait for a lock, which has the argument of the one that does not.
///
/// # Safety
/// As for `fcntl(2)`.
pub(super) unsafe fn lock_record(
    active: Active,
    descriptor: c_int,
    command: c_int,
    argument: c_long,
) -> c_int {
    let arguments = [descriptor.into(), command.into(), argument];
    // SAFETY: by this function's contract.
    let ask = || unsafe { call(libc::SYS_fcntl, arguments) };
    let result = until_locked(active, descriptor, ask);
    held(descriptor, result)
}

/// Its lock ends when it is closed, which others wait for.
fn held(descriptor: c_int, result: c_int) -> c_int {
    if result == 0 && watched(descriptor).is_none() {
        watch(descriptor);
    }
    result
}

fn until_locked(active: Active, descriptor: c_int, ask: impl Fn() -> c_int) -> c_int {
    let is_taken = || {
        // SAFETY: the thread's own errno.
        let errno = unsafe { *libc::__errno_location() };
        matches!(errno, EAGAIN | EACCES) || errno == EWOULDBLOCK
    };
    let mut result = -1;
    wait(active, None, For::FileLock, || {
        result = ask();
        if result == -1 && is_taken() {
            if is_locked_by_others(descriptor) {
                note_file_lock();
            }
            return 0;
        }
        1
    });
    result
}
