//! Atomic operations. Loads and stores are most of what a program does: their path is short, and what they publish is
//! what they record.

use std::panic::Location;
use std::sync::atomic::Ordering;

use super::atomic_operation::{AtomicEffect, AtomicKind, AtomicMethod, AtomicOperation, action_of};
use super::memory::commit_watched;
use super::weak_atomics::weakly;
use super::{Active, stop_inline, teardown};
use crate::execution::commit::{READS, WRITES};
use crate::execution::current::{self, Access};
use crate::execution::same_state::note_state;
use crate::execution::virtual_thread::PendingExchange;
use crate::memory::set_user_code;
use contest_data::trace::{AccessKind, Action, ObjectId, Pending, Update};

impl Active {
    /// As [`Active::atomic`] for a compare-exchange that may fail spuriously, with the result that `fail` gives. It
    /// does so by choice, under a weak memory model only.
    ///
    /// # Safety
    /// That of [`Active::atomic`].
    #[track_caller]
    #[inline]
    pub unsafe fn atomic_exchange_weak<R>(
        self,
        operation: AtomicOperation,
        perform: impl FnOnce() -> (R, AtomicEffect),
        fail: impl Fn() -> R,
    ) -> R {
        note_state(Location::caller());
        // SAFETY: the caller says what is at the operation's address.
        match unsafe { before(&operation, Location::caller()) } {
            Turn::TornDown => return perform().0,
            // SAFETY: the caller says what is at the operation's address.
            Turn::Weak => return unsafe { weakly(&operation, perform, Some(&fail)) },
            Turn::Ordinary => {}
        }
        let (result, effect) = perform();
        after(&operation, 0, effect);
        result
    }

    /// One atomic operation: waits for the turn of this thread, then runs `perform` on the real atomic.
    ///
    /// # Safety
    /// At the operation's address are as many bytes as it says, aligned and alive until this returns, that are accessed
    /// atomically or by `perform` only, and whose provenance is exposed.
    #[track_caller]
    #[inline]
    pub unsafe fn atomic<R>(
        self,
        operation: AtomicOperation,
        perform: impl FnOnce() -> (R, AtomicEffect),
    ) -> R {
        note_state(Location::caller());
        // SAFETY: the caller says what is at the operation's address.
        match unsafe { before(&operation, Location::caller()) } {
            Turn::TornDown => return perform().0,
            // SAFETY: the caller says what is at the operation's address.
            Turn::Weak => return unsafe { weakly(&operation, perform, None) },
            Turn::Ordinary => {}
        }
        let before = match operation.kind {
            AtomicKind::Store => {
                // SAFETY: the caller says what is at the operation's address.
                unsafe { crate::memory::peek(operation.address, operation.size) }.unwrap_or(0)
            }
            _ => 0,
        };
        let (result, effect) = perform();
        after(&operation, before, effect);
        result
    }

    /// As [`Active::atomic`] for a load; `bits` gives the value as bits.
    ///
    /// # Safety
    /// `address` is that of an atomic of the method's size, alive until this returns, whose provenance is exposed.
    #[track_caller]
    #[inline]
    pub unsafe fn atomic_load<V: Copy>(
        self,
        address: usize,
        ordering: Ordering,
        method: &'static AtomicMethod,
        real: impl FnOnce() -> V,
        bits: impl FnOnce(V) -> u64,
    ) -> V {
        note_state(Location::caller());
        let action = Action::Load(ordering);
        // SAFETY: the caller says what is at the address.
        let turn = unsafe { before_access(address, action, method, Location::caller()) };
        if turn == Turn::Weak {
            let operation = method.operation(address, AtomicKind::Load, ordering);
            let perform = || {
                let value = real();
                (value, AtomicEffect::Read(bits(value)))
            };
            // SAFETY: the caller says what is at the address.
            return unsafe { weakly(&operation, perform, None) };
        }
        let value = real();
        if turn == Turn::Ordinary {
            record_load(address, method, bits(value));
        }
        value
    }

    /// As [`Active::atomic`] for a store of these bits, which replaces the bits that `look` sees.
    ///
    /// # Safety
    /// `address` is that of an atomic of the method's size, alive until this returns, whose provenance is exposed.
    #[track_caller]
    #[inline]
    pub unsafe fn atomic_store(
        self,
        address: usize,
        ordering: Ordering,
        method: &'static AtomicMethod,
        look: impl FnOnce() -> u64,
        wrote: u64,
        real: impl FnOnce(),
    ) {
        let action = Action::Store(ordering);
        // SAFETY: the caller says what is at the address.
        let turn = unsafe { before_access(address, action, method, Location::caller()) };
        if turn == Turn::Weak {
            let operation = method.operation(address, AtomicKind::Store, ordering);
            let perform = || (real(), AtomicEffect::Wrote(wrote));
            // SAFETY: the caller says what is at the address.
            return unsafe { weakly(&operation, perform, None) };
        }
        let recorded = turn == Turn::Ordinary;
        let before = if recorded { look() } else { 0 };
        real();
        if recorded {
            record_store(address, method, before, wrote);
        }
    }
}

/// How an operation is carried out that has its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// The execution is being torn down: nothing is recorded any more.
    TornDown,
    /// On the newest value.
    Ordinary,
    /// On a value that the strategy chooses.
    Weak,
}

impl Turn {
    #[inline(always)]
    fn of(machine: &Access) -> Self {
        if machine.weak.on {
            Self::Weak
        } else {
            Self::Ordinary
        }
    }
}

/// The machine, unless the execution is being torn down: then operations are carried out and recorded nowhere.
#[inline(always)]
pub(super) fn access_unless_torn_down() -> Option<Access> {
    let machine = current::machine();
    if machine.tearing_down {
        drop(machine);
        teardown::step();
        return None;
    }
    Some(machine)
}

/// # Safety
/// That of [`Active::atomic`].
#[inline(never)]
unsafe fn before(operation: &AtomicOperation, location: &'static Location<'static>) -> Turn {
    let Some(machine) = access_unless_torn_down() else {
        return Turn::TornDown;
    };
    // SAFETY: the caller says what is at the operation's address.
    Turn::of(&unsafe { publish(machine, operation, location) })
}

/// Publishes the operation, and waits until it is the turn of this thread.
///
/// # Safety
/// That of [`Active::atomic`], up to the end of the operation.
pub(crate) unsafe fn publish(
    mut machine: Access,
    operation: &AtomicOperation,
    location: &'static Location<'static>,
) -> Access {
    let action = match operation.kind {
        AtomicKind::Load => Action::Load(operation.ordering),
        AtomicKind::Store => Action::Store(operation.ordering),
        AtomicKind::Rmw(update) => Action::Rmw(operation.ordering, update),
        AtomicKind::CompareExchange(expected, _) => {
            machine.publish_exchange(PendingExchange {
                address: operation.address,
                size: operation.size,
                expected,
            });
            Action::Rmw(operation.ordering, Update::Conditional)
        }
    };
    let check = machine.checks.of(action, operation.name);
    let (place, name) = ((operation.address, operation.size), operation.name);
    // SAFETY: the caller says what is at the operation's address.
    unsafe { enter(machine, place, action, name, check, location) }
}

/// # Safety
/// That of `enter`.
#[inline(never)]
unsafe fn before_access(
    address: usize,
    action: Action,
    method: &'static AtomicMethod,
    location: &'static Location<'static>,
) -> Turn {
    let Some(machine) = access_unless_torn_down() else {
        return Turn::TornDown;
    };
    // SAFETY: the caller says what is at the address.
    Turn::of(&unsafe { enter_method(machine, address, action, method, location) })
}

/// # Safety
/// That of `enter`.
#[inline(always)]
pub(super) unsafe fn enter_method(
    machine: Access,
    address: usize,
    action: Action,
    method: &'static AtomicMethod,
    location: &'static Location<'static>,
) -> Access {
    let place = (address, method.size);
    // SAFETY: the caller says what is at the address.
    unsafe { enter(machine, place, action, method.name, method.check, location) }
}

/// # Safety
/// An atomic of so many bytes is at the address, alive.
#[inline(always)]
unsafe fn enter(
    mut machine: Access,
    (address, size): (usize, u8),
    action: Action,
    name: &'static str,
    check: u8,
    location: &'static Location<'static>,
) -> Access {
    set_user_code(false);
    // SAFETY: the caller says what is at the address.
    let object = unsafe { machine.objects.at_sized(address, "atomic", size) };
    let pending = Pending {
        action,
        object,
        second: ObjectId::NONE,
        name,
        check,
    };
    stop_inline(machine, pending, location)
}

#[inline(always)]
pub(super) fn after_load(
    mut machine: Access,
    address: usize,
    method: &'static AtomicMethod,
    read: u64,
) {
    if machine.watches_memory {
        commit_watched(
            &mut machine,
            address,
            method.size,
            AccessKind::AtomicRead,
            |machine| {
                machine.commit_pending::<READS>(read, 0);
            },
        );
    } else {
        machine.commit_pending::<READS>(read, 0);
    }
    set_user_code(true);
}

#[inline(always)]
pub(super) fn after_store(
    mut machine: Access,
    address: usize,
    method: &'static AtomicMethod,
    before: u64,
    wrote: u64,
) {
    if machine.watches_memory {
        commit_watched(
            &mut machine,
            address,
            method.size,
            AccessKind::AtomicWrite,
            |machine| {
                machine.commit_pending::<WRITES>(before, wrote);
            },
        );
    } else {
        machine.commit_pending::<WRITES>(before, wrote);
    }
    set_user_code(true);
}

/// As [`after_load`], for what is compiled with the code under test.
#[inline(never)]
fn record_load(address: usize, method: &'static AtomicMethod, read: u64) {
    after_load(current::machine(), address, method, read);
}

/// As [`after_store`], likewise.
#[inline(never)]
fn record_store(address: usize, method: &'static AtomicMethod, before: u64, wrote: u64) {
    after_store(current::machine(), address, method, before, wrote);
}

#[inline(never)]
fn after(operation: &AtomicOperation, before: u64, effect: AtomicEffect) {
    let (read, wrote) = match effect {
        AtomicEffect::Read(read) => (read, 0),
        AtomicEffect::Wrote(wrote) => (before, wrote),
        AtomicEffect::ReadWrote(read, wrote) => (read, wrote),
    };
    let mut machine = current::machine();
    commit(&mut machine, operation, effect, (read, wrote));
    set_user_code(true);
}

/// Records the operation that was published and has been performed.
pub(super) fn commit(
    machine: &mut Access,
    operation: &AtomicOperation,
    effect: AtomicEffect,
    (read, wrote): (u64, u64),
) {
    let action = action_of(operation, effect);
    if machine.watches_memory {
        let kind = match effect {
            AtomicEffect::Read(_) => AccessKind::AtomicRead,
            _ => AccessKind::AtomicWrite,
        };
        let (address, size) = (operation.address, operation.size);
        commit_watched(machine, address, size, kind, |machine| {
            machine.commit_as(action, read, wrote);
        });
    } else {
        machine.commit_as(action, read, wrote);
    }
}
