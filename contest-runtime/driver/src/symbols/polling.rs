//! Functions that wait for one of several descriptors: `epoll`, as runtimes of asynchronous code use it, and `poll`.

use std::ffi::{c_int, c_long};
use std::time::Duration;

use contest_engine::execution::Active;
use libc::{epoll_event, nfds_t, pollfd, sigset_t, timespec};

use super::call::{call, controlled, fail};
use super::real_time::{For, note_kernel};
use super::time::{to_duration, to_timespec};
use super::waiting::{change, poll_now, wait, watch, watched};

/// `epoll_create1(2)`.
pub fn epoll_create1(flags: c_int) -> c_int {
    // SAFETY: takes a number, touches no memory.
    watch(unsafe { call(libc::SYS_epoll_create1, [flags.into()]) })
}

/// # Safety
/// As for `epoll_ctl(2)`.
pub unsafe fn epoll_ctl(
    epoll: c_int,
    operation: c_int,
    descriptor: c_int,
    event: *mut epoll_event,
) -> c_int {
    let arguments = [
        epoll.into(),
        operation.into(),
        descriptor.into(),
        event.expose_provenance() as c_long,
    ];
    // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
    let control = || unsafe { call(libc::SYS_epoll_ctl, arguments) };
    if operation == libc::EPOLL_CTL_ADD && watched(descriptor).is_none() {
        note_kernel();
    }
    match watched(epoll) {
        Some(active) => change(active, control),
        None => control(),
    }
}

/// # Safety
/// As for `epoll_wait(2)`; `timeout` is in milliseconds.
pub unsafe fn epoll_wait(
    epoll: c_int,
    events: *mut epoll_event,
    most: c_int,
    timeout: c_int,
) -> c_int {
    // SAFETY: without a set of signals, the function with one does the same.
    unsafe { epoll_pwait(epoll, events, most, timeout, std::ptr::null()) }
}

/// # Safety
/// As for `epoll_pwait(2)`; `timeout` is in milliseconds.
pub unsafe fn epoll_pwait(
    epoll: c_int,
    events: *mut epoll_event,
    most: c_int,
    timeout: c_int,
    mask: *const sigset_t,
) -> c_int {
    // SAFETY: by this function's contract.
    let look = |timeout: c_int| unsafe { epoll_now(epoll, events, most, timeout, mask) };
    let Some(active) = watched(epoll) else {
        return look(timeout);
    };
    let timeout = u64::try_from(timeout).ok().map(Duration::from_millis);
    wait(
        active,
        timeout,
        For::Descriptors(&[readable(epoll)]),
        || look(0),
    )
}

/// # Safety
/// As for `epoll_pwait2(2)`.
pub unsafe fn epoll_pwait2(
    epoll: c_int,
    events: *mut epoll_event,
    most: c_int,
    timeout: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    let Some(active) = watched(epoll) else {
        let arguments = [
            epoll.into(),
            events.expose_provenance() as c_long,
            most.into(),
            timeout.expose_provenance() as c_long,
            mask.expose_provenance() as c_long,
            8,
        ];
        // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
        return unsafe { call(libc::SYS_epoll_pwait2, arguments) };
    };
    // SAFETY: the caller gives a time or null.
    let timeout = match unsafe { timeout.as_ref() }.map(to_duration) {
        Some(None) => return fail(libc::EINVAL),
        Some(time) => time,
        None => None,
    };
    wait(
        active,
        timeout,
        For::Descriptors(&[readable(epoll)]),
        || {
            // SAFETY: the caller's arguments are valid for this system call too.
            unsafe { epoll_now(epoll, events, most, 0, mask) }
        },
    )
}

fn readable(descriptor: c_int) -> pollfd {
    pollfd {
        fd: descriptor,
        events: libc::POLLIN,
        revents: 0,
    }
}

/// # Safety
/// As for `poll(2)`; `timeout` is in milliseconds.
pub unsafe fn poll(entries: *mut pollfd, length: nfds_t, timeout: c_int) -> c_int {
    let Some(active) = controlled() else {
        let time = to_timespec(Duration::from_millis(timeout.max(0) as u64));
        let time = if timeout < 0 {
            std::ptr::null()
        } else {
            &raw const time
        };
        // SAFETY: by this function's contract.
        return unsafe { ppoll(entries, length, time, std::ptr::null()) };
    };
    let timeout = u64::try_from(timeout).ok().map(Duration::from_millis);
    // SAFETY: by this function's contract.
    unsafe { poll_until(active, entries, length, timeout) }
}

/// # Safety
/// As for `ppoll(2)`. Signals that are blocked stay so.
pub unsafe fn ppoll(
    entries: *mut pollfd,
    length: nfds_t,
    timeout: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    let Some(active) = controlled() else {
        // The kernel writes the time that is left.
        // SAFETY: the caller gives a time or null.
        let mut time = unsafe { timeout.as_ref() }.copied();
        let time = time
            .as_mut()
            .map_or(std::ptr::null_mut(), std::ptr::from_mut);
        let arguments = [
            entries.expose_provenance() as c_long,
            length as c_long,
            time.expose_provenance() as c_long,
            mask.expose_provenance() as c_long,
            8,
        ];
        // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
        return unsafe { call(libc::SYS_ppoll, arguments) };
    };
    // SAFETY: the caller gives a time or null.
    let timeout = match unsafe { timeout.as_ref() }.map(to_duration) {
        Some(None) => return fail(libc::EINVAL),
        Some(time) => time,
        None => None,
    };
    // SAFETY: by this function's contract.
    unsafe { poll_until(active, entries, length, timeout) }
}

/// # Safety
/// There are so many entries.
unsafe fn poll_until(
    active: Active,
    entries: *mut pollfd,
    length: nfds_t,
    timeout: Option<Duration>,
) -> c_int {
    let waited_for = match length {
        0 => Vec::new(),
        // A copy, for the kernel writes to them.
        // SAFETY: by this function's contract.
        _ => unsafe { std::slice::from_raw_parts(entries, length as usize) }.to_vec(),
    };
    if waited_for
        .iter()
        .any(|it| it.fd >= 0 && watched(it.fd).is_none())
    {
        note_kernel();
    }
    wait(active, timeout, For::Descriptors(&waited_for), || {
        // SAFETY: by this function's contract.
        unsafe { poll_now(entries, length) }
    })
}

/// # Safety
/// As for `epoll_pwait(2)`.
unsafe fn epoll_now(
    epoll: c_int,
    events: *mut epoll_event,
    most: c_int,
    milliseconds: c_int,
    mask: *const sigset_t,
) -> c_int {
    let arguments = [
        epoll.into(),
        events.expose_provenance() as c_long,
        most.into(),
        milliseconds.into(),
        mask.expose_provenance() as c_long,
        // The size of the kernel's set of signals.
        8,
    ];
    // SAFETY: by this function's contract.
    unsafe { call(libc::SYS_epoll_pwait, arguments) }
}
