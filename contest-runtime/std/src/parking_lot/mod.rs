//! Drop-in for parking_lot 0.12: its types over locks that the engine sees. Without feature `explore` this *is*
//! parking_lot.
//!
//! ```
//! use contest::parking_lot::{Mutex, RwLock};
//!
//! let balance = Mutex::new(1);
//! *balance.lock() += 1;
//! let names = RwLock::new(vec!["a"]);
//! let reading = names.upgradable_read();
//! if reading.len() < 2 {
//!     contest::parking_lot::RwLockUpgradableReadGuard::upgrade(reading).push("b");
//! }
//! assert_eq!(*balance.lock() as usize, names.read().len());
//! ```
//!
//! Guards, mapped guards and all their methods are lock_api's, as parking_lot's are. What differs inside an execution:
//! * Fair and unfair unlocking are the same: whoever waits may come next, or the thread itself again. A fair unlock
//!   hands the lock over only to a thread that is parked already, which no thread can know of another, so each of these
//!   orders is possible.
//! * A thread that waits to write holds readers back, as in parking_lot. One that waits for a limited time, or to
//!   upgrade, does not, so the deadlock of a second read beside it is not found. `try_read`
//!   succeeds while a thread waits to write, where parking_lot's fails, and `try_read_recursive` is the same.
//! * The contents of a lock in a `static` stay as the last execution left them, except in drivers; those of
//!   [`crate::sync`] are put back.
//! * Two threads that begin to wait on one [`Condvar`] with different mutexes at the very same time are not reported.
//! * A deadline (`try_lock_until`, `wait_until`) is turned into a length of virtual time by the clock at the call.
//!
//! # In place of parking_lot
//!
//! These files are a crate, too: `cargo contest` compiles them in place of parking_lot where a crate under test depends
//! on that, with its features and its lock_api (`cfg(contest_stand_in)`; `instrument/lock_stand_in.rs` of the tool). So
//! nothing here names a crate but lock_api, and what is of the engine comes from `runtime`.

mod condvar;
mod once;
mod raw_fair_mutex;
mod raw_mutex;
mod raw_rwlock;
mod remutex;
mod runtime;
mod types;

pub use ::lock_api;
#[cfg(any(not(contest_stand_in), feature = "arc_lock"))]
pub use ::lock_api::{
    ArcMutexGuard, ArcReentrantMutexGuard, ArcRwLockReadGuard, ArcRwLockUpgradableReadGuard,
    ArcRwLockWriteGuard,
};

pub use condvar::{Condvar, WaitTimeoutResult};
pub use once::{Once, OnceState};
pub use raw_fair_mutex::RawFairMutex;
pub use raw_mutex::RawMutex;
pub use raw_rwlock::RawRwLock;
pub use remutex::RawThreadId;
pub use types::*;

#[cfg(all(contest_stand_in, feature = "send_guard"))]
type GuardMarker = lock_api::GuardSend;
#[cfg(not(all(contest_stand_in, feature = "send_guard")))]
type GuardMarker = lock_api::GuardNoSend;

/// A new mutex in a constant.
pub const fn const_mutex<T>(value: T) -> Mutex<T> {
    Mutex::const_new(<RawMutex as lock_api::RawMutex>::INIT, value)
}

/// A new fair mutex in a constant.
pub const fn const_fair_mutex<T>(value: T) -> FairMutex<T> {
    FairMutex::const_new(<RawFairMutex as lock_api::RawMutex>::INIT, value)
}

/// A new reader-writer lock in a constant.
pub const fn const_rwlock<T>(value: T) -> RwLock<T> {
    RwLock::const_new(<RawRwLock as lock_api::RawRwLock>::INIT, value)
}

/// A new reentrant mutex in a constant.
pub const fn const_reentrant_mutex<T>(value: T) -> ReentrantMutex<T> {
    ReentrantMutex::const_new(
        <RawMutex as lock_api::RawMutex>::INIT,
        <RawThreadId as lock_api::GetThreadId>::INIT,
        value,
    )
}
