//! Drop-in for `std::sync`. With feature `explore` each type wraps the real one: outside an execution it behaves as the
//! real one, inside, the engine decides when, and then the real object is used without blocking. Without the feature it
//! is `std::sync`.

#[cfg(not(feature = "explore"))]
pub use std::sync::*;

#[cfg(feature = "explore")]
pub use self::explore::*;

#[cfg(feature = "explore")]
pub mod atomic;
#[cfg(feature = "explore")]
pub mod mpsc;

#[cfg(feature = "explore")]
mod barrier;
#[cfg(feature = "explore")]
mod condvar;
#[cfg(feature = "explore")]
mod giving_back;
#[cfg(feature = "explore")]
pub(crate) mod held_elsewhere;
#[cfg(feature = "explore")]
mod initialising;
#[cfg(feature = "explore")]
mod lazy_lock;
#[cfg(feature = "explore")]
mod mutex;
#[cfg(feature = "explore")]
mod once;
#[cfg(feature = "explore")]
mod once_lock;
#[cfg(feature = "explore")]
mod rwlock;
#[cfg(feature = "explore")]
mod rwlock_guards;
#[cfg(feature = "explore")]
mod static_contents;
#[cfg(feature = "explore")]
mod static_once;

#[cfg(feature = "explore")]
mod explore {
    // `Arc`, `Weak`, `PoisonError`, `LockResult` and the like are the real ones; what is replaced shadows the glob.
    pub use std::sync::*;

    pub use super::barrier::{Barrier, BarrierWaitResult};
    pub use super::condvar::{Condvar, WaitTimeoutResult};
    pub use super::lazy_lock::LazyLock;
    pub use super::mutex::{Mutex, MutexGuard};
    #[expect(deprecated, reason = "std still has it")]
    pub use super::once::ONCE_INIT;
    pub use super::once::{Once, OnceState};
    pub use super::once_lock::OnceLock;
    pub use super::rwlock::RwLock;
    pub use super::rwlock_guards::{RwLockReadGuard, RwLockWriteGuard};
}
