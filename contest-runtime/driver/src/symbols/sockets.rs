//! Sockets with both ends in this process: no other process makes them ready.

use std::ffi::{c_int, c_long};

use libc::{sockaddr_storage, socklen_t};

use super::call::raw_call;
use super::waiting::all_watched;

/// An address as the kernel writes it.
#[derive(Clone, Copy)]
struct Name {
    bytes: [u8; size_of::<sockaddr_storage>()],
    length: usize,
}

impl Name {
    fn is(&self, other: &Self) -> bool {
        self.bytes[..self.length] == other.bytes[..other.length]
    }
}

/// Calls `getsockname` or `getpeername`; `None` of what is no socket, or has no such name.
fn name(number: c_long, socket: c_int) -> Option<Name> {
    let mut name = Name {
        bytes: [0; size_of::<sockaddr_storage>()],
        length: 0,
    };
    let mut length = size_of::<sockaddr_storage>() as socklen_t;
    let arguments = [
        socket.into(),
        name.bytes.as_mut_ptr().expose_provenance() as c_long,
        (&raw mut length).expose_provenance() as c_long,
    ];
    // SAFETY: places of our own, of the size that is said.
    let result = unsafe { raw_call(number, arguments) };
    name.length = (length as usize).min(name.bytes.len());
    (result == 0).then_some(name)
}

/// The port of a socket, 0 if it has none.
pub(super) fn port_of(socket: c_int) -> u16 {
    let Some(name) = name(libc::SYS_getsockname, socket) else {
        return 0;
    };
    let family = u16::from_ne_bytes([name.bytes[0], name.bytes[1]]);
    // The port comes next in both, in network order.
    match i32::from(family) {
        libc::AF_INET | libc::AF_INET6 => u16::from_be_bytes([name.bytes[2], name.bytes[3]]),
        _ => 0,
    }
}

/// True if it takes connections.
fn listens(socket: c_int) -> bool {
    let mut value: c_int = 0;
    let mut length = size_of::<c_int>() as socklen_t;
    let arguments = [
        socket.into(),
        libc::SOL_SOCKET.into(),
        libc::SO_ACCEPTCONN.into(),
        (&raw mut value).expose_provenance() as c_long,
        (&raw mut length).expose_provenance() as c_long,
    ];
    // SAFETY: places of our own, of the size that is said.
    (unsafe { raw_call(libc::SYS_getsockopt, arguments) }) == 0 && value != 0
}

/// True if every socket that threads may wait for takes connections, or is connected with another one of this process.
/// Who connects from outside would have to know the port, which tests mostly leave to the system.
pub(super) fn are_all_internal() -> bool {
    let own = |peer: &Name| {
        let mut others = all_watched().filter_map(|it| name(libc::SYS_getsockname, it));
        others.any(|other| other.is(peer))
    };
    all_watched().all(|descriptor| {
        if name(libc::SYS_getsockname, descriptor).is_none() || listens(descriptor) {
            return true;
        }
        name(libc::SYS_getpeername, descriptor).is_some_and(|peer| own(&peer))
    })
}
