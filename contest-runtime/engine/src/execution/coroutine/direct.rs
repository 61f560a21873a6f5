//! A switch of our own for x86-64: thread to thread, without a stop at the engine.
//!
//! A coroutine library switches between a coroutine and its parent only, so that giving way would be two switches; and
//! a processor predicts where a function returns to from a stack of its own, which a detour by way of the engine puts
//! out of step: three wrong predictions for each switch, which cost more than its instructions.
//!
//! The one that gives way pushes where it goes on and the two registers that the compiler keeps to itself, and leaves
//! its stack pointer in its [`Fiber`]; all other registers are declared overwritten, so the compiler saves those in
//! use. Floating-point control words are left as they are, as in corosensei.

use std::arch::{asm, naked_asm};
use std::mem::{align_of, size_of};
use std::ptr::{null_mut, write};

use corosensei::stack::{DefaultStack, Stack};

/// One coroutine, or the place of whoever resumed the first one.
#[repr(C)]
pub(crate) struct Fiber {
    /// Where it goes on, while it does not run; null once it has ended.
    stack_pointer: *mut usize,
    /// `stack_pointer` as it was before the first step.
    initial: *mut usize,
    drop_body: unsafe fn(*mut u8),
    stack: Option<DefaultStack>,
}

impl std::fmt::Debug for Fiber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fiber")
    }
}

/// The words at the start of a stack, from its top: see `start`.
const INITIAL_WORDS: usize = 4;

impl Fiber {
    /// A fiber goes to the next one, or to itself, without a stop at the root.
    pub(crate) const HANDS_OVER: bool = true;

    /// With nothing to run; a stack is made when there is.
    pub(crate) const fn empty() -> Self {
        Self {
            stack_pointer: null_mut(),
            initial: null_mut(),
            drop_body: |_| {},
            stack: None,
        }
    }

    /// Gives a fiber that is done a body; nothing runs before it is resumed or handed over to. The body returns the
    /// fiber that runs next: the root, or a fiber that is not done and does not run.
    ///
    /// # Safety
    /// The fiber is not moved as long as it is used. What the body borrows outlives the run. The body does not unwind.
    #[inline]
    pub(crate) unsafe fn start<F>(this: *mut Self, stack_bytes: usize, body: F)
    where
        F: FnOnce() -> *mut Self,
    {
        // SAFETY: the fiber is valid, and there is no other reference to one that is done.
        let fiber = unsafe { &mut *this };
        let stack = fiber
            .stack
            .get_or_insert_with(|| super::new_stack(stack_bytes));
        let body = Body { fiber: this, body };
        let size = size_of::<Body<F>>();
        assert!(
            size < stack_bytes / 2,
            "the stack of a virtual thread has room for what its closure captures"
        );
        let align = align_of::<Body<F>>().max(16);
        let place = (stack.base().get() - size) & !(align - 1);
        let place = std::ptr::with_exposed_provenance_mut::<Body<F>>(place);
        // SAFETY: `place` is on the fiber's own stack, which is unused because the fiber is done; the assertion above
        // leaves room for the body and the initial words.
        unsafe {
            place.write(body);
            // What the first switch finds: it goes to `first_step` with the rest; 0 is where unwinders stop.
            let top = place.cast::<usize>().sub(INITIAL_WORDS);
            write(top, first_step as *const () as usize);
            write(top.add(1), place.expose_provenance());
            write(top.add(2), run::<F> as *const () as usize);
            write(top.add(3), 0);
            fiber.stack_pointer = top;
            fiber.initial = top;
        }
        fiber.drop_body = drop_body::<F>;
    }

    /// Runs the fiber, and those that it hands over to, until one of them goes back to the root.
    ///
    /// # Safety
    /// The fiber is not done and does not run; called where `root` is, which is no fiber with a body.
    pub(crate) unsafe fn resume(this: *mut Self, root: *mut Self) {
        // SAFETY: by this function's contract the code runs on `root`, and `this` is suspended and not done.
        unsafe { Self::switch(root, this) };
    }

    /// Goes back to the root; returns when the fiber is resumed.
    ///
    /// # Safety
    /// Called on the fiber `this`, which was resumed from `root`, directly or not.
    #[inline(never)]
    pub(crate) unsafe fn suspend(this: *mut Self, root: *mut Self) {
        // SAFETY: by this function's contract the code runs on `this`; `root` is suspended since it resumed a fiber.
        unsafe { Self::switch(this, root) };
    }

    /// Lets `next`, which may be this one, go on in place of this one; returns when this one's turn has come.
    ///
    /// # Safety
    /// Called on the fiber `this`; `next` is this one, or is not done and does not run.
    #[inline(always)]
    pub(crate) unsafe fn hand_over(this: *mut Self, next: *mut Self, _root: *mut Self) {
        // SAFETY: by this function's contract the code runs on `this`, and `next` is `this` or is suspended and not
        // done.
        unsafe { Self::switch(this, next) };
    }

    /// # Safety
    /// Called on the fiber `from`; `to` is the same one, or is suspended and not done.
    #[inline(always)]
    unsafe fn switch(from: *mut Self, to: *mut Self) {
        // SAFETY: what is at `to` was pushed here, or laid out by `start` in the same way. A jump rather than a return:
        // the processor's stack of return addresses stays that of the functions below, which is that of the other
        // thread more often than not.
        unsafe {
            asm!(
                "lea rax, [rip + 2f]",
                "push rbp",
                "push rbx",
                "push rax",
                "mov [rdi], rsp",
                "mov rsp, [rsi]",
                "pop rax",
                "jmp rax",
                "2:",
                "pop rbx",
                "pop rbp",
                inout("rdi") from => _,
                inout("rsi") to => _,
                out("r12") _,
                out("r13") _,
                out("r14") _,
                out("r15") _,
                clobber_abi("sysv64"),
            );
        }
    }

    /// True once the body has run a first step.
    pub(crate) fn started(&self) -> bool {
        self.stack_pointer != self.initial
    }

    /// True if there is no body that has not returned. Not known of a fiber that runs.
    #[inline]
    pub(crate) fn done(&self) -> bool {
        self.stack_pointer.is_null()
    }

    /// Drops the body of a fiber that has not started.
    pub(crate) fn cancel(&mut self) {
        if !self.done() && !self.started() {
            self.stack_pointer = null_mut();
            // SAFETY: `start` laid it out; the body is dropped once, as the fiber is done now.
            unsafe {
                let body = std::ptr::with_exposed_provenance_mut(*self.initial.add(1));
                (self.drop_body)(body);
            }
        }
    }

    /// Forgets what is unfinished: destructors that have not run never will, and what the body owns is leaked unless
    /// the caller frees it by other means.
    pub(crate) fn give_up(&mut self) {
        self.stack_pointer = null_mut();
    }

    /// Lowest address of the stack and its end; the lowest page is the guard. Zeros before there is one.
    pub(crate) fn stack_range(&self) -> (usize, usize) {
        self.stack.as_ref().map_or((0, 0), super::range)
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// What lies at the base of a stack.
struct Body<F> {
    fiber: *mut Fiber,
    body: F,
}

/// # Safety
/// `body` is that of a fiber that has not started, and is not used again.
unsafe fn drop_body<F>(body: *mut u8) {
    // SAFETY: `start` wrote a `Body<F>` here together with this function, and by this function's contract it has not
    // been taken and is not used again.
    unsafe { body.cast::<Body<F>>().drop_in_place() };
}

/// The first step of a fiber: takes what `start` laid out and jumps to `run`, as if called from address 0 with no frame
/// below. Functions save the other registers that they keep to the stack, from where values copy them with their
/// padding; with 0 in them, what an execution leaves in memory does not depend on what ran before.
#[unsafe(naked)]
extern "sysv64" fn first_step() {
    naked_asm!(
        "pop rdi",
        "pop rax",
        "xor ebp, ebp",
        "xor ebx, ebx",
        "xor r12d, r12d",
        "xor r13d, r13d",
        "xor r14d, r14d",
        "xor r15d, r15d",
        "jmp rax"
    );
}

/// What runs on a stack, from its base.
///
/// # Safety
/// Called by `first_step`, with the body that `start` wrote.
unsafe extern "sysv64" fn run<F>(place: *mut Body<F>) -> !
where
    F: FnOnce() -> *mut Fiber,
{
    // SAFETY: written by `start`, and taken once only.
    let Body { fiber, body } = unsafe { place.read() };
    let next = body();
    // SAFETY: this fiber exists as long as it runs; the other one waits where it was pushed, see `switch`.
    unsafe {
        (*fiber).stack_pointer = null_mut();
        asm!(
            "mov rsp, [{next}]",
            "pop rax",
            "jmp rax",
            next = in(reg) next,
            options(noreturn),
        );
    }
}
