//! The one thread-local of the runtime: the execution that runs on this OS thread, and the one access to it at a time.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::ptr::NonNull;

use super::machine::Machine;
use contest_data::decision::{Choice, DecisionPoint, MemoryPoint, Strategy};
use contest_data::limits::{Leeway, MemoryModel};
use contest_data::rng::Rng;
use contest_data::trace::{Event, Pending, ThreadIndex};

thread_local! {
    static CURRENT: Cell<*mut Machine> = const { Cell::new(std::ptr::null_mut()) };
    /// The last operation of the running thread has only read.
    static HAS_ONLY_READ: Cell<bool> = const { Cell::new(false) };
    /// There is an [`Access`]. Builds without debug assertions do not look.
    #[cfg(debug_assertions)]
    static ACCESSED: Cell<bool> = const { Cell::new(false) };
}

/// Makes `machine` current, or none; returns what was.
///
/// # Safety
/// The machine lives until another one, or none, is made current, and until then it is used through what this module
/// hands out and through copies of this pointer, on this OS thread, never while there is an [`Access`].
pub(super) unsafe fn set(machine: *mut Machine) -> *mut Machine {
    CURRENT.replace(machine)
}

/// True inside an execution.
#[inline(always)]
pub(super) fn is_set() -> bool {
    !CURRENT.get().is_null()
}

/// True if the last operation of the running thread has only read.
#[inline(always)]
pub(super) fn has_only_read() -> bool {
    HAS_ONLY_READ.get()
}

/// The running thread has executed an operation, which has only read or not.
#[inline(always)]
pub(super) fn executed(has_only_read: bool) {
    HAS_ONLY_READ.set(has_only_read);
}

/// The machine of the running execution, for as long as this value lives. There is one at a time: it is dropped, or
/// given to [`suspended`](Access::suspended), before the thread is switched and before code runs that may use the
/// machine itself (code under test, closures of callers). Builds with debug assertions panic where there would be two.
///
/// Not `Send`: the machine is that of this OS thread.
#[derive(Debug)]
pub(super) struct Access {
    machine: NonNull<Machine>,
    not_send: PhantomData<*mut ()>,
}

/// The machine of the running execution.
///
/// # Panics
/// If there is none; in builds with debug assertions also if an access to it is alive.
#[inline(always)]
#[track_caller]
pub(super) fn machine() -> Access {
    match NonNull::new(CURRENT.get()) {
        Some(machine) => Access::new(machine),
        None => none(),
    }
}

/// The virtual thread that runs; 0 outside of executions.
pub(crate) fn running_thread() -> usize {
    if is_set() {
        machine().running.index()
    } else {
        0
    }
}

/// The machine of the running execution, null if there is none: for those who interrupt anything at any time, such as
/// signal handlers. What is behind it may be in use: to read it is for the caller to answer for.
#[cfg(target_os = "linux")]
pub(super) fn pointer() -> *const Machine {
    CURRENT.get()
}

/// True if code of the engine that uses the machine was interrupted, by a panic of its own. Builds without debug
/// assertions do not know, and say no.
pub(super) fn is_accessed() -> bool {
    #[cfg(debug_assertions)]
    return ACCESSED.get();
    #[cfg(not(debug_assertions))]
    false
}

impl Access {
    #[inline(always)]
    #[track_caller]
    fn new(machine: NonNull<Machine>) -> Self {
        #[cfg(debug_assertions)]
        if ACCESSED.replace(true) {
            twice();
        }
        Self {
            machine,
            not_send: PhantomData,
        }
    }

    /// Runs `suspend`, in which other threads or code under test may run and use the machine, and comes back to it.
    #[inline(always)]
    #[track_caller]
    pub(super) fn suspended<R>(self, suspend: impl FnOnce() -> R) -> (Self, R) {
        let machine = self.machine;
        drop(self);
        let result = suspend();
        // What runs on this fiber belongs to this machine: it is the current one whenever the fiber runs.
        debug_assert_eq!(CURRENT.get(), machine.as_ptr());
        (Self::new(machine), result)
    }
}

impl Drop for Access {
    #[inline(always)]
    fn drop(&mut self) {
        #[cfg(debug_assertions)]
        ACCESSED.set(false);
    }
}

impl Deref for Access {
    type Target = Machine;

    #[inline(always)]
    fn deref(&self) -> &Machine {
        // SAFETY: who made the machine current promised that it lives and is used through accesses only; this is the
        // only one, which is checked where debug assertions are on.
        unsafe { self.machine.as_ref() }
    }
}

impl DerefMut for Access {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Machine {
        // SAFETY: as for `deref`: the machine lives, and this is the only access to it.
        unsafe { self.machine.as_mut() }
    }
}

#[cold]
#[track_caller]
fn none() -> ! {
    panic!("no execution runs on this OS thread")
}

/// There would be two exclusive references to the machine.
#[cfg(debug_assertions)]
#[cold]
#[track_caller]
fn twice() -> ! {
    panic!("the machine of the execution is accessed while another access to it is alive")
}

/// The strategy of the running execution, with its lifetime erased.
#[derive(Clone, Copy, Debug)]
pub(super) struct StrategyPointer(NonNull<dyn Strategy>);

impl StrategyPointer {
    /// Borrows the strategy for one execution; the engine keeps the real borrow until the execution is over.
    pub(super) fn new(strategy: &mut dyn Strategy) -> Self {
        let pointer: *mut (dyn Strategy + '_) = strategy;
        // SAFETY: only the lifetime changes; `Engine::run` holds the borrow for as long as the pointer is used.
        let pointer: *mut (dyn Strategy + 'static) = unsafe { std::mem::transmute(pointer) };
        // SAFETY: made from a reference.
        Self(unsafe { NonNull::new_unchecked(pointer) })
    }

    #[inline]
    pub(super) fn thread(mut self, point: &DecisionPoint<'_>) -> Choice {
        // SAFETY: the engine holds the borrow of the strategy that `new` was given until the execution is over; the
        // machine, which is used by one at a time, is the only one who uses it meanwhile.
        unsafe { self.0.as_mut() }.thread(point)
    }

    /// The generator to draw from instead of asking; while it is used, the strategy itself is not.
    pub(super) fn uniform(mut self) -> Option<NonNull<Rng>> {
        // SAFETY: the engine holds the borrow of the strategy that `new` was given until the execution is over; the
        // machine, which is used by one at a time, is the only one who uses it meanwhile.
        unsafe { self.0.as_mut() }.uniform().map(NonNull::from)
    }

    pub(super) fn needs_forced_points(self) -> bool {
        // SAFETY: the engine holds the borrow of the strategy that `new` was given until the execution is over; the
        // machine, which is used by one at a time, is the only one who uses it meanwhile.
        unsafe { self.0.as_ref() }.needs_forced_points()
    }

    pub(super) fn memory_model(self) -> Option<MemoryModel> {
        // SAFETY: the engine holds the borrow of the strategy that `new` was given until the execution is over; the
        // machine, which is used by one at a time, is the only one who uses it meanwhile.
        unsafe { self.0.as_ref() }.memory_model()
    }

    pub(super) fn leeway(self) -> Leeway {
        // SAFETY: the engine holds the borrow of the strategy that `new` was given until the execution is over; the
        // machine, which is used by one at a time, is the only one who uses it meanwhile.
        unsafe { self.0.as_ref() }.leeway()
    }

    pub(super) fn value(mut self, alternatives: u16) -> u16 {
        // SAFETY: the engine holds the borrow of the strategy that `new` was given until the execution is over; the
        // machine, which is used by one at a time, is the only one who uses it meanwhile.
        unsafe { self.0.as_mut() }.value(alternatives)
    }

    pub(super) fn fails_spuriously(mut self) -> bool {
        // SAFETY: the engine holds the borrow of the strategy that `new` was given until the execution is over; the
        // machine, which is used by one at a time, is the only one who uses it meanwhile.
        unsafe { self.0.as_mut() }.fails_spuriously()
    }

    pub(super) fn goes_on(
        mut self,
        events: &[Event],
        thread: (ThreadIndex, Pending),
        place: &'static Location<'static>,
    ) -> bool {
        // SAFETY: the engine holds the borrow of the strategy that `new` was given until the execution is over; the
        // machine, which is used by one at a time, is the only one who uses it meanwhile.
        unsafe { self.0.as_mut() }.goes_on(events, thread, place)
    }

    pub(super) fn knows_memory(mut self, events: &[Event], thread: ThreadIndex) -> bool {
        // SAFETY: the engine holds the borrow of the strategy that `new` was given until the execution is over; the
        // machine, which is used by one at a time, is the only one who uses it meanwhile.
        unsafe { self.0.as_mut() }.knows_memory(events, thread)
    }

    pub(super) fn memory(mut self, point: &MemoryPoint<'_>) -> Option<u16> {
        // SAFETY: the engine holds the borrow of the strategy that `new` was given until the execution is over; the
        // machine, which is used by one at a time, is the only one who uses it meanwhile.
        unsafe { self.0.as_mut() }.memory(point)
    }

    pub(super) fn seed(mut self) -> u64 {
        // SAFETY: the engine holds the borrow of the strategy that `new` was given until the execution is over; the
        // machine, which is used by one at a time, is the only one who uses it meanwhile.
        unsafe { self.0.as_mut() }.seed()
    }
}
