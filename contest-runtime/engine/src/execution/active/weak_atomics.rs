//! Atomic operations on a value that the strategy chooses: the operation finds it in memory, and what is newest is put
//! there when it is over.

use super::atomic_operation::{AtomicEffect, AtomicKind, AtomicOperation};
use super::atomics::commit;
use super::{stop_inline, switch};
use crate::execution::current::{self, Access};
use crate::execution::weak::Chosen;
use crate::memory::{peek, poke, set_user_code};
use crate::weak_memory::Request;
use contest_data::execution_graph::Deeds;
use contest_data::trace::{Action, ObjectId};
use std::sync::atomic::Ordering;

impl AtomicOperation {
    fn deeds(&self) -> (Deeds, Option<(u64, std::sync::atomic::Ordering)>) {
        match self.kind {
            AtomicKind::Load => (Deeds::Read, None),
            AtomicKind::Store => (Deeds::Write, None),
            AtomicKind::Rmw(_) => (Deeds::Update, None),
            AtomicKind::CompareExchange(expected, failure) => {
                (Deeds::Update, Some((expected, failure)))
            }
        }
    }
}

/// True if that is a fence by its use: a `SeqCst` update of what is on the stack of the thread itself, while no thread
/// of a scope of its own could share it. There is nothing else that it could be for. On x86 its instruction is a full
/// fence, cheaper than that of `fence(SeqCst)`, and crates use it as one there.
fn is_fence(machine: &Access, operation: &AtomicOperation) -> bool {
    let updates = matches!(
        operation.kind,
        AtomicKind::Rmw(_) | AtomicKind::CompareExchange(..)
    );
    let thread = &machine.threads[machine.running.index()];
    updates
        && operation.ordering == Ordering::SeqCst
        && (thread.stack_limit..thread.stack_end).contains(&operation.address)
        && !(machine.threads.iter()).any(|it| it.scope_of == Some(machine.running) && !it.ended)
}

/// A fence that was published and has its turn.
pub(super) fn execute_fence(mut machine: Access, order: Ordering) -> Access {
    let epoch = machine.present_epoch();
    machine.commit(Action::Fence(order), ObjectId::NONE, "fence", 0, 0);
    machine.note_weak_fence(order, epoch);
    machine
}

/// Performs an operation that was published and has its turn. `fail`: its result if it fails spuriously, which it may.
///
/// Only what depends on the type is compiled for each: the crates under test contain that code, with every access of it
/// watched.
///
/// # Safety
/// That of [`Active::atomic`](super::Active::atomic).
#[inline]
pub(super) unsafe fn weakly<R>(
    operation: &AtomicOperation,
    perform: impl FnOnce() -> (R, AtomicEffect),
    fail: Option<&dyn Fn() -> R>,
) -> R {
    // SAFETY: the caller says what is at the operation's address.
    let Some(begun) = (unsafe { begin(operation, fail.is_some()) }) else {
        return perform().0;
    };
    let (result, effect) = match (fail, begun.spurious) {
        (Some(fail), Some(expected)) => (fail(), AtomicEffect::Read(expected)),
        _ => perform(),
    };
    // SAFETY: the caller says what is at the operation's address.
    unsafe { end(&begun, effect) };
    result
}

/// An operation whose value has been chosen.
struct Begun {
    /// With the orderings that it has in this execution.
    operation: AtomicOperation,
    chosen: Chosen,
    /// What was in memory.
    present: u64,
    /// It fails spuriously, and reads this.
    spurious: Option<u64>,
}

/// Chooses the value that the operation finds, and puts it into memory; `None` if the execution is being torn down.
///
/// # Safety
/// That of [`weakly`].
#[cold]
#[inline(never)]
unsafe fn begin(operation: &AtomicOperation, may_fail: bool) -> Option<Begun> {
    let (address, size) = (operation.address, operation.size);
    let mut machine = current::machine();
    if let Some((displaced, order)) = machine.take_displaced() {
        machine = execute_fence(machine, order);
        let location = machine.me().location;
        machine = stop_inline(machine, displaced, location);
    }
    let operation = machine.with_other_orderings(operation);
    // SAFETY: the caller says what is at the operation's address.
    let present = unsafe { peek(address, size) }.unwrap_or(0);
    let (deeds, exchange) = operation.deeds();
    let running = machine.running;
    let object = machine.pending[running.index()].map(|pending| pending.object);
    let request = Request {
        thread: running,
        object: object.expect("the operation is published"),
        size,
        deeds,
        order: operation.ordering,
        exchange,
        only: None,
    };
    let failure = if may_fail {
        machine.choose_failure(&request, present)
    } else {
        None
    };
    let spurious = failure.as_ref().map(|read| read.only.unwrap_or(0));
    let Some(chosen) = machine.choose_write(failure.unwrap_or(request), present) else {
        // It is resumed only to be torn down.
        drop(switch(machine));
        return None;
    };
    drop(machine);
    // SAFETY: the caller says what is at the address, and an operation of its type has written these bits.
    unsafe { poke(address, size, chosen.value()) };
    Some(Begun {
        operation,
        chosen,
        present,
        spurious,
    })
}

/// Records what the operation did, and puts the newest value into memory.
///
/// # Safety
/// That of [`weakly`].
#[cold]
#[inline(never)]
unsafe fn end(begun: &Begun, effect: AtomicEffect) {
    let operation = &begun.operation;
    let mut machine = current::machine();
    machine.begin_weak_commit(&begun.chosen);
    let (bits, wrote) = match effect {
        AtomicEffect::Read(read) => ((read, 0), None),
        AtomicEffect::Wrote(wrote) => ((begun.present, wrote), Some(wrote)),
        AtomicEffect::ReadWrote(read, wrote) => ((read, wrote), Some(wrote)),
    };
    commit(&mut machine, operation, effect, bits);
    let newest = machine.end_weak_commit(&begun.chosen, wrote);
    if wrote.is_some() && is_fence(&machine, operation) {
        let epoch = machine.present_epoch();
        machine.note_weak_fence(Ordering::SeqCst, epoch);
    }
    drop(machine);
    // SAFETY: as above.
    unsafe { poke(operation.address, operation.size, newest) };
    set_user_code(true);
}
