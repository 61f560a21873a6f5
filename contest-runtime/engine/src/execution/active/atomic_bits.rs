//! Loads and stores of values that are nothing but their bits: one call into the engine.

use std::panic::Location;
use std::sync::atomic::Ordering;

use super::Active;
use super::atomic_operation::{AtomicEffect, AtomicKind, AtomicMethod};
use super::atomics::{access_unless_torn_down, after_load, after_store, enter_method};
use super::weak_atomics::weakly;
use crate::execution::same_state::note_state;
use crate::memory::{acquire, release};
use contest_data::trace::Action;

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
        note_state(Location::caller());
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
