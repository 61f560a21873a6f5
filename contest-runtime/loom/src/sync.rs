//! loom's `sync`, and what of `std` needs no replacement.

pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

pub use super::arc::Arc;
pub use super::atomic;
pub use super::locks::{
    Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, WaitTimeoutResult,
};
pub use loom::sync::{Notify, mpsc};
