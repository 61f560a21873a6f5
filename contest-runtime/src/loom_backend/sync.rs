//! loom's `sync`, and what of `std` needs no replacement.

pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

pub use super::arc::Arc;
pub use loom::sync::{
    Condvar, Mutex, MutexGuard, Notify, RwLock, RwLockReadGuard, RwLockWriteGuard,
    WaitTimeoutResult, mpsc,
};

/// loom's atomics.
pub mod atomic {
    pub use loom::sync::atomic::*;
    pub use std::sync::atomic::Ordering;
}
