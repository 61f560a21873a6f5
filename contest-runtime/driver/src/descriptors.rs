//! What the driver executable defines in place of libc's functions for descriptors that threads wait for: `epoll`,
//! `eventfd`, pipes and sockets, as runtimes of asynchronous code use them. Inside an execution a thread that would
//! wait in the kernel waits for the engine instead, until another thread has changed a descriptor or virtual time is
//! over; the kernel only says what is ready.

use std::ffi::{c_int, c_long, c_uint, c_void};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

pub use libc::{epoll_event, sigset_t, sockaddr, socklen_t};

use super::symbols::{
    self, call, controlled, fail, note, note_opened, raw_call, timespec, to_duration,
};
use contest_engine::execution::Active;
use contest_engine::memory::outside::Outside;
use contest_std::sync::atomic::{AtomicU32 as Visible, Ordering::SeqCst};

/// Descriptors of a higher number are not watched.
const MOST: usize = 1024;
/// How long the kernel is asked, once no thread can run, for what comes from outside the process, in milliseconds.
const PATIENCE: c_int = 10;
/// How often it is asked in one execution.
const LOOKS: u32 = 50;

/// Goes up with everything that may make a descriptor ready. A static on purpose, as the others here: it starts again
/// in every execution.
static CHANGES: Visible = Visible::new(0);
/// The descriptors that code under test may wait for, bit by bit.
static WATCHED: [AtomicU64; MOST / 64] = [const { AtomicU64::new(0) }; MOST / 64];
/// A socket was opened, which may lead out of the process.
static SOCKETS: AtomicBool = AtomicBool::new(false);
/// Looks that were taken for what comes from outside.
static LOOKS_TAKEN: AtomicU32 = AtomicU32::new(0);
/// Longer than any time that code under test waits.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// Watches a descriptor that was just opened, if that succeeded.
fn watch(descriptor: c_int) -> c_int {
    if controlled().is_some() {
        note_opened();
        if let Some((word, bit)) = place(descriptor) {
            word.fetch_or(bit, Relaxed);
        }
    }
    descriptor
}

fn place(descriptor: c_int) -> Option<(&'static AtomicU64, u64)> {
    let number = usize::try_from(descriptor).ok()?;
    Some((WATCHED.get(number / 64)?, 1 << (number % 64)))
}

/// The execution, if the caller is code under test and this is a descriptor that may be waited for.
fn watched(descriptor: c_int) -> Option<Active> {
    let active = controlled()?;
    let (word, bit) = place(descriptor)?;
    (word.load(Relaxed) & bit != 0).then_some(active)
}

/// Carries out what may make descriptors ready: a visible operation, after which those who wait look again.
fn change<R>(active: Active, change: impl FnOnce() -> R) -> R {
    CHANGES.fetch_add(1, SeqCst);
    let result = change();
    let address = CHANGES.as_ptr().expose_provenance();
    if active.has_futex_waiters(address) {
        // SAFETY: the thread's own errno, which is that of the result.
        let errno = unsafe { *libc::__errno_location() };
        active.futex_wake(address, u32::MAX);
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = errno };
    }
    result
}

/// Waits until `look`, which is given how long the kernel may wait in milliseconds, finds something or the time is
/// over; what it found at last.
fn wait(active: Active, timeout: Option<Duration>, mut look: impl FnMut(c_int) -> c_int) -> c_int {
    let end = timeout.map(|timeout| active.now() + timeout);
    let mut again = false;
    loop {
        let before = CHANGES.load(SeqCst);
        let found = look(0);
        if found != 0 || timeout == Some(Duration::ZERO) {
            return found;
        }
        let left = end.map(|end| end.saturating_sub(active.now()));
        let sockets = SOCKETS.load(Relaxed);
        let outside = sockets && LOOKS_TAKEN.load(Relaxed) < LOOKS;
        // A timeout is over only when no thread can run. Then it is for the world outside to go on.
        let now = match outside {
            true => Some(Duration::from_nanos(1)),
            false => left.or(sockets.then_some(FOR_EVER)),
        };
        let address = CHANGES.as_ptr().expose_provenance();
        // SAFETY: a static.
        match unsafe { active.futex_wait(address, before, now) } {
            libc::ETIMEDOUT if outside => {
                LOOKS_TAKEN.fetch_add(1, Relaxed);
                let found = look(PATIENCE);
                if found != 0 {
                    return found;
                }
            }
            libc::ETIMEDOUT if timeout.is_none() => active.unsupported(
                "it waits for a socket, and who is at the other end is not under control",
            ),
            libc::ETIMEDOUT => return look(0),
            // After the execution nothing waits any more.
            0 if again && CHANGES.load(SeqCst) == before => return 0,
            0 => again = true,
            _ => {}
        }
    }
}

/// Waits until the descriptor can be read from or written to, unless it is not to be waited for.
fn wait_for(active: Active, descriptor: c_int, events: i16) {
    // SAFETY: asks for the flags of a descriptor.
    let flags = unsafe {
        call(
            libc::SYS_fcntl,
            [descriptor.into(), libc::F_GETFL.into(), 0],
        )
    };
    if flags == -1 || flags & libc::O_NONBLOCK != 0 {
        return;
    }
    wait(active, None, |milliseconds| {
        let mut entry = libc::pollfd {
            fd: descriptor,
            events,
            revents: 0,
        };
        let time = milliseconds_as_time(milliseconds);
        let arguments = [
            (&raw mut entry).expose_provenance() as c_long,
            1,
            (&raw const time).expose_provenance() as c_long,
            0,
            0,
        ];
        // SAFETY: one entry and a time, of our own.
        unsafe { raw_call(libc::SYS_ppoll, arguments) as c_int }
    });
}

fn milliseconds_as_time(milliseconds: c_int) -> timespec {
    timespec {
        tv_sec: 0,
        tv_nsec: c_long::from(milliseconds) * 1_000_000,
    }
}

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
    if controlled().is_some() {
        SOCKETS.store(true, Relaxed);
    }
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
    if let Some((word, bit)) = place(descriptor) {
        word.fetch_and(!bit, Relaxed);
    }
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
    let active = watched(descriptor);
    if let Some(active) = active {
        wait_for(active, descriptor, libc::POLLIN);
    }
    // SAFETY: the caller keeps the contract of the function of libc, which is that of this one.
    unsafe { transfer(active, libc::SYS_read, arguments) }
}

/// # Safety
/// As for `write(2)`.
pub unsafe fn write(descriptor: c_int, buffer: *const c_void, length: usize) -> isize {
    let arguments = [
        descriptor.into(),
        buffer.expose_provenance() as c_long,
        length as c_long,
    ];
    let active = watched(descriptor);
    if let Some(active) = active {
        wait_for(active, descriptor, libc::POLLOUT);
    }
    // SAFETY: the caller keeps the contract of the function of libc, which is that of this one.
    unsafe { transfer(active, libc::SYS_write, arguments) }
}

/// # Safety
/// As for `recv(2)`.
pub unsafe fn recv(socket: c_int, buffer: *mut c_void, length: usize, flags: c_int) -> isize {
    let active = watched(socket).filter(|_| flags & libc::MSG_DONTWAIT == 0);
    if let Some(active) = active {
        wait_for(active, socket, libc::POLLIN);
    }
    let arguments = [
        socket.into(),
        buffer.expose_provenance() as c_long,
        length as c_long,
        flags.into(),
        0,
        0,
    ];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    unsafe { transfer(watched(socket), libc::SYS_recvfrom, arguments) }
}

/// # Safety
/// As for `send(2)`.
pub unsafe fn send(socket: c_int, buffer: *const c_void, length: usize, flags: c_int) -> isize {
    let active = watched(socket).filter(|_| flags & libc::MSG_DONTWAIT == 0);
    if let Some(active) = active {
        wait_for(active, socket, libc::POLLOUT);
    }
    let arguments = [
        socket.into(),
        buffer.expose_provenance() as c_long,
        length as c_long,
        flags.into(),
        0,
        0,
    ];
    // SAFETY: the system call behind that function, with the caller's arguments, which are valid for it.
    unsafe { transfer(watched(socket), libc::SYS_sendto, arguments) }
}

/// # Safety
/// The arguments are valid for the system call of this number.
unsafe fn transfer<const N: usize>(
    active: Option<Active>,
    number: c_long,
    arguments: [c_long; N],
) -> isize {
    // SAFETY: by this function's contract.
    let transfer = || symbols::libc_convention(unsafe { raw_call(number, arguments) }) as isize;
    match active {
        Some(active) => change(active, transfer),
        None => transfer(),
    }
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
/// As for `epoll_wait(2)`, `epoll_pwait(2)`; `timeout` is in milliseconds.
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

/// # Safety
/// As for `syscall(2)`.
pub unsafe fn syscall(number: c_long, arguments: [c_long; 6]) -> c_long {
    let [a, b, c, d, e, _] = arguments;
    match number {
        libc::SYS_eventfd2 => eventfd(a as c_uint, b as c_int).into(),
        libc::SYS_epoll_create1 => epoll_create1(a as c_int).into(),
        libc::SYS_timerfd_create => timerfd_create(a as c_int, b as c_int).into(),
        libc::SYS_epoll_pwait2 => {
            let events = std::ptr::with_exposed_provenance_mut(b as usize);
            let time = std::ptr::with_exposed_provenance(d as usize);
            let mask = std::ptr::with_exposed_provenance(e as usize);
            // SAFETY: the caller passes arguments that are valid for `epoll_pwait2(2)`.
            unsafe { epoll_pwait2(a as c_int, events, c as c_int, time, mask) }.into()
        }
        // SAFETY: by this function's contract.
        _ => unsafe { symbols::syscall(number, arguments) },
    }
}

/// The functions of this file, by their names in C: a part of [`driver_symbols`](crate::driver_symbols).
#[doc(hidden)]
#[macro_export]
macro_rules! descriptor_symbols {
    () => {
        #[allow(
            clippy::missing_safety_doc,
            missing_docs,
            unreachable_pub,
            reason = "C functions of libc's names"
        )]
        mod contest_descriptor_symbols {
            use ::core::ffi::{c_int, c_long, c_uint, c_void};
            use ::core::ptr::null;
            use $crate::descriptors::{self, epoll_event, sigset_t, sockaddr, socklen_t};
            use $crate::symbols::timespec;

            #[unsafe(no_mangle)]
            pub extern "C" fn epoll_create1(flags: c_int) -> c_int {
                descriptors::epoll_create1(flags)
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn epoll_ctl(
                epoll: c_int,
                operation: c_int,
                descriptor: c_int,
                event: *mut epoll_event,
            ) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { descriptors::epoll_ctl(epoll, operation, descriptor, event) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn epoll_wait(
                epoll: c_int,
                events: *mut epoll_event,
                most: c_int,
                timeout: c_int,
            ) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { descriptors::epoll_pwait(epoll, events, most, timeout, null()) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn epoll_pwait(
                epoll: c_int,
                events: *mut epoll_event,
                most: c_int,
                timeout: c_int,
                mask: *const sigset_t,
            ) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { descriptors::epoll_pwait(epoll, events, most, timeout, mask) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn epoll_pwait2(
                epoll: c_int,
                events: *mut epoll_event,
                most: c_int,
                timeout: *const timespec,
                mask: *const sigset_t,
            ) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { descriptors::epoll_pwait2(epoll, events, most, timeout, mask) }
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn eventfd(value: c_uint, flags: c_int) -> c_int {
                descriptors::eventfd(value, flags)
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn timerfd_create(clock: c_int, flags: c_int) -> c_int {
                descriptors::timerfd_create(clock, flags)
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int {
                descriptors::socket(domain, kind, protocol)
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn socketpair(
                domain: c_int,
                kind: c_int,
                protocol: c_int,
                pair: *mut c_int,
            ) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { descriptors::socketpair(domain, kind, protocol, pair) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn pipe2(pair: *mut c_int, flags: c_int) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { descriptors::pipe2(pair, flags) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn accept4(
                socket: c_int,
                address: *mut sockaddr,
                length: *mut socklen_t,
                flags: c_int,
            ) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { descriptors::accept4(socket, address, length, flags) }
            }

            // libc declares it variadic, as `syscall`.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn fcntl(
                descriptor: c_int,
                command: c_int,
                argument: c_long,
            ) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { descriptors::fcntl(descriptor, command, argument) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn close(descriptor: c_int) -> c_int {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { descriptors::close(descriptor) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn read(
                descriptor: c_int,
                buffer: *mut c_void,
                length: usize,
            ) -> isize {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { descriptors::read(descriptor, buffer, length) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn write(
                descriptor: c_int,
                buffer: *const c_void,
                length: usize,
            ) -> isize {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { descriptors::write(descriptor, buffer, length) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn recv(
                socket: c_int,
                buffer: *mut c_void,
                length: usize,
                flags: c_int,
            ) -> isize {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { descriptors::recv(socket, buffer, length, flags) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn send(
                socket: c_int,
                buffer: *const c_void,
                length: usize,
                flags: c_int,
            ) -> isize {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { descriptors::send(socket, buffer, length, flags) }
            }

            // libc declares it variadic; with integers only, the calling convention is the same on both targets.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn syscall(
                number: c_long,
                a: c_long,
                b: c_long,
                c: c_long,
                d: c_long,
                e: c_long,
                f: c_long,
            ) -> c_long {
                // SAFETY: the caller keeps the contract of the C function, which is that of this one.
                unsafe { descriptors::syscall(number, [a, b, c, d, e, f]) }
            }
        }
    };
}
