//! Heap blocks from before the snapshot: what `std` and static constructors keep for the life of the process. They are
//! never given back, because a restored static may point to them again, and their bytes are restored with the statics.

use std::alloc::Layout;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use super::mapping::{Region, STARTUP_BYTES};

static USED: AtomicUsize = AtomicUsize::new(0);
static FROZEN: AtomicBool = AtomicBool::new(false);

/// True once the startup heap takes no more blocks.
#[inline]
#[must_use]
pub(crate) fn is_frozen() -> bool {
    FROZEN.load(Relaxed)
}

/// From here on allocations outside code under test come from the system.
pub(crate) fn freeze() {
    FROZEN.store(true, Relaxed);
}

/// The part in use: address and bytes.
#[must_use]
pub(crate) fn used() -> (usize, usize) {
    (
        Region::get().map_or(0, |region| region.base),
        USED.load(Relaxed).min(STARTUP_BYTES),
    )
}

/// True if the block at `address` belongs to this heap.
#[inline]
#[must_use]
pub(crate) fn contains(address: usize) -> bool {
    Region::get().is_some_and(|region| address.wrapping_sub(region.base) < STARTUP_BYTES)
}

/// A zeroed block, or null if the heap is full or was never reserved.
#[cold]
#[must_use]
pub(crate) fn alloc(layout: Layout) -> *mut u8 {
    let Some(region) = Region::get() else {
        return ptr::null_mut();
    };
    // Other threads may run already, so the end moves by compare-and-swap.
    let mut used = USED.load(Relaxed);
    loop {
        let start = used.next_multiple_of(layout.align().max(16));
        let Some(end) = start
            .checked_add(layout.size())
            .filter(|end| *end <= STARTUP_BYTES)
        else {
            return ptr::null_mut();
        };
        match USED.compare_exchange_weak(used, end, Relaxed, Relaxed) {
            Ok(_) => return ptr::with_exposed_provenance_mut(region.base + start),
            Err(now) => used = now,
        }
    }
}
