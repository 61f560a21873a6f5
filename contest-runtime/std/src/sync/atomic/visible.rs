//! One atomic operation inside an execution: publishes it to the engine, then performs it on the real atomic.

use std::sync::atomic::Ordering;

use contest_data::trace::Update;
use contest_engine::execution::{Active, AtomicEffect, AtomicKind, AtomicMethod, AtomicOperation};

/// A value as the bits that the engine records.
pub(super) trait Bits: Copy {
    /// The value, zero-extended.
    fn bits(self) -> u64;

    /// A load by `real`, or by the engine itself where a value is nothing but its bits.
    ///
    /// # Safety
    /// `address` is that of an atomic of this type, alive until this returns, with its provenance exposed.
    #[inline]
    #[track_caller]
    unsafe fn load(
        active: Active,
        address: usize,
        ordering: Ordering,
        method: &'static AtomicMethod,
        real: impl FnOnce() -> Self,
    ) -> Self {
        // SAFETY: the caller says what is at the address.
        unsafe { active.atomic_load(address, ordering, method, real, Self::bits) }
    }

    /// A store by `real`, of which `look` reads what it replaces, or by the engine itself where a value is nothing but
    /// its bits.
    ///
    /// # Safety
    /// `address` is that of an atomic of this type, alive until this returns, with its provenance exposed.
    #[inline]
    #[track_caller]
    unsafe fn store(
        self,
        active: Active,
        address: usize,
        ordering: Ordering,
        method: &'static AtomicMethod,
        look: impl FnOnce() -> Self,
        real: impl FnOnce(Self, Ordering),
    ) {
        // All virtual threads are on one OS thread: the recorded ordering is for the record, and `Release` is a plain
        // store where `SeqCst` is an exchange.
        let plain = match ordering {
            Ordering::SeqCst => Ordering::Release,
            other => other,
        };
        let look = || look().bits();
        let real = || real(self, plain);
        // SAFETY: the caller says what is at the address.
        unsafe { active.atomic_store(address, ordering, method, look, self.bits(), real) };
    }
}

/// In the implementation of [`Bits`] for a value that is nothing but its bits: loads and stores by the engine itself;
/// `$from` gives the value of some bits.
macro_rules! by_the_engine {
    ($from:expr) => {
        #[inline]
        #[track_caller]
        unsafe fn load(
            active: Active,
            address: usize,
            ordering: Ordering,
            method: &'static AtomicMethod,
            _real: impl FnOnce() -> Self,
        ) -> Self {
            // SAFETY: the caller says what is at the address.
            $from(unsafe { active.atomic_load_bits(address, ordering, method) })
        }

        #[inline]
        #[track_caller]
        unsafe fn store(
            self,
            active: Active,
            address: usize,
            ordering: Ordering,
            method: &'static AtomicMethod,
            _look: impl FnOnce() -> Self,
            _real: impl FnOnce(Self, Ordering),
        ) {
            // SAFETY: the caller says what is at the address; these are the bits of a value of that type.
            unsafe { active.atomic_store_bits(address, ordering, method, self.bits()) };
        }
    };
}
pub(crate) use by_the_engine;

/// Where an operation goes to, how it is ordered, and its name in the source.
#[derive(Clone, Copy)]
pub(super) struct Site {
    pub(super) active: Active,
    pub(super) address: usize,
    pub(super) ordering: Ordering,
    pub(super) name: &'static str,
}

impl Site {
    fn operation<V>(self, kind: AtomicKind) -> AtomicOperation {
        AtomicOperation {
            address: self.address,
            size: size_of::<V>() as u8,
            kind,
            ordering: self.ordering,
            name: self.name,
        }
    }
}

/// A load; panics before it is a visible operation if the ordering is not one of loads.
///
/// # Safety
/// That of [`Bits::load`].
#[inline]
#[track_caller]
pub(super) unsafe fn load<V: Bits>(
    active: Active,
    address: usize,
    ordering: Ordering,
    method: &'static AtomicMethod,
    real: impl FnOnce() -> V,
) -> V {
    match ordering {
        Ordering::Release => panic!("there is no such thing as a release load"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release load"),
        _ => {}
    }
    // SAFETY: the caller says what is at the address.
    unsafe { V::load(active, address, ordering, method, real) }
}

/// A store, of which `look` reads what it replaces; panics before it is a visible operation if the ordering is not one
/// of stores.
///
/// # Safety
/// That of [`Bits::store`].
#[inline]
#[track_caller]
pub(super) unsafe fn store<V: Bits>(
    active: Active,
    address: usize,
    ordering: Ordering,
    method: &'static AtomicMethod,
    value: V,
    look: impl FnOnce() -> V,
    real: impl FnOnce(V, Ordering),
) {
    match ordering {
        Ordering::Acquire => panic!("there is no such thing as an acquire store"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release store"),
        _ => {}
    }
    // SAFETY: the caller says what is at the address.
    unsafe { value.store(active, address, ordering, method, look, real) };
}

/// A read-modify-write: `real` does it and returns the old value, `look` then reads the new one.
///
/// # Safety
/// At the site's address is an atomic of this type, alive until this returns, with its provenance exposed.
#[inline]
#[track_caller]
pub(super) unsafe fn modify<V: Bits>(
    site: Site,
    update: Update,
    real: impl FnOnce() -> V,
    look: impl FnOnce() -> V,
) -> V {
    let operation = site.operation::<V>(AtomicKind::Rmw(update));
    let perform = || {
        let old = real();
        (old, AtomicEffect::ReadWrote(old.bits(), look().bits()))
    };
    // SAFETY: the caller says what is at the address.
    unsafe { site.active.atomic(operation, perform) }
}

/// What a compare-exchange is to the engine.
fn exchange<V: Bits>(current: V, failure: Ordering) -> AtomicKind {
    match failure {
        Ordering::Release => panic!("there is no such thing as a release failure ordering"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release failure ordering"),
        _ => AtomicKind::CompareExchange(current.bits(), failure),
    }
}

/// A compare-exchange.
///
/// # Safety
/// That of [`modify`].
#[inline]
#[track_caller]
pub(super) unsafe fn compare_exchange<V: Bits>(
    site: Site,
    current: V,
    new: V,
    failure: Ordering,
    real: impl FnOnce() -> Result<V, V>,
) -> Result<V, V> {
    let operation = site.operation::<V>(exchange(current, failure));
    // SAFETY: the caller says what is at the address.
    unsafe { site.active.atomic(operation, || exchanged(real(), new)) }
}

/// A result with what it did.
fn exchanged<V: Bits>(result: Result<V, V>, new: V) -> (Result<V, V>, AtomicEffect) {
    let effect = match &result {
        Ok(old) => AtomicEffect::ReadWrote(old.bits(), new.bits()),
        Err(now) => AtomicEffect::Read(now.bits()),
    };
    (result, effect)
}

/// A compare-exchange that fails spuriously where the engine says so, and not by what the machine does: so that a
/// schedule means the same everywhere. `real` does not.
///
/// # Safety
/// That of [`modify`].
#[inline]
#[track_caller]
pub(super) unsafe fn compare_exchange_weak<V: Bits>(
    site: Site,
    current: V,
    new: V,
    failure: Ordering,
    real: impl FnOnce() -> Result<V, V>,
) -> Result<V, V> {
    let operation = site.operation::<V>(exchange(current, failure));
    let perform = || exchanged(real(), new);
    // SAFETY: the caller says what is at the address.
    unsafe {
        site.active
            .atomic_exchange_weak(operation, perform, || Err(current))
    }
}
