//! Atomic operations and fences by their place in the source, and other orderings for them.

use std::fmt;
use std::sync::atomic::Ordering;

/// What an atomic operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum AtomicRole {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes.
    Update,
    /// Writes if it reads what is expected.
    Exchange,
    /// A fence.
    Fence,
}

/// An atomic operation or fence in the source, with the orderings that are written there. Two operations of one line
/// and column (of a macro, or with an ordering that is known at run time only) differ in the rest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AtomicPlace {
    /// As the compiler names it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// The method: `store`; `fence`.
    pub name: String,
    /// What it does.
    pub role: AtomicRole,
    /// Its ordering; of a compare-exchange, that of success.
    pub order: MemoryOrder,
    /// Of a compare-exchange: the ordering of failure.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub failure: Option<MemoryOrder>,
}

/// An [`Ordering`] that has an order of strength as far as there is one, and crosses the process wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MemoryOrder {
    /// Of a fence: there is none.
    Relaxed,
    /// Not comparable to `Release`.
    Acquire,
    /// Not comparable to `Acquire`.
    Release,
    /// Both.
    AcqRel,
    /// The strongest.
    SeqCst,
}

impl MemoryOrder {
    /// The ordering of the standard library.
    #[must_use]
    pub fn ordering(self) -> Ordering {
        match self {
            Self::Relaxed => Ordering::Relaxed,
            Self::Acquire => Ordering::Acquire,
            Self::Release => Ordering::Release,
            Self::AcqRel => Ordering::AcqRel,
            Self::SeqCst => Ordering::SeqCst,
        }
    }

    /// True if it guarantees all that `other` does.
    #[must_use]
    pub fn is_at_least(self, other: Self) -> bool {
        match (self, other) {
            (Self::Release, Self::Acquire) => false,
            (one, other) => one >= other,
        }
    }
}

impl From<Ordering> for MemoryOrder {
    fn from(order: Ordering) -> Self {
        match order {
            Ordering::Relaxed => Self::Relaxed,
            Ordering::Acquire => Self::Acquire,
            Ordering::Release => Self::Release,
            Ordering::AcqRel => Self::AcqRel,
            _ => Self::SeqCst,
        }
    }
}

impl fmt::Display for MemoryOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Other orderings for one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OrderingChange {
    /// The place.
    pub place: AtomicPlace,
    /// Instead of [`AtomicPlace::order`].
    pub order: MemoryOrder,
    /// Instead of [`AtomicPlace::failure`].
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub failure: Option<MemoryOrder>,
    /// A fence right before the operation.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub fence_before: Option<MemoryOrder>,
}

impl OrderingChange {
    /// The place as it is written.
    #[must_use]
    pub fn none(place: &AtomicPlace) -> Self {
        Self {
            order: place.order,
            failure: place.failure,
            fence_before: None,
            place: place.clone(),
        }
    }
}

/// What executions under RC11 do with orderings. Those under sequential consistency do not look at them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OrderingSettings {
    /// Operations that have other orderings than the source says.
    pub changes: Vec<OrderingChange>,
    /// Collect the places of atomic operations, for the totals.
    pub collect: bool,
}

#[cfg(test)]
mod tests {
    use super::MemoryOrder::{AcqRel, Acquire, Relaxed, Release, SeqCst};

    #[test]
    fn strength_is_a_partial_order() {
        for order in [Relaxed, Acquire, Release, AcqRel, SeqCst] {
            assert!(order.is_at_least(order) && order.is_at_least(Relaxed));
            assert!(SeqCst.is_at_least(order));
        }
        assert!(!Acquire.is_at_least(Release) && !Release.is_at_least(Acquire));
        assert!(AcqRel.is_at_least(Release) && AcqRel.is_at_least(Acquire));
    }
}
