//! Atomic operations. Loads and stores are most of what a program does: their path is short, and what they publish is
//! what they record.

use std::panic::Location;
use std::sync::atomic::Ordering;

use super::memory::commit_watched;
use super::weak_atomics::weakly;
use super::{Active, stop_inline, teardown};
use crate::execution::commit::{READS, WRITES};
use crate::execution::current::{self, Access};
use crate::execution::virtual_thread::PendingExchange;
use crate::memory::{acquire, release, set_user_code};
use contest_data::trace::schedule::check_of;
use contest_data::trace::{AccessKind, Action, ObjectId, Pending, Update};

/// What all uses of a load or store method have in common.
#[derive(Clone, Copy, Debug)]
pub struct AtomicMethod {
    name: &'static str,
    check: u8,
    size: u8,
}

impl AtomicMethod {
    /// A method that loads a `V`.
    pub const fn load<V>(name: &'static str) -> Self {
        Self {
            name,
            check: check_of(Action::Load(Ordering::SeqCst), name),
            size: size_of::<V>() as u8,
        }
    }

    /// A method that stores a `V`.
    pub const fn store<V>(name: &'static str) -> Self {
        Self {
            name,
            check: check_of(Action::Store(Ordering::SeqCst), name),
            size: size_of::<V>() as u8,
        }
    }

    fn operation(&self, address: usize, kind: AtomicKind, ordering: Ordering) -> AtomicOperation {
        AtomicOperation {
            address,
            size: self.size,
            kind,
            ordering,
            name: self.name,
        }
    }
}

/// What an atomic operation may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AtomicKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes.
    Rmw(Update),
    /// Writes if the value equals these bits; the second ordering is that of failure.
    CompareExchange(u64, Ordering),
}

/// An atomic operation before it is executed.
#[derive(Clone, Copy, Debug)]
pub struct AtomicOperation {
    /// Address of the atomic.
    pub address: usize,
    /// Size in bytes: 1, 2, 4, 8 (16 is reported as 8 with `Rmw`).
    pub size: u8,
    /// What it may do.
    pub kind: AtomicKind,
    /// Its (success) ordering.
    pub ordering: Ordering,
    /// Method name, e.g. `fetch_add`.
    pub name: &'static str,
}

/// What an atomic operation did.
#[derive(Clone, Copy, Debug)]
pub enum AtomicEffect {
    /// Read these bits and wrote nothing.
    Read(u64),
    /// Wrote these bits.
    Wrote(u64),
    /// Read the first, wrote the second.
    ReadWrote(u64, u64),
}

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

impl Active {
    /// As [`Active::atomic_load`], of a value that is nothing but its bits: one call into the engine instead of two.
    ///
    /// # Safety
    /// `address` is that of an atomic of the method's size, alive until this returns, whose provenance is exposed.
    #[track_caller]
    #[inline]
    pub unsafe fn atomic_load_bits(
        self,
        address: usize,
        ordering: Ordering,
        method: &'static AtomicMethod,
    ) -> u64 {
        // SAFETY: the caller says what is at the address.
        unsafe { load_bits(address, Action::Load(ordering), method, Location::caller()) }
    }

    /// As [`Active::atomic_store`], of a value that is nothing but its bits: one call into the engine instead of two.
    ///
    /// # Safety
    /// `address` is that of an atomic of the method's size, alive until this returns, whose provenance is exposed.
    /// The bits are a value of that atomic's type.
    #[track_caller]
    #[inline]
    pub unsafe fn atomic_store_bits(
        self,
        address: usize,
        ordering: Ordering,
        method: &'static AtomicMethod,
        bits: u64,
    ) {
        let action = Action::Store(ordering);
        // SAFETY: the caller says what is at the address, and what the bits are.
        unsafe { store_bits(address, action, method, bits, Location::caller()) };
    }
}

/// # Safety
/// That of [`Active::atomic_load_bits`].
#[inline(never)]
unsafe fn load_bits(
    address: usize,
    action: Action,
    method: &'static AtomicMethod,
    location: &'static Location<'static>,
) -> u64 {
    let Some(machine) = access_unless_torn_down() else {
        // SAFETY: the caller says what is at the address.
        return unsafe { acquire(address, method.size) };
    };
    // SAFETY: the caller says what is at the address.
    let machine = unsafe { enter_method(machine, address, action, method, location) };
    if machine.weak.on {
        drop(machine);
        // SAFETY: the caller says what is at the address.
        return unsafe { load_weakly(address, action, method) };
    }
    // SAFETY: the caller says what is at the address.
    let read = unsafe { acquire(address, method.size) };
    after_load(machine, address, method, read);
    read
}

/// # Safety
/// That of [`Active::atomic_store_bits`].
#[inline(never)]
unsafe fn store_bits(
    address: usize,
    action: Action,
    method: &'static AtomicMethod,
    bits: u64,
    location: &'static Location<'static>,
) {
    let Some(machine) = access_unless_torn_down() else {
        // SAFETY: the caller says what is at the address, and what the bits are.
        return unsafe { release(address, method.size, bits) };
    };
    // SAFETY: the caller says what is at the address.
    let machine = unsafe { enter_method(machine, address, action, method, location) };
    if machine.weak.on {
        drop(machine);
        // SAFETY: the caller says what is at the address, and what the bits are.
        return unsafe { store_weakly(address, action, method, bits) };
    }
    // SAFETY: the caller says what is at the address, and what the bits are.
    let (machine, before) = unsafe {
        let before = acquire(address, method.size);
        release(address, method.size, bits);
        (machine, before)
    };
    after_store(machine, address, method, before, bits);
}

/// Apart from [`load_bits`], whose registers it would need.
///
/// # Safety
/// That of [`Active::atomic_load_bits`].
#[cold]
#[inline(never)]
unsafe fn load_weakly(address: usize, action: Action, method: &'static AtomicMethod) -> u64 {
    let Action::Load(order) = action else {
        return 0;
    };
    let operation = method.operation(address, AtomicKind::Load, order);
    // SAFETY: the caller says what is at the address.
    unsafe {
        weakly(
            &operation,
            || {
                let read = acquire(address, method.size);
                (read, AtomicEffect::Read(read))
            },
            None,
        )
    }
}

/// As [`load_weakly`], for a store.
///
/// # Safety
/// That of [`Active::atomic_store_bits`].
#[cold]
#[inline(never)]
unsafe fn store_weakly(address: usize, action: Action, method: &'static AtomicMethod, bits: u64) {
    let Action::Store(order) = action else {
        return;
    };
    let operation = method.operation(address, AtomicKind::Store, order);
    // SAFETY: the caller says what is at the address, and what the bits are.
    unsafe {
        weakly(
            &operation,
            || {
                release(address, method.size, bits);
                ((), AtomicEffect::Wrote(bits))
            },
            None,
        )
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
fn access_unless_torn_down() -> Option<Access> {
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
unsafe fn enter_method(
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
fn after_load(mut machine: Access, address: usize, method: &'static AtomicMethod, read: u64) {
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
fn after_store(
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

/// What the operation did: a compare-exchange may do another thing than what was published last.
pub(super) fn action_of(operation: &AtomicOperation, effect: AtomicEffect) -> Action {
    match (effect, operation.kind) {
        (AtomicEffect::Read(_), AtomicKind::CompareExchange(_, failure)) => {
            Action::CasFail(failure)
        }
        (AtomicEffect::Read(_), _) => Action::Load(operation.ordering),
        (AtomicEffect::Wrote(_), _) => Action::Store(operation.ordering),
        (AtomicEffect::ReadWrote(..), AtomicKind::Rmw(update)) => {
            Action::Rmw(operation.ordering, update)
        }
        (AtomicEffect::ReadWrote(..), _) => Action::Rmw(operation.ordering, Update::Conditional),
    }
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
