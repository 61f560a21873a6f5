//! A value that tasks share; every access to it is one visible operation.

use std::sync::{Mutex, PoisonError};

/// A value that tasks share. Never blocks; what is done to it must be no visible operation itself.
#[derive(Debug, Default)]
pub(super) struct Shared<T>(Mutex<T>);

impl<T> Shared<T> {
    /// Does something with the value, as one operation called `name`.
    #[track_caller]
    pub(super) fn access<R>(&self, name: &'static str, f: impl FnOnce(&mut T) -> R) -> R {
        let perform = || f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
        #[cfg(feature = "explore")]
        if let Some(active) = crate::execution::active() {
            use crate::execution::{AtomicEffect, AtomicKind, AtomicOperation};
            let operation = AtomicOperation {
                address: std::ptr::from_ref(self).addr(),
                size: 1,
                kind: AtomicKind::Rmw,
                ordering: std::sync::atomic::Ordering::AcqRel,
                name,
            };
            return active.atomic(operation, || (perform(), AtomicEffect::ReadWrote(0, 0)));
        }
        #[cfg(not(feature = "explore"))]
        let _ = name;
        perform()
    }
}
