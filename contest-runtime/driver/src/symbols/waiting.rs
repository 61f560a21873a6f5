//! Waiting for descriptors. A thread that would wait in the kernel waits for the engine instead, until another thread
//! has changed a descriptor or virtual time is over; the kernel only says what is ready.

use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use contest_engine::execution::Active;
use contest_std::sync::atomic::{AtomicU32 as Visible, Ordering::SeqCst};
use libc::timespec;

use super::call::{call, controlled, note_opened, raw_call};

/// Descriptors of a higher number are not watched.
const MOST: usize = 1024;
/// How long the kernel may wait, once no thread can run, for what comes from outside the process, in milliseconds.
const PATIENCE: c_int = 10;
/// How often it may do so in one execution.
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

/// Notes that code under test opened a socket.
pub(super) fn note_socket() {
    if controlled().is_some() {
        SOCKETS.store(true, Relaxed);
    }
}

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

/// Waits until `look`, which is given how long the kernel may wait in milliseconds, finds something or the time is
/// over; what it found at last.
pub(super) fn wait(
    active: Active,
    timeout: Option<Duration>,
    mut look: impl FnMut(c_int) -> c_int,
) -> c_int {
    let end = timeout.map(|timeout| active.now() + timeout);
    let mut again = false;
    loop {
        let before = CHANGES.load(SeqCst);
        let found = in_order(look(0));
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
                let found = in_order(look(PATIENCE));
                if found != 0 {
                    return found;
                }
            }
            libc::ETIMEDOUT if timeout.is_none() => active.unsupported(
                "it waits for a socket, and who is at the other end is not under control",
            ),
            libc::ETIMEDOUT => return in_order(look(0)),
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
        CHANGES.fetch_add(0, SeqCst);
    }
    found
}

/// Waits until the descriptor can be read from or written to, unless it is not to be waited for.
pub(super) fn wait_for(active: Active, descriptor: c_int, events: i16) {
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

/// Watches a descriptor no longer: it was closed.
pub(super) fn forget(descriptor: c_int) {
    if let Some((word, bit)) = place(descriptor) {
        word.fetch_and(!bit, Relaxed);
    }
}
