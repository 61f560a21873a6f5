//! The one thread-local of the runtime: the execution that runs on this OS thread.

use std::cell::Cell;
use std::ptr::NonNull;

use super::machine::Machine;
use contest_data::decision::{Choice, DecisionPoint, Strategy};
use contest_data::rng::Rng;

thread_local! {
    static CURRENT: Cell<*mut Machine> = const { Cell::new(std::ptr::null_mut()) };
}

/// Makes `machine` current, or none; returns what was.
pub fn set(machine: *mut Machine) -> *mut Machine {
    CURRENT.replace(machine)
}

/// True inside an execution.
#[inline(always)]
pub fn is_set() -> bool {
    !CURRENT.get().is_null()
}

/// The machine of the running execution. The reference must not be kept across a suspension or a call into code under test: every
/// caller takes a fresh one for each step.
#[inline(always)]
pub fn machine<'a>() -> &'a mut Machine {
    let machine = CURRENT.get();
    debug_assert!(!machine.is_null());
    // SAFETY: non-null inside an execution, which is the only place `Active` values exist; the engine that owns the machine is
    // suspended in `Engine::run` on this same OS thread, and no other reference is alive (see above).
    unsafe { &mut *machine }
}

/// The strategy of the running execution, with its lifetime erased.
#[derive(Clone, Copy, Debug)]
pub struct StrategyPointer(NonNull<dyn Strategy>);

impl StrategyPointer {
    /// Borrows the strategy for one execution; the engine keeps the real borrow until the execution is over.
    pub fn new(strategy: &mut dyn Strategy) -> Self {
        let pointer: *mut (dyn Strategy + '_) = strategy;
        // SAFETY: only the lifetime changes; `Engine::run` holds the borrow for as long as the pointer is used.
        let pointer: *mut (dyn Strategy + 'static) = unsafe { std::mem::transmute(pointer) };
        // SAFETY: made from a reference.
        Self(unsafe { NonNull::new_unchecked(pointer) })
    }

    #[inline]
    pub fn thread(mut self, point: &DecisionPoint<'_>) -> Choice {
        // SAFETY: see `new`; the machine consults it from one place at a time.
        unsafe { self.0.as_mut() }.thread(point)
    }

    /// The generator to draw from instead of asking; while it is used, the strategy itself is not.
    pub fn uniform(mut self) -> Option<NonNull<Rng>> {
        // SAFETY: as above.
        unsafe { self.0.as_mut() }.uniform().map(NonNull::from)
    }

    pub fn asks_when_forced(self) -> bool {
        // SAFETY: as above.
        unsafe { self.0.as_ref() }.asks_when_forced()
    }

    pub fn value(mut self, alternatives: u16) -> u16 {
        // SAFETY: as above.
        unsafe { self.0.as_mut() }.value(alternatives)
    }

    pub fn seed(mut self) -> u64 {
        // SAFETY: as above.
        unsafe { self.0.as_mut() }.seed()
    }
}
