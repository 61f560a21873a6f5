//! The functions of `std::alloc`.

use std::alloc::Layout;

/// `std::alloc::alloc`; inside an execution the memory must be given back with [`dealloc`].
///
/// # Safety
/// As for `std::alloc::alloc`.
#[track_caller]
#[must_use]
pub unsafe fn alloc(layout: Layout) -> *mut u8 {
    // SAFETY: promised by the caller.
    let memory = unsafe { std::alloc::alloc(layout) };
    allocated(memory);
    memory
}

/// `std::alloc::alloc_zeroed`; inside an execution the memory must be given back with [`dealloc`].
///
/// # Safety
/// As for `std::alloc::alloc_zeroed`.
#[track_caller]
#[must_use]
pub unsafe fn alloc_zeroed(layout: Layout) -> *mut u8 {
    // SAFETY: promised by the caller.
    let memory = unsafe { std::alloc::alloc_zeroed(layout) };
    allocated(memory);
    memory
}

/// `std::alloc::dealloc`.
///
/// # Safety
/// As for `std::alloc::dealloc`.
pub unsafe fn dealloc(memory: *mut u8, layout: Layout) {
    given_back(memory);
    // SAFETY: promised by the caller.
    unsafe { std::alloc::dealloc(memory, layout) };
}

#[cfg(feature = "explore")]
#[track_caller]
fn allocated(memory: *mut u8) {
    if !memory.is_null()
        && let Some(active) = contest_engine::execution::active()
    {
        active.track_memory(memory.addr());
    }
}

#[cfg(feature = "explore")]
fn given_back(memory: *mut u8) {
    if let Some(active) = contest_engine::execution::active() {
        active.untrack_memory(memory.addr());
    }
}

#[cfg(not(feature = "explore"))]
fn allocated(_: *mut u8) {}

#[cfg(not(feature = "explore"))]
fn given_back(_: *mut u8) {}
