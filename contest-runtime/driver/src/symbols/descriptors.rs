//! Functions that open and close descriptors that threads wait for: pipes, sockets, `eventfd`, and those on which the
//! kernel speaks.

use std::ffi::{c_int, c_long, c_uint};

use contest_data::contact::Uses;
use contest_engine::memory::outside::Outside;
use libc::{sockaddr, socklen_t};

use super::addresses::{Address, is_given_up, note_given};
use super::call::{call, controlled, fail, note};
use super::file_locks::lock_record;
use super::paths::{Given, made};
use super::random;
use super::real_time::{is_file_lock_awaited, note_kernel, note_socket};
use super::waiting::{change, forget, wait_for, watch, watched};

/// `eventfd(2)`.
pub fn eventfd(value: c_uint, flags: c_int) -> c_int {
    // SAFETY: takes numbers, touches no memory.
    watch(unsafe { call(libc::SYS_eventfd2, [value.into(), flags.into()]) })
}

/// `timerfd_create(2)`, which code under test does not have: its time is virtual. Callers must expect that a system has
/// none.
pub fn timerfd_create(clock: c_int, flags: c_int) -> c_int {
    if controlled().is_some() {
        return fail(libc::ENOSYS);
    }
    // SAFETY: takes numbers, touches no memory.
    unsafe { call(libc::SYS_timerfd_create, [clock.into(), flags.into()]) }
}

/// `socket(2)`.
pub fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int {
    note(Outside::Socket);
    note_socket();
    let arguments = [domain.into(), kind.into(), protocol.into()];
    // SAFETY: takes numbers, touches no memory.
    watch(unsafe { call(libc::SYS_socket, arguments) })
}

/// # Safety
/// As for `socketpair(2)`.
pub unsafe fn socketpair(domain: c_int, kind: c_int, protocol: c_int, pair: *mut c_int) -> c_int {
    let arguments = [
        domain.into(),
        kind.into(),
        protocol.into(),
        pair.expose_provenance() as c_long,
    ];
    // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
    let result = unsafe { call(libc::SYS_socketpair, arguments) };
    // SAFETY: the caller gives a place for two descriptors.
    unsafe { watch_both(result, pair) }
}

/// # Safety
/// As for `pipe2(2)`.
pub unsafe fn pipe2(pair: *mut c_int, flags: c_int) -> c_int {
    let arguments = [pair.expose_provenance() as c_long, flags.into()];
    // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
    let result = unsafe { call(libc::SYS_pipe2, arguments) };
    // SAFETY: the caller gives a place for two descriptors.
    unsafe { watch_both(result, pair) }
}

/// # Safety
/// As for `pipe(2)`.
pub unsafe fn pipe(pair: *mut c_int) -> c_int {
    // SAFETY: by this function's contract.
    unsafe { pipe2(pair, 0) }
}

/// # Safety
/// If `result` is 0, there are two descriptors at `pair`.
unsafe fn watch_both(result: c_int, pair: *mut c_int) -> c_int {
    if result == 0 {
        // SAFETY: by this function's contract.
        unsafe {
            watch(*pair);
            watch(*pair.add(1));
        }
    }
    result
}

/// # Safety
/// As for `bind(2)`.
pub unsafe fn bind(socket: c_int, address: *const sockaddr, length: socklen_t) -> c_int {
    // SAFETY: by this function's contract.
    let place = unsafe { Address::of(address, length) };
    place.note(Uses::CHANGES);
    // SAFETY: by this function's contract.
    let is_given_up = place.was_given() && unsafe { is_given_up(socket, address, length) };
    if is_given_up && place.is_taken_by_others() {
        return fail(libc::EADDRINUSE);
    }
    let new = place.path().and_then(Given::free_place);
    // SAFETY: by this function's contract.
    let result = unsafe { with_address(libc::SYS_bind, socket, address, length) };
    made(new, result == 0);
    if result == 0 && matches!(place, Address::Other) {
        note_given(socket);
    }
    result
}

/// # Safety
/// As for `connect(2)`.
pub unsafe fn connect(socket: c_int, address: *const sockaddr, length: socklen_t) -> c_int {
    // SAFETY: by this function's contract.
    unsafe { Address::of(address, length) }.note(Uses::READS);
    // SAFETY: by this function's contract.
    unsafe { with_address(libc::SYS_connect, socket, address, length) }
}

/// A system call that gives a socket an address: whether it succeeds depends on other sockets.
///
/// # Safety
/// The address is valid for the system call of this number.
unsafe fn with_address(
    number: c_long,
    socket: c_int,
    address: *const sockaddr,
    length: socklen_t,
) -> c_int {
    let arguments = [
        socket.into(),
        address.expose_provenance() as c_long,
        length.into(),
    ];
    // SAFETY: by this function's contract.
    let call = || unsafe { call(number, arguments) };
    match watched(socket) {
        Some(active) => change(active, call),
        None => call(),
    }
}

/// # Safety
/// As for `accept4(2)`.
pub unsafe fn accept4(
    socket: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
    flags: c_int,
) -> c_int {
    if let Some(active) = watched(socket)
        && let Err(errno) = wait_for(active, socket, libc::POLLIN)
    {
        return fail(errno);
    }
    let arguments = [
        socket.into(),
        address.expose_provenance() as c_long,
        length.expose_provenance() as c_long,
        flags.into(),
    ];
    // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
    watch(unsafe { call(libc::SYS_accept4, arguments) })
}

/// # Safety
/// As for `fcntl(2)`; all of its commands take a number or a pointer, if anything.
pub unsafe fn fcntl(descriptor: c_int, command: c_int, argument: c_long) -> c_int {
    let without_waiting = match command {
        libc::F_SETLKW => Some(libc::F_SETLK),
        libc::F_OFD_SETLKW => Some(libc::F_OFD_SETLK),
        _ => None,
    };
    if let (Some(command), Some(active)) = (without_waiting, controlled()) {
        // SAFETY: by this function's contract.
        return unsafe { lock_record(active, descriptor, command, argument) };
    }
    let arguments = [descriptor.into(), command.into(), argument];
    // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
    let fcntl = || unsafe { call(libc::SYS_fcntl, arguments) };
    let result = match controlled() {
        // No scheduling point otherwise: C code, such as that of databases, does this while it holds a lock of its own.
        Some(active)
            if matches!(command, libc::F_SETLK | libc::F_OFD_SETLK) && is_file_lock_awaited() =>
        {
            change(active, fcntl)
        }
        _ => fcntl(),
    };
    let copies = matches!(command, libc::F_DUPFD | libc::F_DUPFD_CLOEXEC);
    if copies {
        return copied(descriptor, result);
    }
    result
}

/// `dup(2)`.
pub fn dup(descriptor: c_int) -> c_int {
    // SAFETY: takes a number, touches no memory.
    copied(descriptor, unsafe {
        call(libc::SYS_dup, [descriptor.into()])
    })
}

/// # Safety
/// As for `dup2(2)`: the caller owns the second descriptor.
pub unsafe fn dup2(descriptor: c_int, place: c_int) -> c_int {
    if descriptor == place {
        // SAFETY: asks for the flags of a descriptor.
        let flags = unsafe {
            call(
                libc::SYS_fcntl,
                [descriptor.into(), libc::F_GETFD.into(), 0],
            )
        };
        return if flags == -1 { -1 } else { place };
    }
    // SAFETY: by this function's contract.
    unsafe { dup3(descriptor, place, 0) }
}

/// # Safety
/// As for `dup3(2)`: the caller owns the second descriptor.
pub unsafe fn dup3(descriptor: c_int, place: c_int, flags: c_int) -> c_int {
    let arguments = [descriptor.into(), place.into(), flags.into()];
    // SAFETY: takes numbers, touches no memory; the caller owns what is closed.
    let copy = || unsafe { call(libc::SYS_dup3, arguments) };
    let Some(active) = watched(place) else {
        return copied(descriptor, copy());
    };
    // What has the other end becomes ready.
    let result = change(active, copy);
    forget(place);
    copied(descriptor, result)
}

/// A copy of a descriptor that threads may wait for is one.
fn copied(descriptor: c_int, copy: c_int) -> c_int {
    if watched(descriptor).is_some() {
        return watch(copy);
    }
    copy
}

/// # Safety
/// As for `close(2)`.
pub unsafe fn close(descriptor: c_int) -> c_int {
    // SAFETY: the caller owns the descriptor.
    let close = || unsafe { call(libc::SYS_close, [descriptor.into()]) };
    random::forget(descriptor);
    let Some(active) = watched(descriptor) else {
        return close();
    };
    // What has the other end becomes ready.
    let result = change(active, close);
    forget(descriptor);
    result
}

/// `inotify_init1(2)`.
pub fn inotify_init1(flags: c_int) -> c_int {
    note_kernel();
    // SAFETY: takes a number, touches no memory.
    watch(unsafe { call(libc::SYS_inotify_init1, [flags.into()]) })
}

/// `inotify_init(2)`.
pub fn inotify_init() -> c_int {
    inotify_init1(0)
}

/// `pidfd_open(2)`: it can be read when the process has ended.
pub(super) fn pidfd_open(process: c_int, flags: c_uint) -> c_int {
    note_kernel();
    // SAFETY: takes numbers, touches no memory.
    watch(unsafe { call(libc::SYS_pidfd_open, [process.into(), flags.into()]) })
}
