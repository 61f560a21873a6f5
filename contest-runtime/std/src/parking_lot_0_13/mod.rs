//! Drop-in for parking_lot 0.13, whose lock_api is 0.5: an acquisition has a value there, which goes back with it.
//!
//! Not a module of contest-std: `cargo contest` compiles these files in place of that parking_lot
//! (`instrument/lock_stand_in.rs` of the tool). Files that fit both versions are those of the drop-in for 0.12, and the
//! differences that its description lists exist here, too. Condition variables are lock_api's. A recursive lock admits
//! readers even while a thread waits to write.

#[path = "../parking_lot/once.rs"]
mod once;
mod raw_condvar;
mod raw_fair_mutex;
mod raw_mutex;
mod raw_rwlock;
#[path = "../parking_lot/remutex.rs"]
mod remutex;
#[path = "../parking_lot/runtime.rs"]
mod runtime;
#[path = "../parking_lot/types.rs"]
mod types;

pub use ::lock_api;
#[cfg(feature = "arc_lock")]
pub use ::lock_api::{
    ArcMutexGuard, ArcReentrantMutexGuard, ArcRwLockReadGuard, ArcRwLockUpgradableReadGuard,
    ArcRwLockWriteGuard,
};

pub use lock_api::WaitTimeoutResult;
pub use once::{Once, OnceState};
pub use raw_condvar::RawCondvar;
pub use raw_fair_mutex::RawFairMutex;
pub use raw_mutex::RawMutex;
pub use raw_rwlock::{RawRwLock, RawRwLockRecursive};
pub use remutex::RawThreadId;
pub use types::*;

#[cfg(feature = "send_guard")]
type Guard = lock_api::GuardSend;
#[cfg(not(feature = "send_guard"))]
type Guard = lock_api::GuardNoSend;

/// As in parking_lot.
pub type Condvar = lock_api::Condvar<RawCondvar>;
/// As in parking_lot.
pub type RecursiveRwLock<T> = lock_api::RwLock<RawRwLockRecursive, T>;
/// As in parking_lot.
pub type RecursiveRwLockReadGuard<'a, T> = lock_api::RwLockReadGuard<'a, RawRwLockRecursive, T>;
/// As in parking_lot.
pub type RecursiveRwLockWriteGuard<'a, T> = lock_api::RwLockWriteGuard<'a, RawRwLockRecursive, T>;
/// As in parking_lot.
pub type RecursiveRwLockUpgradableReadGuard<'a, T> =
    lock_api::RwLockUpgradableReadGuard<'a, RawRwLockRecursive, T>;
/// As in parking_lot.
pub type MappedRecursiveRwLockReadGuard<'a, T> =
    lock_api::MappedRwLockReadGuard<'a, RawRwLockRecursive, T>;
/// As in parking_lot.
pub type MappedRecursiveRwLockWriteGuard<'a, T> =
    lock_api::MappedRwLockWriteGuard<'a, RawRwLockRecursive, T>;
