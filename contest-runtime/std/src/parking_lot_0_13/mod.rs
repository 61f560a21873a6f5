//! Drop-in for parking_lot 0.13, whose lock_api is 0.5: an acquisition has a value there, which goes back with it.
//!
//! Not a module of contest-std: `cargo contest` compiles these files in place of that parking_lot
//! (`instrument/lock_stand_in.rs` of the tool). The parts that the interfaces have in common are those of the drop-in
//! for 0.12, and its description of what is different holds here, too. Condition variables are lock_api's. A recursive
//! lock lets readers in, whoever waits to write.

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

#[cfg(feature = "send_guard")]
type Guard = lock_api::GuardSend;
#[cfg(not(feature = "send_guard"))]
type Guard = lock_api::GuardNoSend;

/// As in parking_lot.
pub type Condvar = lock_api::Condvar<RawCondvar>;
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
/// As in parking_lot.
pub type ReentrantMutex<T> = lock_api::ReentrantMutex<RawMutex, RawThreadId, T>;
/// As in parking_lot.
pub type ReentrantMutexGuard<'a, T> = lock_api::ReentrantMutexGuard<'a, RawMutex, RawThreadId, T>;
/// As in parking_lot.
pub type MappedReentrantMutexGuard<'a, T> =
    lock_api::MappedReentrantMutexGuard<'a, RawMutex, RawThreadId, T>;
