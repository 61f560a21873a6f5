//! Functions of descriptors that threads wait for: `epoll`, `eventfd`, pipes and sockets, as runtimes of asynchronous
//! code use them.

use std::ffi::{c_int, c_long, c_uint, c_void};
use std::time::Duration;

use contest_engine::memory::outside::Outside;
use libc::{epoll_event, sigset_t, sockaddr, socklen_t, timespec};

use super::call::{call, controlled, fail, libc_convention, note, raw_call};
use super::time::to_duration;
use super::waiting::{change, forget, note_socket, wait, wait_for, watch, watched};

/// `epoll_create1(2)`.
pub fn epoll_create1(flags: c_int) -> c_int {
    // SAFETY: takes a number, touches no memory.
    watch(unsafe { call(libc::SYS_epoll_create1, [flags.into()]) })
}

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
/// As for `accept4(2)`.
pub unsafe fn accept4(
    socket: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
    flags: c_int,
) -> c_int {
    if let Some(active) = watched(socket) {
        wait_for(active, socket, libc::POLLIN);
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
    let arguments = [descriptor.into(), command.into(), argument];
    // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
    let result = unsafe { call(libc::SYS_fcntl, arguments) };
    let copies = matches!(command, libc::F_DUPFD | libc::F_DUPFD_CLOEXEC);
    if copies && watched(descriptor).is_some() {
        return watch(result);
    }
    result
}

/// # Safety
/// As for `close(2)`.
pub unsafe fn close(descriptor: c_int) -> c_int {
    // SAFETY: the caller owns the descriptor.
    let close = || unsafe { call(libc::SYS_close, [descriptor.into()]) };
    let Some(active) = watched(descriptor) else {
        return close();
    };
    // What has the other end becomes ready.
    let result = change(active, close);
    forget(descriptor);
    result
}

/// # Safety
/// As for `read(2)`.
pub unsafe fn read(descriptor: c_int, buffer: *mut c_void, length: usize) -> isize {
    let arguments = [
        descriptor.into(),
        buffer.expose_provenance() as c_long,
        length as c_long,
    ];
    // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
    unsafe { transfer(descriptor, Some(libc::POLLIN), libc::SYS_read, arguments) }
}

/// # Safety
/// As for `write(2)`.
pub unsafe fn write(descriptor: c_int, buffer: *const c_void, length: usize) -> isize {
    let arguments = [
        descriptor.into(),
        buffer.expose_provenance() as c_long,
        length as c_long,
    ];
    // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
    unsafe { transfer(descriptor, Some(libc::POLLOUT), libc::SYS_write, arguments) }
}

/// # Safety
/// As for `recv(2)`.
pub unsafe fn recv(socket: c_int, buffer: *mut c_void, length: usize, flags: c_int) -> isize {
    let events = (flags & libc::MSG_DONTWAIT == 0).then_some(libc::POLLIN);
    let arguments = [
        socket.into(),
        buffer.expose_provenance() as c_long,
        length as c_long,
        flags.into(),
        0,
        0,
    ];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    unsafe { transfer(socket, events, libc::SYS_recvfrom, arguments) }
}

/// # Safety
/// As for `send(2)`.
pub unsafe fn send(socket: c_int, buffer: *const c_void, length: usize, flags: c_int) -> isize {
    let events = (flags & libc::MSG_DONTWAIT == 0).then_some(libc::POLLOUT);
    let arguments = [
        socket.into(),
        buffer.expose_provenance() as c_long,
        length as c_long,
        flags.into(),
        0,
        0,
    ];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    unsafe { transfer(socket, events, libc::SYS_sendto, arguments) }
}

/// A system call that moves bytes through a descriptor, once one of `awaited` holds for it, if any.
///
/// # Safety
/// The arguments are valid for the system call of this number.
unsafe fn transfer<const N: usize>(
    descriptor: c_int,
    awaited: Option<i16>,
    number: c_long,
    arguments: [c_long; N],
) -> isize {
    // SAFETY: by this function's contract.
    let transfer = || libc_convention(unsafe { raw_call(number, arguments) }) as isize;
    let Some(active) = watched(descriptor) else {
        return transfer();
    };
    if let Some(events) = awaited {
        wait_for(active, descriptor, events);
    }
    change(active, transfer)
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
    wait(active, timeout, look)
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
    wait(active, timeout, |milliseconds| {
        // SAFETY: the caller's arguments are valid for this system call too.
        unsafe { epoll_now(epoll, events, most, milliseconds, mask) }
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
