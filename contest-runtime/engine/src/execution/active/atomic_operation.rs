//! What atomic operations are.

use std::sync::atomic::Ordering;

use contest_data::trace::schedule::check_of;
use contest_data::trace::{Action, Update};

/// What all uses of a load or store method have in common.
#[derive(Clone, Copy, Debug)]
pub struct AtomicMethod {
    pub(super) name: &'static str,
    pub(super) check: u8,
    pub(super) size: u8,
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

    pub(super) fn operation(
        &self,
        address: usize,
        kind: AtomicKind,
        ordering: Ordering,
    ) -> AtomicOperation {
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
