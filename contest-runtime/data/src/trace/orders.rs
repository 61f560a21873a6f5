//! What a memory ordering does.

use std::sync::atomic::Ordering;

/// True if an operation of this ordering acquires what it reads.
#[inline]
#[must_use]
pub fn acquires(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst
    )
}

/// True if an operation of this ordering releases what was done before it.
#[inline]
#[must_use]
pub fn releases(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Release | Ordering::AcqRel | Ordering::SeqCst
    )
}
