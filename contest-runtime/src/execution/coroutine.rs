//! Coroutines on pooled stacks. The only file that names the coroutine library.

use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// What a suspended fiber is told when it is resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// It is its turn.
    Run,
    /// The execution is over: unwind.
    Unwind,
}

/// The way back from a fiber to whoever resumed it.
#[derive(Clone, Copy)]
pub(crate) struct Suspender(*const Yielder<Wake, ()>);

impl Suspender {
    /// For a thread that has not started yet.
    pub(crate) const NONE: Self = Self(std::ptr::null());

    /// Gives control back; returns when the fiber is resumed.
    ///
    /// # Safety
    /// Must be called on the fiber that this suspender was handed to.
    #[inline]
    pub(crate) unsafe fn suspend(self) -> Wake {
        // SAFETY: the yielder lives on the fiber's own stack for as long as the fiber runs, and the caller runs on it.
        unsafe { (*self.0).suspend(()) }
    }
}

impl std::fmt::Debug for Suspender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Suspender")
    }
}

/// One virtual thread's coroutine.
pub(crate) struct Fiber(Coroutine<Wake, (), (), DefaultStack>);

impl std::fmt::Debug for Fiber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fiber")
    }
}

impl Fiber {
    /// A fiber that will run `body`; nothing runs before the first [`Fiber::resume`].
    ///
    /// # Safety
    /// What `body` borrows must outlive the fiber, and `body` must not unwind.
    pub(crate) unsafe fn new<F: FnOnce(Suspender)>(stack: FiberStack, body: F) -> Self {
        // SAFETY: passed on to the caller; Wake and () are 'static.
        Self(unsafe {
            Coroutine::with_stack_unchecked(stack.0, move |yielder: &Yielder<Wake, ()>, _: Wake| {
                body(Suspender(std::ptr::from_ref(yielder)));
            })
        })
    }

    /// Runs the fiber until it suspends (`false`) or its body returns (`true`).
    #[inline]
    pub(crate) fn resume(&mut self, wake: Wake) -> bool {
        matches!(self.0.resume(wake), CoroutineResult::Return(()))
    }

    /// True once the body has run a first step.
    pub(crate) fn started(&self) -> bool {
        self.0.started()
    }

    /// True once the body has returned.
    pub(crate) fn done(&self) -> bool {
        self.0.done()
    }

    /// Drops the body of a fiber that has not started.
    pub(crate) fn cancel(&mut self) {
        if !self.0.started() {
            self.0.force_unwind();
        }
    }

    /// Gives the stack back. A body that has not started is dropped; one that is suspended is forgotten as it is, without running
    /// its destructors: they never ran and never will, and what they own is leaked unless the caller frees it by other means.
    pub(crate) fn into_stack(mut self) -> FiberStack {
        if !self.0.done() {
            if self.0.started() {
                // SAFETY: the fiber is never resumed again, and nothing outside refers to its stack: other fibers of the
                // execution are given up with it.
                unsafe { self.0.force_reset() };
            } else {
                self.0.force_unwind();
            }
        }
        FiberStack(self.0.into_stack())
    }
}

/// A coroutine stack.
pub(crate) struct FiberStack(DefaultStack);

impl std::fmt::Debug for FiberStack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("FiberStack").field(&self.range()).finish()
    }
}

impl FiberStack {
    /// A stack of at least `bytes` bytes with a guard page below it. Making one costs system calls and page faults, so threads keep
    /// theirs from one execution to the next.
    ///
    /// # Panics
    /// If the system has no memory for another stack.
    pub(crate) fn new(bytes: usize) -> Self {
        Self(
            DefaultStack::new(bytes)
                .expect("the system refused memory for another virtual thread's stack"),
        )
    }

    /// Lowest address and the end; the lowest page is the guard.
    pub(crate) fn range(&self) -> (usize, usize) {
        (self.0.limit().get(), self.0.base().get())
    }
}
