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
//! * A writer that waits does not hold readers back, as parking_lot's does; so [`RwLock::read`] and `read_recursive`
//!   are the same, and the deadlock of a nested `read` beside a waiting writer is not found.
//! * The contents of a lock in a `static` stay as the last execution left them; those of [`crate::sync`] are put back.
//! * Two threads that begin to wait on one [`Condvar`] with different mutexes at the very same time are not reported.
//! * A deadline (`try_lock_until`, `wait_until`) is turned into a length of virtual time by the clock at the call.

mod condvar;
mod once;
mod raw_fair_mutex;
mod raw_mutex;
mod raw_rwlock;
mod remutex;

pub use ::lock_api;
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

/// As in parking_lot.
pub type Mutex<T> = lock_api::Mutex<RawMutex, T>;
/// As in parking_lot.
pub type MutexGuard<'a, T> = lock_api::MutexGuard<'a, RawMutex, T>;
/// As in parking_lot.
pub type MappedMutexGuard<'a, T> = lock_api::MappedMutexGuard<'a, RawMutex, T>;
/// As in parking_lot.
pub type FairMutex<T> = lock_api::Mutex<RawFairMutex, T>;
/// As in parking_lot.
pub type FairMutexGuard<'a, T> = lock_api::MutexGuard<'a, RawFairMutex, T>;
/// As in parking_lot.
pub type MappedFairMutexGuard<'a, T> = lock_api::MappedMutexGuard<'a, RawFairMutex, T>;
/// As in parking_lot.
pub type RwLock<T> = lock_api::RwLock<RawRwLock, T>;
/// As in parking_lot.
pub type RwLockReadGuard<'a, T> = lock_api::RwLockReadGuard<'a, RawRwLock, T>;
/// As in parking_lot.
pub type RwLockWriteGuard<'a, T> = lock_api::RwLockWriteGuard<'a, RawRwLock, T>;
/// As in parking_lot.
pub type RwLockUpgradableReadGuard<'a, T> = lock_api::RwLockUpgradableReadGuard<'a, RawRwLock, T>;
/// As in parking_lot.
pub type MappedRwLockReadGuard<'a, T> = lock_api::MappedRwLockReadGuard<'a, RawRwLock, T>;
/// As in parking_lot.
pub type MappedRwLockWriteGuard<'a, T> = lock_api::MappedRwLockWriteGuard<'a, RawRwLock, T>;
/// As in parking_lot.
pub type ReentrantMutex<T> = lock_api::ReentrantMutex<RawMutex, RawThreadId, T>;
/// As in parking_lot.
pub type ReentrantMutexGuard<'a, T> = lock_api::ReentrantMutexGuard<'a, RawMutex, RawThreadId, T>;
/// As in parking_lot.
pub type MappedReentrantMutexGuard<'a, T> =
    lock_api::MappedReentrantMutexGuard<'a, RawMutex, RawThreadId, T>;

/// A new mutex in a constant.
pub const fn const_mutex<T>(value: T) -> Mutex<T> {
    Mutex::from_raw(<RawMutex as lock_api::RawMutex>::INIT, value)
}

/// A new fair mutex in a constant.
pub const fn const_fair_mutex<T>(value: T) -> FairMutex<T> {
    FairMutex::from_raw(<RawFairMutex as lock_api::RawMutex>::INIT, value)
}

/// A new reader-writer lock in a constant.
pub const fn const_rwlock<T>(value: T) -> RwLock<T> {
    RwLock::from_raw(<RawRwLock as lock_api::RawRwLock>::INIT, value)
}

/// A new reentrant mutex in a constant.
pub const fn const_reentrant_mutex<T>(value: T) -> ReentrantMutex<T> {
    ReentrantMutex::from_raw(
        <RawMutex as lock_api::RawMutex>::INIT,
        <RawThreadId as lock_api::GetThreadId>::INIT,
        value,
    )
}

/// How long until then, by the clock that the caller sees.
fn until(deadline: std::time::Instant) -> std::time::Duration {
    deadline.saturating_duration_since(std::time::Instant::now())
}
