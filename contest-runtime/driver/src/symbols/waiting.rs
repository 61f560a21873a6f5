//! Waiting for descriptors. A thread that would wait in the kernel waits for the engine instead, until another thread
//! has changed a descriptor, something has happened outside the process, or virtual time is over; the kernel only says
//! what is ready.

use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use contest_engine::execution::Active;
use contest_std::sync::atomic::{AtomicU32 as Visible, Ordering::SeqCst};
use libc::timespec;

use super::call::{call, controlled, fail, note_opened, raw_call};
use super::interrupts::Interruptible;
use super::real_time::{self, For, Waiting};

/// Descriptors of a higher number are not watched.
const MOST: usize = 1024;

/// Goes up with everything that may make a descriptor ready. A static on purpose, as the others here: it starts again
/// in every execution.
static CHANGES: Visible = Visible::new(0);
/// The descriptors that code under test may wait for, bit by bit.
static WATCHED: [AtomicU64; MOST / 64] = [const { AtomicU64::new(0) }; MOST / 64];

/// Watches a descriptor that was just opened, if that succeeded.
pub(super) fn watch(descriptor: c_int) -> c_int {
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

/// All descriptors that code under test may wait for.
pub(super) fn all_watched() -> impl Iterator<Item = c_int> {
    let words = (0..).zip(&WATCHED);
    words.flat_map(|(number, word): (c_int, _)| {
        let bits = word.load(Relaxed);
        let ones = (0..64).filter(move |bit| bits >> bit & 1 != 0);
        ones.map(move |bit| number * 64 + bit)
    })
}

/// The execution, if the caller is code under test and this is a descriptor that may be waited for.
pub(super) fn watched(descriptor: c_int) -> Option<Active> {
    let active = controlled()?;
    let (word, bit) = place(descriptor)?;
    (word.load(Relaxed) & bit != 0).then_some(active)
}

/// Carries out what may make descriptors ready: a visible operation, after which those who wait look again.
pub(super) fn change<R>(active: Active, change: impl FnOnce() -> R) -> R {
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

/// Waits until `look` finds something or the time is over; what it found at last, or -1 if a signal has interrupted a
/// wait for descriptors. `what` is what the thread waits for,
/// as far as the world outside the process may help.
pub(super) fn wait(
    active: Active,
    timeout: Option<Duration>,
    what: For<'_>,
    mut look: impl FnMut() -> c_int,
) -> c_int {
    let end = timeout.map(|timeout| active.now() + timeout);
    let mut again = false;
    loop {
        let before = CHANGES.load(SeqCst);
        let ended = match what {
            For::Process => real_time::ended(),
            For::Descriptors(_) | For::FileLock => 0,
        };
        let found = in_order(look());
        if found != 0 || timeout == Some(Duration::ZERO) {
            return found;
        }
        let left = end.map(|end| end.saturating_sub(active.now()));
        let news = real_time::news();
        let interruptible =
            matches!(what, For::Descriptors(_)).then(|| Interruptible::begin(active));
        let waiting = Waiting::begin(what, ended);
        let address = CHANGES.as_ptr().expose_provenance();
        // SAFETY: a static.
        let result = unsafe { active.futex_wait(address, before, left) };
        drop(waiting);
        if interruptible.is_some_and(|it| it.is_interrupted()) {
            return fail(libc::EINTR);
        }
        match result {
            libc::ETIMEDOUT => return in_order(look()),
            0 if real_time::news() != news => {}
            // After the execution nothing waits any more.
            0 if again && CHANGES.load(SeqCst) == before => return 0,
            0 => again = true,
            _ => {}
        }
    }
}

/// What the kernel has found happens after the change that made it so. A load of `CHANGES` may have missed that change
/// under a weak memory model; what also writes cannot.
fn in_order(found: c_int) -> c_int {
    if found != 0 {
        // SAFETY: the thread's own errno, which is that of what was found; other threads may run meanwhile.
        let errno = unsafe { *libc::__errno_location() };
        CHANGES.fetch_add(0, SeqCst);
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = errno };
    }
    found
}

/// Waits until the descriptor can be read from or written to, unless it is not to be waited for.
///
/// # Errors
/// `EAGAIN` if the socket has a time limit, which is over, and `EINTR` if a signal has interrupted the wait.
pub(super) fn wait_for(active: Active, descriptor: c_int, events: i16) -> Result<(), c_int> {
    // SAFETY: asks for the flags of a descriptor.
    let flags = unsafe {
        call(
            libc::SYS_fcntl,
            [descriptor.into(), libc::F_GETFL.into(), 0],
        )
    };
    if flags == -1 || flags & libc::O_NONBLOCK != 0 {
        return Ok(());
    }
    let entry = libc::pollfd {
        fd: descriptor,
        events,
        revents: 0,
    };
    let entries = [entry];
    let limit = time_limit(descriptor, events);
    match wait(active, limit, For::Descriptors(&entries), || {
        let mut entry = entry;
        // SAFETY: one entry of our own.
        unsafe { poll_now(&raw mut entry, 1) }
    }) {
        0 if limit.is_some() => Err(libc::EAGAIN),
        // SAFETY: the thread's own errno. What else the kernel says, it says of the call itself too.
        -1 if unsafe { *libc::__errno_location() } == libc::EINTR => Err(libc::EINTR),
        _ => Ok(()),
    }
}

/// How long a socket waits at most until it can be read from or written to.
fn time_limit(socket: c_int, events: i16) -> Option<Duration> {
    let option = match events & libc::POLLIN != 0 {
        true => libc::SO_RCVTIMEO,
        false => libc::SO_SNDTIMEO,
    };
    let mut time = libc::timeval {
        tv_sec: 0,
        tv_usec: 0,
    };
    let mut length = size_of::<libc::timeval>() as libc::socklen_t;
    let arguments = [
        socket.into(),
        libc::SOL_SOCKET.into(),
        option.into(),
        (&raw mut time).expose_provenance() as c_long,
        (&raw mut length).expose_provenance() as c_long,
    ];
    // SAFETY: places of our own, of the size that is said.
    let asked = unsafe { raw_call(libc::SYS_getsockopt, arguments) };
    let limit = Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1_000);
    (asked == 0 && limit != Duration::ZERO).then_some(limit)
}

/// What is ready now, as `poll(2)` says it.
///
/// # Safety
/// There are so many entries.
pub(super) unsafe fn poll_now(entries: *mut libc::pollfd, length: libc::nfds_t) -> c_int {
    let time = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let arguments = [
        entries.expose_provenance() as c_long,
        length as c_long,
        (&raw const time).expose_provenance() as c_long,
        0,
        0,
    ];
    // SAFETY: by this function's contract; a time of our own.
    unsafe { call(libc::SYS_ppoll, arguments) }
}

/// Tells the engine where threads wait that look again when something has happened outside.
pub(super) fn set_hook() {
    real_time::set_hook(CHANGES.as_ptr().expose_provenance());
}

/// Watches a descriptor no longer: it was closed.
pub(super) fn forget(descriptor: c_int) {
    if let Some((word, bit)) = place(descriptor) {
        word.fetch_and(!bit, Relaxed);
    }
}
