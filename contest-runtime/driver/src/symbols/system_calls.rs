//! `syscall(2)`: system calls that code makes by their number.

use std::ffi::{c_int, c_long, c_uint};
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use super::call::{controlled, libc_convention, system_call};
use super::descriptors::{eventfd, inotify_init1, pidfd_open, pipe2, timerfd_create};
use super::futex::futex;
use super::polling::{epoll_create1, epoll_pwait2};
use super::random::getrandom;

/// libc declares it variadic; with integers only, the calling convention is the same on both targets.
///
/// # Safety
/// As for `syscall(2)`.
pub unsafe fn syscall(
    number: c_long,
    a: c_long,
    b: c_long,
    c: c_long,
    d: c_long,
    e: c_long,
    f: c_long,
) -> c_long {
    let arguments = [a, b, c, d, e, f];
    match number {
        libc::SYS_futex => {
            if let Some(result) = super::streams::futex(&arguments) {
                return result;
            }
            if let Some(active) = controlled()
                // SAFETY: the caller passes arguments that are valid for `futex(2)`: a word, and a time or null.
                && let Some(result) = unsafe { futex(active, &arguments) }
            {
                return result;
            }
        }
        libc::SYS_getrandom => {
            let buffer = with_exposed_provenance_mut(a as usize);
            // SAFETY: the caller passes arguments that are valid for `getrandom(2)`: a buffer of that length.
            return unsafe { getrandom(buffer, b as usize, c as c_uint) } as c_long;
        }
        libc::SYS_eventfd2 => return eventfd(a as c_uint, b as c_int).into(),
        libc::SYS_epoll_create1 => return epoll_create1(a as c_int).into(),
        libc::SYS_timerfd_create => return timerfd_create(a as c_int, b as c_int).into(),
        libc::SYS_epoll_pwait2 => {
            let events = with_exposed_provenance_mut(b as usize);
            let time = with_exposed_provenance(d as usize);
            let mask = with_exposed_provenance(e as usize);
            // SAFETY: the caller passes arguments that are valid for `epoll_pwait2(2)`.
            return unsafe { epoll_pwait2(a as c_int, events, c as c_int, time, mask) }.into();
        }
        libc::SYS_pipe2 => {
            let pair = with_exposed_provenance_mut(a as usize);
            // SAFETY: the caller passes arguments that are valid for `pipe2(2)`.
            return unsafe { pipe2(pair, b as c_int) }.into();
        }
        libc::SYS_inotify_init1 => return inotify_init1(a as c_int).into(),
        libc::SYS_pidfd_open => return pidfd_open(a as c_int, b as c_uint).into(),
        _ => {}
    }
    // SAFETY: the caller passes arguments that are valid for the system call of this number.
    libc_convention(unsafe { system_call(number, arguments) })
}
