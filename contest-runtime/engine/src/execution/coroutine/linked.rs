//! Fibers by the coroutine library, for targets without a switch of our own: every switch goes through the root.

use corosensei::stack::{DefaultStack, STACK_ALIGNMENT};
use corosensei::{Coroutine, Yielder};

use std::mem::align_of;

type Link = Yielder<(), ()>;

/// One coroutine, or the place of whoever resumed the first one.
pub(crate) struct Fiber {
    coroutine: Option<Coroutine<(), (), (), DefaultStack>>,
    /// The way back, while the body runs.
    link: *const Link,
    /// The stack, while there is no body.
    stack: Option<DefaultStack>,
    range: (usize, usize),
}

impl std::fmt::Debug for Fiber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fiber")
    }
}

impl Fiber {
    /// Every switch goes through the root.
    pub(crate) const HANDS_OVER: bool = false;

    /// With nothing to run; a stack is made when there is.
    pub(crate) const fn empty() -> Self {
        Self {
            coroutine: None,
            link: std::ptr::null(),
            stack: None,
            range: (0, 0),
        }
    }

    /// # Safety
    /// That of `start`.
    unsafe fn on_stack<F>(
        this: *mut Self,
        stack: DefaultStack,
        body: F,
    ) -> Coroutine<(), (), (), DefaultStack>
    where
        F: FnOnce() -> *mut Self,
    {
        // SAFETY: by the contract of `start`, what the body borrows outlives the run, and `this` is not moved
        // meanwhile. The input, yield and return types are `()`, which is 'static.
        unsafe {
            Coroutine::with_stack_unchecked(stack, move |link: &Link, ()| {
                (*this).link = link;
                body();
            })
        }
    }

    /// Gives a fiber that is done a body; nothing runs before it is resumed. The fiber that the body returns is ignored
    /// here: the root resumes it.
    ///
    /// # Safety
    /// The fiber is not moved as long as it is used. What the body borrows outlives the run. The body does not unwind.
    pub(crate) unsafe fn start<F>(this: *mut Self, stack_bytes: usize, body: F)
    where
        F: FnOnce() -> *mut Self,
    {
        // SAFETY: the fiber is valid, and there is no other reference to one that is done.
        let fiber = unsafe { &mut *this };
        fiber.keep_stack();
        let stack = fiber.stack.take();
        let stack = stack.unwrap_or_else(|| super::new_stack(stack_bytes));
        fiber.range = super::range(&stack);
        // SAFETY: `on_stack` has the contract of this function: the fiber is not moved, what the body borrows outlives
        // the run, and the body does not unwind.
        fiber.coroutine = Some(unsafe {
            if align_of::<F>() > STACK_ALIGNMENT {
                // The library lays nothing on a stack that is to be aligned more strictly than the stack.
                let body = Box::new(body);
                Self::on_stack(this, stack, move || body())
            } else {
                Self::on_stack(this, stack, body)
            }
        });
    }

    /// Runs the fiber until it suspends or hands over, or its body returns.
    ///
    /// # Safety
    /// The fiber is not done and does not run; called where `root` is, which is no fiber with a body.
    pub(crate) unsafe fn resume(this: *mut Self, _root: *mut Self) {
        // SAFETY: the fiber itself uses its link only.
        if let Some(coroutine) = unsafe { &mut (*this).coroutine } {
            coroutine.resume(());
        }
    }

    /// Goes back to the root; returns when the fiber is resumed.
    ///
    /// # Safety
    /// Called on the fiber `this`.
    pub(crate) unsafe fn suspend(this: *mut Self, _root: *mut Self) {
        // SAFETY: the link is on the fiber's own stack for as long as the body runs, and the caller runs on it.
        unsafe { (*(*this).link).suspend(()) };
    }

    /// Goes back to the root, which lets `_next` go on; returns when this one's turn has come.
    ///
    /// # Safety
    /// Called on the fiber `this`.
    pub(crate) unsafe fn hand_over(this: *mut Self, _next: *mut Self, root: *mut Self) {
        // SAFETY: by this function's contract the code runs on `this`.
        unsafe { Self::suspend(this, root) };
    }

    /// True once the body has run a first step.
    pub(crate) fn started(&self) -> bool {
        self.coroutine.as_ref().is_none_or(Coroutine::started)
    }

    /// True if there is no body that has not returned.
    pub(crate) fn done(&self) -> bool {
        self.coroutine.as_ref().is_none_or(Coroutine::done)
    }

    /// Drops the body of a fiber that has not started.
    pub(crate) fn cancel(&mut self) {
        if let Some(coroutine) = &mut self.coroutine
            && !coroutine.started()
        {
            coroutine.force_unwind();
        }
    }

    /// Forgets what is unfinished: destructors that have not run never will, and what the body owns is leaked unless
    /// the caller frees it by other means.
    pub(crate) fn give_up(&mut self) {
        if let Some(coroutine) = &mut self.coroutine
            && !coroutine.done()
        {
            // SAFETY: it is never resumed again, and nothing outside refers to its stack: other fibers are given up
            // with it.
            unsafe { coroutine.force_reset() };
        }
    }

    /// Lowest address of the stack and its end; the lowest page is the guard. Zeros before there is one.
    pub(crate) fn stack_range(&self) -> (usize, usize) {
        self.range
    }

    fn keep_stack(&mut self) {
        if let Some(coroutine) = self.coroutine.take() {
            self.stack = Some(coroutine.into_stack());
        }
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        self.cancel();
        self.give_up();
    }
}
