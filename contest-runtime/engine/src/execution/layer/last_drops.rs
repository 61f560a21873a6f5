//! Reference counts that one thread decrements to zero, unordered with decrements by others: the last thread runs the
//! destructor.
//!
//! A destructor returns nothing, so only its effects show which thread ran it. The count is made visible if the
//! destructor does something visible, if the block with the count is not freed, or if the function that decremented the
//! count is no destructor and may return what it found (`Arc::into_inner`).

use super::stacks::{CallStacks, Caller, OnStack};
use super::{FrameRecord, Layer, own_frame};
use crate::execution::machine::Machine;
use crate::execution::symboliser::Names;
use contest_data::trace::{Contended, Frame, Place, ThreadIndex};

/// Callers of the runtime up to the function that drops, in code that is not optimised: the two that `std` wraps an
/// atomic operation in, the destructor, and what the compiler makes of dropping a field. Elsewhere it is one further
/// out, so more steps are looked at than need be.
const DROPPING: usize = 4;
/// Most steps that are kept of one.
const MOST_STEPS: usize = 64;
/// How the names of destructors end.
const DESTRUCTOR: &str = "as core::ops::drop::Drop>::drop";
/// What `std` wraps an atomic operation in.
const ATOMIC: &str = "core::sync::atomic::";

/// A count that has reached zero.
#[derive(Debug)]
struct LastDrop {
    thread: ThreadIndex,
    /// The count, with the call stack of the decrement.
    count: Contended,
    /// What dropped it; unknown without frame pointers.
    within: Option<Caller>,
    /// Its function has returned.
    over: bool,
    /// Its block was given back.
    freed: bool,
    /// Not all that its thread did is known.
    unclear: bool,
    /// Call stacks of what its thread did before its function returned, or may have.
    steps: Vec<u32>,
}

/// Those of an execution.
#[derive(Debug, Default)]
pub(in crate::execution) struct LastDrops {
    all: Vec<LastDrop>,
    /// Some function has not returned.
    pub(in crate::execution) any_open: bool,
}

impl LastDrops {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.any_open = false;
    }

    /// True if this is only that a count has reached zero.
    pub(super) fn has(&self, contended: &Contended) -> bool {
        self.all.iter().any(|drop| drop.count == *contended)
    }

    /// The thread gives this block back.
    pub(super) fn freed(&mut self, thread: ThreadIndex, start: usize, size: usize) {
        for drop in &mut self.all {
            drop.freed |=
                drop.thread == thread && (start..start + size).contains(&drop.count.address);
        }
    }
}

impl Machine {
    /// The running thread has counted down to zero, and another one could have.
    pub(super) fn note_last_drop(&mut self, count: Contended, frame: *const FrameRecord) {
        let thread = self.running;
        let end = self.threads[thread.index()].stack_end;
        self.layer.last_drops.any_open = true;
        self.layer.last_drops.all.push(LastDrop {
            thread,
            count,
            within: Caller::of(frame, end, DROPPING),
            over: false,
            freed: false,
            unclear: false,
            steps: Vec::new(),
        });
        self.contend_as(count);
    }

    /// The running thread is about to do something that others see.
    #[cold]
    #[inline(never)]
    pub(in crate::execution) fn note_step_in_last_drops(&mut self) {
        let running = self.running;
        let (frame, end) = (own_frame(), self.threads[running.index()].stack_end);
        let Layer {
            stacks, last_drops, ..
        } = &mut self.layer;
        let mut any_open = false;
        for drop in last_drops.all.iter_mut().filter(|drop| !drop.over) {
            if drop.thread == running {
                let within = drop.within.map(|it| it.on_stack_of(frame, end));
                match within.unwrap_or(OnStack::Unknown) {
                    OnStack::No => drop.over = true,
                    OnStack::Kept if drop.steps.len() < MOST_STEPS => {
                        drop.steps.push(stacks.number(frame, end));
                    }
                    OnStack::Kept | OnStack::Unknown => {
                        drop.over = true;
                        drop.unclear = true;
                    }
                }
            }
            any_open |= !drop.over;
        }
        last_drops.any_open = any_open;
    }
}

impl Layer {
    /// True if it makes a difference who counts this down to zero, or if that was not asked of it.
    pub(super) fn makes_a_difference(&self, contended: &Contended, names: &mut dyn Names) -> bool {
        let mut drops = self.last_drops.all.iter();
        drops
            .find(|drop| drop.count == *contended)
            .is_none_or(|drop| drop.makes_a_difference(&self.stacks, names))
    }
}

impl LastDrop {
    fn makes_a_difference(&self, stacks: &CallStacks, names: &mut dyn Names) -> bool {
        if !self.freed || self.unclear {
            return true;
        }
        let mut named = |stack| names.functions(stack, stacks.addresses(stack));
        let Place::Addresses(stack) = self.count.place else {
            return true;
        };
        let Some(destructor) = destructor(named(stack)) else {
            return true;
        };
        (self.steps.iter()).any(|step| is_inside(named(*step), destructor))
    }
}

/// The stack of a count from the destructor on that counts.
fn destructor(count: &'static [Frame]) -> Option<&'static [Frame]> {
    let first = count
        .iter()
        .position(|frame| !frame.function.contains(ATOMIC))?;
    let stack = &count[first..];
    stack[0].function.ends_with(DESTRUCTOR).then_some(stack)
}

/// True if the stack of a step goes through this destructor.
fn is_inside(step: &[Frame], destructor: &[Frame]) -> bool {
    let (function, callers) = (&destructor[0].function, &destructor[1..]);
    (0..step.len()).any(|at| {
        step[at].function == *function
            && step[at + 1..].iter().zip(callers).all(|(one, other)| {
                (&one.function, &one.location) == (&other.function, &other.location)
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(functions: &[(&str, u32)]) -> &'static [Frame] {
        let frames = functions.iter().map(|(function, line)| Frame {
            function: (*function).to_owned(),
            location: format!("src/lib.rs:{line}:1"),
            of_dependency: false,
        });
        frames.collect::<Vec<_>>().leak()
    }

    const DROP: &str = "<alloc::sync::Arc<D> as core::ops::drop::Drop>::drop";

    #[test]
    fn a_step_of_a_destructor_is_told_from_one_after_it() {
        let count = stack(&[
            ("core::sync::atomic::atomic_sub", 1),
            ("<core::sync::atomic::AtomicUsize>::fetch_sub", 2),
            (DROP, 3),
            ("core::ptr::drop_in_place<Arc<D>>", 4),
            ("caller", 5),
        ]);
        let destructor = destructor(count).unwrap();
        let within = [("store", 8), ("<D as Drop>::drop", 7), (DROP, 9)];
        let outside = [("core::ptr::drop_in_place<Arc<D>>", 4), ("caller", 5)];
        let inside = [&within[..], &outside].concat();
        assert!(is_inside(stack(&inside), destructor));
        // The same destructor in another place, and what the caller does next.
        let elsewhere = [&within[..], &[outside[0], ("caller", 6)]].concat();
        assert!(!is_inside(stack(&elsewhere), destructor));
        assert!(!is_inside(
            stack(&[("store", 8), ("caller", 6)]),
            destructor
        ));
    }

    #[test]
    fn what_returns_whether_it_was_last_is_no_destructor() {
        let count = [
            ("core::sync::atomic::atomic_sub", 1),
            ("<alloc::sync::Arc<D>>::into_inner", 2),
        ];
        assert!(destructor(stack(&count)).is_none());
        assert!(destructor(stack(&[])).is_none());
    }
}
