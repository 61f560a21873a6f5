//! `JoinHandle`.

use std::fmt;

use super::handle::Thread;
use super::packet::Packet;
use super::shared::Shared;
use contest_engine::execution::{Teardown, active};

/// Drop-in for `std::thread::JoinHandle`.
pub struct JoinHandle<T> {
    kind: Kind<T>,
    thread: Thread,
}

enum Kind<T> {
    Real(std::thread::JoinHandle<T>),
    Virtual(Shared<Packet<'static, T>>),
}

// SAFETY: as for the real one: the result can be had only by consuming the handle, and a thread whose result is not
// `Send` cannot be made.
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: a shared handle reaches the thread and whether it has finished, never the result.
unsafe impl<T> Sync for JoinHandle<T> {}

impl<T> JoinHandle<T> {
    pub(super) fn real(handle: std::thread::JoinHandle<T>) -> Self {
        Self {
            thread: Thread::real(handle.thread().clone()),
            kind: Kind::Real(handle),
        }
    }

    pub(super) fn of_virtual(thread: Thread, packet: Shared<Packet<'static, T>>) -> Self {
        Self {
            kind: Kind::Virtual(packet),
            thread,
        }
    }

    /// As in `std`.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// As in `std`.
    ///
    /// # Errors
    /// The payload, if the thread panicked.
    ///
    /// # Panics
    /// If it is a virtual thread whose execution ended before the thread did.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        match self.kind {
            Kind::Real(handle) => handle.join(),
            Kind::Virtual(packet) => join_virtual(&self.thread, packet),
        }
    }

    /// As in `std`.
    #[must_use]
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.kind {
            Kind::Real(handle) => handle.is_finished(),
            Kind::Virtual(packet) => is_finished_virtual(&self.thread, packet),
        }
    }
}

/// Waits for a virtual thread and takes its result.
#[track_caller]
pub(super) fn join_virtual<'scope, T>(
    thread: &Thread,
    packet: Shared<Packet<'scope, T>>,
) -> std::thread::Result<T> {
    if let (Some(active), Some(index)) = (active(), thread.index()) {
        active.join(index);
    }
    match (Packet::take(packet), active()) {
        // Its execution unwound it, and is over.
        (Some(Err(payload)), None) if payload.is::<Teardown>() => {
            panic!("contest: joined a thread of an execution that ended before the thread did")
        }
        (Some(result), active) => {
            if result.is_err()
                && let (Some(active), Some(index)) = (active, thread.index())
            {
                active.panic_taken(index);
            }
            result
        }
        (None, _) => {
            panic!("contest: joined a thread of an execution that ended before the thread did")
        }
    }
}

/// True if a virtual thread has ended.
#[track_caller]
pub(super) fn is_finished_virtual<T>(thread: &Thread, packet: &Shared<Packet<'_, T>>) -> bool {
    match (active(), thread.index()) {
        (Some(active), Some(index)) => active.is_finished(index),
        _ => Packet::is_finished(packet),
    }
}

/// Of a virtual thread: the OS thread that runs it.
#[cfg(unix)]
impl<T> std::os::unix::thread::JoinHandleExt for JoinHandle<T> {
    fn as_pthread_t(&self) -> std::os::unix::thread::RawPthread {
        match &self.kind {
            Kind::Real(handle) => handle.as_pthread_t(),
            Kind::Virtual(_) => this_pthread(),
        }
    }

    fn into_pthread_t(self) -> std::os::unix::thread::RawPthread {
        match self.kind {
            Kind::Real(handle) => handle.into_pthread_t(),
            Kind::Virtual(_) => this_pthread(),
        }
    }
}

#[cfg(unix)]
#[allow(
    clippy::unnecessary_cast,
    reason = "the two types differ on some systems"
)]
fn this_pthread() -> std::os::unix::thread::RawPthread {
    // SAFETY: always allowed.
    unsafe { libc::pthread_self() as std::os::unix::thread::RawPthread }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}
