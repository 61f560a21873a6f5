//! How the result of a thread comes to the one that joins it, and how a scope learns that its threads have ended.

use std::any::Any;
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::scope::ScopeState;
use super::shared::Shared;
use contest_engine::execution::active;

/// Place for the result of one thread, shared by the thread and its join handle.
pub(super) struct Packet<'scope, T> {
    scope: Option<Arc<ScopeState>>,
    result: UnsafeCell<Option<std::thread::Result<T>>>,
    _scope: PhantomData<Option<&'scope ScopeState>>,
}

// SAFETY: the thread writes the result before it ends; the join handle reads it, with exclusive access to the packet,
// after.
unsafe impl<T: Send> Sync for Packet<'_, T> {}

impl<'scope, T> Packet<'scope, T> {
    /// The place, and the body of the thread that runs `f` and leaves its result there. The body does not unwind.
    pub(super) fn pair<F>(
        scope: Option<Arc<ScopeState>>,
        f: F,
    ) -> (Shared<Self>, impl FnOnce() + use<'scope, T, F>)
    where
        F: FnOnce() -> T,
    {
        let (packet, theirs) = Shared::pair(Self {
            scope,
            result: UnsafeCell::new(None),
            _scope: PhantomData,
        });
        let f = MaybeDangling::new(f);
        let body = move || {
            let f = f.into_inner();
            let result = catch_unwind(AssertUnwindSafe(f));
            if result.is_err()
                && let Some(active) = active()
            {
                active.panic_escaped();
            }
            // SAFETY: the other owner accesses the result only after this thread has ended.
            unsafe { *theirs.result.get() = Some(result) };
            // Now what the scope borrows may go away.
            drop(theirs);
        };
        (packet, body)
    }

    /// Takes the result after the thread has ended; `None` if it has not.
    pub(super) fn take(mut packet: Shared<Self>) -> Option<std::thread::Result<T>> {
        packet.get_mut()?.result.get_mut().take()
    }

    /// The scope that the thread belongs to.
    pub(super) fn scope(packet: &Shared<Self>) -> Option<&ScopeState> {
        packet.scope.as_deref()
    }

    /// True if the thread has left its result.
    pub(super) fn is_finished(packet: &Shared<Self>) -> bool {
        packet.is_last()
    }
}

impl<T> Drop for Packet<'_, T> {
    fn drop(&mut self) {
        let unhandled_panic = matches!(self.result.get_mut(), Some(Err(_)));
        let dropped: Result<(), Box<dyn Any + Send>> =
            catch_unwind(AssertUnwindSafe(|| *self.result.get_mut() = None));
        if dropped.is_err() {
            // As in `std`: no caller could handle it.
            eprintln!("fatal runtime error: thread result panicked on drop, aborting");
            crate::process::abort();
        }
        if let Some(scope) = &self.scope {
            scope.one_ended(unhandled_panic);
        }
    }
}

/// What a thread runs may live longer than what it borrows, if only for the last instructions of the thread; so it must
/// not be a plain argument, of which the compiler may assume that its references are valid to the end of the call.
struct MaybeDangling<F>(MaybeUninit<F>);

impl<F> MaybeDangling<F> {
    fn new(f: F) -> Self {
        Self(MaybeUninit::new(f))
    }

    fn into_inner(self) -> F {
        let this = ManuallyDrop::new(self);
        // SAFETY: always initialised; `this` is not used or dropped after.
        unsafe { this.0.assume_init_read() }
    }
}

impl<F> Drop for MaybeDangling<F> {
    fn drop(&mut self) {
        // SAFETY: always initialised, and dropped only if `into_inner` has not taken it.
        unsafe { self.0.assume_init_drop() };
    }
}
