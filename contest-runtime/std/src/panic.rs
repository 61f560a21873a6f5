//! Drop-in for `std::panic`: a hook of code under test does not keep panics from the record.

pub use std::panic::*;

#[cfg(feature = "explore")]
pub use explore::{catch_unwind, set_hook, take_hook};

#[cfg(feature = "explore")]
mod explore {
    use std::panic::{PanicHookInfo, UnwindSafe};

    use contest_engine::execution::{active, panics};

    use crate::sync::atomic::{AtomicU32, Ordering::SeqCst};

    /// Orders changes of the hook and calls of it, as the lock in `std` does: visible operations, without the place of
    /// the caller, as those of the system.
    static CHANGES: AtomicU32 = AtomicU32::new(0);

    type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static>;

    /// As in `std`.
    ///
    /// # Errors
    /// What `f` panicked with.
    pub fn catch_unwind<F: FnOnce() -> R + UnwindSafe, R>(f: F) -> std::thread::Result<R> {
        let result = std::panic::catch_unwind(f);
        if result.is_err() && active().is_some() {
            panics::note_caught();
        }
        result
    }

    /// As in `std`; inside an execution it is a visible operation.
    pub fn take_hook() -> Hook {
        if active().is_none() {
            return std::panic::take_hook();
        }
        panics::note_hook_changed();
        CHANGES.fetch_add(1, SeqCst);
        let hook = std::panic::take_hook();
        CHANGES.fetch_add(0, SeqCst);
        hook
    }

    /// As in `std`; inside an execution it is a visible operation, and panics are recorded before the hook is called.
    pub fn set_hook(hook: Hook) {
        if active().is_none() {
            return std::panic::set_hook(hook);
        }
        panics::note_hook_changed();
        CHANGES.fetch_add(1, SeqCst);
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            panics::note(info);
            hook(info);
            if active().is_some() {
                CHANGES.fetch_add(0, SeqCst);
            }
        }));
        CHANGES.fetch_add(0, SeqCst);
        drop(before);
    }
}
