//! Addresses of sockets that others may ask for too: a port that is not left to the kernel, a path.

use std::ffi::{c_char, c_int, c_long};
use std::mem::offset_of;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use contest_data::contact::{Shared, Uses};
use contest_engine::memory::contacts;
use contest_std::sync::atomic::{AtomicU32 as Visible, Ordering::SeqCst};
use libc::{sockaddr, sockaddr_in, sockaddr_in6, sockaddr_un, socklen_t};

use super::call::{controlled, raw_call};
use super::paths::{Given, are_ordered};
use super::sockets::port_of;

/// Ports that the system gave in the present execution, the last ones; 0 is none. Statics on purpose, as the next one:
/// they start again in every execution.
static GIVEN: [AtomicU16; 16] = [const { AtomicU16::new(0) }; 16];
/// Goes up where a port is taken by another program, as if it were so.
static TAKEN: Visible = Visible::new(0);

/// The system has given this socket of code under test an address.
pub(super) fn note_given(socket: c_int) {
    if controlled().is_none() || !are_ordered() {
        return;
    }
    let port = port_of(socket);
    let free = GIVEN.iter().find(|it| it.load(Relaxed) == 0);
    if let Some(place) = free.or(GIVEN.last()).filter(|_| port != 0) {
        place.store(port, Relaxed);
    }
}

/// What of an address others may ask for.
pub(super) enum Address<'p> {
    Port(u16),
    Path(Given<'p>),
    Other,
}

impl<'p> Address<'p> {
    /// # Safety
    /// An address of that length is there, as for `bind(2)`.
    pub(super) unsafe fn of(address: *const sockaddr, length: socklen_t) -> Self {
        let length = length as usize;
        if address.is_null() || length < size_of::<libc::sa_family_t>() {
            return Self::Other;
        }
        // SAFETY: so many bytes are there.
        let family = i32::from(unsafe { (*address).sa_family });
        // SAFETY: likewise; ports are in network order.
        let port = unsafe {
            match family {
                libc::AF_INET if length >= size_of::<sockaddr_in>() => {
                    u16::from_be((*address.cast::<sockaddr_in>()).sin_port)
                }
                libc::AF_INET6 if length >= size_of::<sockaddr_in6>() => {
                    u16::from_be((*address.cast::<sockaddr_in6>()).sin6_port)
                }
                _ => 0,
            }
        };
        if port != 0 {
            return Self::Port(port);
        }
        let at = offset_of!(sockaddr_un, sun_path);
        if family != libc::AF_UNIX || length <= at {
            return Self::Other;
        }
        // SAFETY: within the address.
        let path: *const c_char = unsafe { address.byte_add(at) }.cast();
        // SAFETY: as many bytes as are left.
        let bytes = unsafe { std::slice::from_raw_parts(path.cast::<u8>(), length - at) };
        // An abstract one begins with 0, one without its 0 cannot be read as a text.
        match bytes.iter().position(|byte| *byte == 0) {
            None | Some(0) => Self::Other,
            // SAFETY: a text that ends with 0.
            Some(_) => unsafe { Given::new(path) }.map_or(Self::Other, Self::Path),
        }
    }

    /// Code under test asks for it.
    pub(super) fn note(&self, uses: Uses) {
        match self {
            Self::Port(number) if controlled().is_some() => {
                contacts::note(|| Shared::Port(*number), uses);
            }
            Self::Path(path) if uses == Uses::READS => path.looked_at(),
            Self::Path(path) => path.comes_or_goes(),
            Self::Port(_) | Self::Other => {}
        }
    }

    /// True if it is a port that the system gave to code under test, in tests of the crate.
    pub(super) fn was_given(&self) -> bool {
        let Self::Port(number) = self else {
            return false;
        };
        controlled().is_some()
            && are_ordered()
            && GIVEN.iter().any(|it| it.load(Relaxed) == *number)
    }

    /// True if another program has the port by now under this draw of random numbers, as one may have: the system gave
    /// it to code under test, which has given it up.
    pub(super) fn is_taken_by_others(&self) -> bool {
        let Some(active) = controlled() else {
            return false;
        };
        let taken = active.draw_of_order() % 2 != 0;
        if taken {
            TAKEN.fetch_add(1, SeqCst);
        }
        taken
    }

    /// The path, if it is one.
    pub(super) fn path(&self) -> Option<Given<'p>> {
        match self {
            Self::Path(path) => Some(*path),
            Self::Port(_) | Self::Other => None,
        }
    }
}

/// True if a further socket of the kind of this one could have the address: nobody has it any more, also not this
/// process. Asked of the kernel, by a socket that is closed again.
///
/// # Safety
/// An address of this length is there.
pub(super) unsafe fn is_given_up(
    socket: c_int,
    address: *const sockaddr,
    length: socklen_t,
) -> bool {
    let (mut kind, mut size) = (0_i32, size_of::<i32>() as socklen_t);
    let arguments = [
        socket.into(),
        libc::SOL_SOCKET.into(),
        libc::SO_TYPE.into(),
        (&raw mut kind).expose_provenance() as c_long,
        (&raw mut size).expose_provenance() as c_long,
    ];
    // SAFETY: places of our own.
    if unsafe { raw_call(libc::SYS_getsockopt, arguments) } != 0 {
        return false;
    }
    // SAFETY: by this function's contract; every address begins with its family.
    let family = unsafe { (*address).sa_family };
    let arguments = [family.into(), (kind | libc::SOCK_CLOEXEC).into(), 0];
    // SAFETY: a question to the kernel.
    let other = unsafe { raw_call(libc::SYS_socket, arguments) };
    if other < 0 {
        return false;
    }
    let arguments = [other, address.expose_provenance() as c_long, length.into()];
    // SAFETY: by this function's contract; the socket is ours, and not used again.
    unsafe {
        let bound = raw_call(libc::SYS_bind, arguments);
        raw_call(libc::SYS_close, [other]);
        bound == 0
    }
}
