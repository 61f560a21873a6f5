//! One atomic operation inside an execution: tells the engine what will be done, then does it on the real atomic.

use std::sync::atomic::Ordering;

use contest_data::trace::Update;
use contest_engine::execution::{Active, AtomicEffect, AtomicKind, AtomicMethod, AtomicOperation};

/// A value as the bits that the engine records.
pub trait Bits: Copy {
    /// The value, zero-extended.
    fn bits(self) -> u64;

    /// A load by `real`, or by the engine itself where a value is nothing but its bits.
    #[inline]
    #[track_caller]
    fn load(
        active: Active,
        address: usize,
        ordering: Ordering,
        method: &'static AtomicMethod,
        real: impl FnOnce() -> Self,
    ) -> Self {
        active.atomic_load(address, ordering, method, real, Self::bits)
    }

    /// A store by `real`, of which `look` reads what it replaces, or by the engine itself where a value is nothing but its bits.
    #[inline]
    #[track_caller]
    fn store(
        self,
        active: Active,
        address: usize,
        ordering: Ordering,
        method: &'static AtomicMethod,
        look: impl FnOnce() -> Self,
        real: impl FnOnce(Self, Ordering),
    ) {
        // All virtual threads are on one OS thread: the recorded ordering is for the record, and `Release` is a plain store where `SeqCst`
        // is an exchange.
        let plain = match ordering {
            Ordering::SeqCst => Ordering::Release,
            other => other,
        };
        active.atomic_store(
            address,
            ordering,
            method,
            || look().bits(),
            self.bits(),
            || real(self, plain),
        );
    }
}

/// In the implementation of [`Bits`] for a value that is nothing but its bits: loads and stores by the engine itself; `$from` gives the value
/// of some bits.
macro_rules! by_the_engine {
    ($from:expr) => {
        #[inline]
        #[track_caller]
        fn load(
            active: Active,
            address: usize,
            ordering: Ordering,
            method: &'static AtomicMethod,
            _real: impl FnOnce() -> Self,
        ) -> Self {
            $from(active.atomic_load_bits(address, ordering, method))
        }

        #[inline]
        #[track_caller]
        fn store(
            self,
            active: Active,
            address: usize,
            ordering: Ordering,
            method: &'static AtomicMethod,
            _look: impl FnOnce() -> Self,
            _real: impl FnOnce(Self, Ordering),
        ) {
            active.atomic_store_bits(address, ordering, method, self.bits());
        }
    };
}
pub(crate) use by_the_engine;

/// Where an operation goes to, how it is ordered, and its name in the source.
#[derive(Clone, Copy)]
pub struct Site {
    pub active: Active,
    pub address: usize,
    pub ordering: Ordering,
    pub name: &'static str,
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
#[inline]
#[track_caller]
pub fn load<V: Bits>(
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
    V::load(active, address, ordering, method, real)
}

/// A store, of which `look` reads what it replaces; panics before it is a visible operation if the ordering is not one of stores.
#[inline]
#[track_caller]
pub fn store<V: Bits>(
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
    value.store(active, address, ordering, method, look, real);
}

/// A read-modify-write: `real` does it and returns the old value, `look` then reads the new one.
#[inline]
#[track_caller]
pub fn modify<V: Bits>(
    site: Site,
    update: Update,
    real: impl FnOnce() -> V,
    look: impl FnOnce() -> V,
) -> V {
    site.active
        .atomic(site.operation::<V>(AtomicKind::Rmw(update)), || {
            let old = real();
            (old, AtomicEffect::ReadWrote(old.bits(), look().bits()))
        })
}

/// A compare-exchange, strong or weak: none fails spuriously here, so that a schedule means the same on every machine.
#[inline]
#[track_caller]
pub fn compare_exchange<V: Bits>(
    site: Site,
    current: V,
    new: V,
    failure: Ordering,
    real: impl FnOnce() -> Result<V, V>,
) -> Result<V, V> {
    match failure {
        Ordering::Release => panic!("there is no such thing as a release failure ordering"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release failure ordering"),
        _ => {}
    }
    let kind = AtomicKind::CompareExchange(current.bits(), failure);
    site.active
        .atomic(site.operation::<V>(kind), || match real() {
            Ok(old) => (Ok(old), AtomicEffect::ReadWrote(old.bits(), new.bits())),
            Err(now) => (Err(now), AtomicEffect::Read(now.bits())),
        })
}
