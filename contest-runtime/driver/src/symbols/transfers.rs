//! Functions that move bytes through descriptors that threads wait for.

use std::ffi::{c_int, c_long, c_void};

use libc::{iovec, sockaddr, socklen_t};

use super::call::{call, fail, libc_convention, raw_call};
use super::paths::change_file;
use super::random;
use super::waiting::{change, wait_for, watched};

/// # Safety
/// As for `read(2)`.
pub unsafe fn read(descriptor: c_int, buffer: *mut c_void, length: usize) -> isize {
    if random::is_random(descriptor) {
        // SAFETY: the caller gives `length` bytes to write to.
        return unsafe { random::getrandom(buffer, length, 0) };
    }
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
    note_written(descriptor);
    if length > PIPE_BUF && watched(descriptor).is_some() && is_blocking_pipe(descriptor) {
        // SAFETY: by this function's contract.
        return unsafe { write_in_parts(descriptor, buffer, length) };
    }
    // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
    unsafe { transfer(descriptor, Some(libc::POLLOUT), libc::SYS_write, arguments) }
}

/// Code under test is about to write: to a file, unless it is a standard stream or a descriptor that threads wait for.
fn note_written(descriptor: c_int) {
    if descriptor > libc::STDERR_FILENO && watched(descriptor).is_none() {
        change_file();
    }
}

/// So many bytes can be written to a pipe that is ready. More would wait in the kernel.
const PIPE_BUF: usize = 4096;

fn is_blocking_pipe(descriptor: c_int) -> bool {
    // SAFETY: a value of which all zeros are one.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    let place = (&raw mut status).expose_provenance() as c_long;
    // SAFETY: a place of our own; asks for the flags of a descriptor.
    let (found, flags) = unsafe {
        (
            call(libc::SYS_fstat, [descriptor.into(), place]),
            call(
                libc::SYS_fcntl,
                [descriptor.into(), libc::F_GETFL.into(), 0],
            ),
        )
    };
    let is_pipe = found == 0 && status.st_mode & libc::S_IFMT == libc::S_IFIFO;
    is_pipe && flags != -1 && flags & libc::O_NONBLOCK == 0
}

/// # Safety
/// As for `write(2)`.
unsafe fn write_in_parts(descriptor: c_int, buffer: *const c_void, length: usize) -> isize {
    let mut written = 0;
    while written < length {
        let part = (length - written).min(PIPE_BUF);
        // SAFETY: within the caller's buffer.
        let place = unsafe { buffer.byte_add(written) };
        let arguments = [
            descriptor.into(),
            place.expose_provenance() as c_long,
            part as c_long,
        ];
        // SAFETY: the system call of that name, with a part of the caller's buffer.
        match unsafe { transfer(descriptor, Some(libc::POLLOUT), libc::SYS_write, arguments) } {
            ..=0 if written == 0 => return -1,
            ..=0 => break,
            some => written += some as usize,
        }
    }
    written as isize
}

/// # Safety
/// As for `readv(2)`.
pub unsafe fn readv(descriptor: c_int, parts: *const iovec, count: c_int) -> isize {
    let arguments = [
        descriptor.into(),
        parts.expose_provenance() as c_long,
        count.into(),
    ];
    // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
    unsafe { transfer(descriptor, Some(libc::POLLIN), libc::SYS_readv, arguments) }
}

/// # Safety
/// As for `writev(2)`.
pub unsafe fn writev(descriptor: c_int, parts: *const iovec, count: c_int) -> isize {
    note_written(descriptor);
    let arguments = [
        descriptor.into(),
        parts.expose_provenance() as c_long,
        count.into(),
    ];
    // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
    unsafe { transfer(descriptor, Some(libc::POLLOUT), libc::SYS_writev, arguments) }
}

/// # Safety
/// As for `recvfrom(2)`.
pub unsafe fn recvfrom(
    socket: c_int,
    buffer: *mut c_void,
    length: usize,
    flags: c_int,
    address: *mut sockaddr,
    size: *mut socklen_t,
) -> isize {
    let events = (flags & libc::MSG_DONTWAIT == 0).then_some(libc::POLLIN);
    let arguments = [
        socket.into(),
        buffer.expose_provenance() as c_long,
        length as c_long,
        flags.into(),
        address.expose_provenance() as c_long,
        size.expose_provenance() as c_long,
    ];
    // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
    unsafe { transfer(socket, events, libc::SYS_recvfrom, arguments) }
}

/// # Safety
/// As for `sendto(2)`.
pub unsafe fn sendto(
    socket: c_int,
    buffer: *const c_void,
    length: usize,
    flags: c_int,
    address: *const sockaddr,
    size: socklen_t,
) -> isize {
    let events = (flags & libc::MSG_DONTWAIT == 0).then_some(libc::POLLOUT);
    let arguments = [
        socket.into(),
        buffer.expose_provenance() as c_long,
        length as c_long,
        flags.into(),
        address.expose_provenance() as c_long,
        size.into(),
    ];
    // SAFETY: the system call of that name, with the caller's arguments, which are valid for it.
    unsafe { transfer(socket, events, libc::SYS_sendto, arguments) }
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
    if let Some(events) = awaited
        && let Err(errno) = wait_for(active, descriptor, events)
    {
        return fail(errno) as isize;
    }
    change(active, transfer)
}
