//! loom's `sync`, and what of `std` needs no replacement.

pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

pub use super::arc::Arc;
pub use super::barrier::{Barrier, BarrierWaitResult};
pub mod atomic {
    //! Atomics of loom, whose operations are in the log of a failure.
    pub use crate::atomic::*;
}
pub use super::locks::{
    Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, WaitTimeoutResult,
};
pub use super::mpsc;
pub use super::once::{LazyLock, Once, OnceLock, OnceState};
pub use loom::sync::Notify;
