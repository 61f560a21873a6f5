//! Statics that every execution has anew.

use std::fmt;

#[cfg(feature = "explore")]
use crate::sync::LazyLock;

/// A value made at first use: inside executions once in each, and dropped at its end after all threads have ended;
/// outside once in the process. What [`lazy_static!`](crate::lazy_static!) declares.
pub struct Lazy<T: 'static> {
    real: std::sync::LazyLock<T>,
    #[cfg_attr(
        not(feature = "explore"),
        expect(dead_code, reason = "there are no executions")
    )]
    init: fn() -> T,
}

impl<T: 'static> Lazy<T> {
    /// A value that `init` makes.
    #[must_use]
    pub const fn new(init: fn() -> T) -> Self {
        Self {
            real: std::sync::LazyLock::new(init),
            init,
        }
    }

    /// The value. Inside an execution the reference is valid to its end only.
    ///
    /// # Panics
    /// If the initialiser panics or has panicked, or if the statics of the execution have been dropped already.
    #[track_caller]
    pub fn get(&'static self) -> &'static T {
        #[cfg(feature = "explore")]
        if let Some(active) = contest_engine::execution::active() {
            let key = std::ptr::from_ref(self).addr();
            let Some(value) = active.execution_static(key, || LazyLock::new(self.init)) else {
                panic!("a static is used after the statics of this execution were dropped");
            };
            // SAFETY: the value is dropped when all threads of the execution have ended; no code of theirs that could
            // use the reference runs later. That it is `'static` to the compiler is what a `static` promises in the
            // program that is modelled.
            let value: &'static LazyLock<T> = unsafe { &*value };
            return LazyLock::force(value);
        }
        &self.real
    }
}

impl<T: 'static> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lazy").finish_non_exhaustive()
    }
}
