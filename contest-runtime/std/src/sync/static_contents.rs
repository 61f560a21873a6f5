//! What the engine must know of a lock in static memory to put its contents back after an execution.

use std::panic::Location;

use contest_engine::execution::{Active, KeptLock, Mend};

/// A lock whose contents this thread holds now.
pub(super) struct StaticLock<'a, T: ?Sized, L: ?Sized> {
    pub(super) lock: &'a L,
    pub(super) content: *mut T,
    pub(super) what: &'static str,
    pub(super) poisoned: bool,
    pub(super) unpoison: fn(&L),
}

impl<T: ?Sized, L: ?Sized> StaticLock<'_, T, L> {
    /// Notes the lock, if it is in static memory. To be called when the lock has been granted and before its contents
    /// are used.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(super) fn keep(self, active: Active) {
        let lock: *const L = self.lock;
        let (content, unpoison) = (self.content, self.unpoison);
        let location = Location::caller();
        let what = self.what;
        // SAFETY: the lock is in the executable's static data and lives as long as the process; the engine calls this
        // when no thread of the execution can use the lock any more, and drops contents only if it puts others in their
        // place at once.
        let mend: Box<dyn FnMut(Mend) + '_> = Box::new(move |mend| unsafe {
            match mend {
                Mend::Drop => content.drop_in_place(),
                Mend::Unpoison => unpoison(&*lock),
            }
        });
        // SAFETY: only the lifetime changes; what is in static memory has types without borrows of anything
        // shorter-lived.
        let mend: Box<dyn FnMut(Mend)> = unsafe { std::mem::transmute(mend) };
        let lock = KeptLock {
            whole: (lock.expose_provenance(), size_of_val(self.lock)),
            // SAFETY: the caller holds the lock, so the contents can be looked at.
            content: (
                content.expose_provenance(),
                size_of_val(unsafe { &*content }),
            ),
            poisoned: self.poisoned,
            has_destructor: std::mem::needs_drop::<T>(),
            what,
            location,
            mend,
        };
        // SAFETY: the caller has looked that the lock is in static memory; its contents are a field of it.
        unsafe { active.keep_static_lock(lock) };
    }
}
