//! A value that tasks share; every access to it is one visible operation.

#[cfg(feature = "explore")]
use std::sync::atomic::AtomicU8;
use std::sync::{Mutex, PoisonError};

/// A value that tasks share. Never blocks; what is done to it must be no visible operation itself.
#[derive(Debug, Default)]
pub(super) struct Shared<T> {
    value: Mutex<T>,
    /// Stands for the value: what an operation reads under RC11 is put into its memory, which is no mutex, therefore.
    #[cfg(feature = "explore")]
    access: AtomicU8,
}

impl<T> Shared<T> {
    /// Looks at the value, as one operation called `name`.
    #[track_caller]
    pub(super) fn look<R: Into<u64> + Copy>(
        &self,
        name: &'static str,
        f: impl FnOnce(&T) -> R,
    ) -> R {
        self.operate(name, false, |value| f(value), |seen| (*seen).into())
    }

    /// Does something with the value, as one operation called `name`.
    #[track_caller]
    pub(super) fn access<R>(&self, name: &'static str, f: impl FnOnce(&mut T) -> R) -> R {
        self.operate(name, true, f, |_| 0)
    }

    #[track_caller]
    fn operate<R>(
        &self,
        name: &'static str,
        writes: bool,
        f: impl FnOnce(&mut T) -> R,
        bits: impl FnOnce(&R) -> u64,
    ) -> R {
        let perform = || f(&mut self.value.lock().unwrap_or_else(PoisonError::into_inner));
        #[cfg(feature = "explore")]
        if let Some(active) = contest_engine::execution::active() {
            use contest_engine::execution::{AtomicEffect, AtomicKind, AtomicOperation};
            use std::sync::atomic::Ordering::{AcqRel, Acquire};
            let operation = AtomicOperation {
                address: self.access.as_ptr().expose_provenance(),
                size: 1,
                kind: if writes {
                    AtomicKind::Rmw(contest_data::trace::Update::Conditional)
                } else {
                    AtomicKind::Load
                },
                ordering: if writes { AcqRel } else { Acquire },
                name,
            };
            let act = || {
                let result = perform();
                let seen = bits(&result);
                let effect = if writes {
                    AtomicEffect::ReadWrote(0, 0)
                } else {
                    AtomicEffect::Read(seen)
                };
                (result, effect)
            };
            // SAFETY: a byte of this value, which is borrowed.
            return unsafe { active.atomic(operation, act) };
        }
        #[cfg(not(feature = "explore"))]
        let _ = (name, writes, bits);
        perform()
    }
}
