//! Waiting of the current thread: parking, sleeping, giving way.

use std::io;
use std::num::NonZero;
use std::time::Duration;

use contest_engine::execution::active;

/// As in `std`.
#[track_caller]
pub fn park() {
    match active() {
        None => std::thread::park(),
        Some(active) => {
            active.park(None);
        }
    }
}

/// As in `std`; virtual time inside an execution.
#[track_caller]
pub fn park_timeout(dur: Duration) {
    match active() {
        None => std::thread::park_timeout(dur),
        Some(active) => {
            active.park(Some(dur));
        }
    }
}

/// As in `std`; virtual time inside an execution.
#[track_caller]
#[deprecated(since = "1.6.0", note = "replaced by `std::thread::park_timeout`")]
pub fn park_timeout_ms(ms: u32) {
    park_timeout(Duration::from_millis(u64::from(ms)));
}

/// As in `std`; virtual time inside an execution.
#[track_caller]
pub fn sleep(dur: Duration) {
    match active() {
        None => std::thread::sleep(dur),
        Some(active) => active.sleep(dur),
    }
}

/// As in `std`; virtual time inside an execution.
#[track_caller]
#[deprecated(since = "1.6.0", note = "replaced by `std::thread::sleep`")]
pub fn sleep_ms(ms: u32) {
    sleep(Duration::from_millis(u64::from(ms)));
}

/// As in `std`; inside an execution this thread waits until another changes something that it read.
#[track_caller]
pub fn yield_now() {
    match active() {
        None => std::thread::yield_now(),
        Some(active) => active.yield_now("yield_now"),
    }
}

/// As in `std`; inside an execution it is about the virtual thread.
#[inline]
#[must_use]
pub fn panicking() -> bool {
    match active() {
        None => std::thread::panicking(),
        Some(active) => active.panicking(),
    }
}

/// As in `std`; 2 inside an execution, on every machine.
///
/// # Errors
/// As in `std`.
pub fn available_parallelism() -> io::Result<NonZero<usize>> {
    const INSIDE: NonZero<usize> = NonZero::<usize>::MIN.saturating_add(1);
    match active() {
        None => std::thread::available_parallelism(),
        Some(_) => Ok(INSIDE),
    }
}
