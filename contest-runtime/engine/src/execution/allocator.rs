//! The global allocator of the driver process, placed by `driver_symbols!` of the driver.

use std::alloc::{GlobalAlloc, Layout, System};

use super::current::running_thread;
use super::layer;
use crate::memory::mapping::Region;
use crate::memory::{arena, is_user_code, startup_heap};

/// Code under test gets blocks of the arena, everything else the system's (before the snapshot: the startup heap's). A
/// block goes back to where its address says it came from, so either side may free what the other allocated.
///
/// Not inlined: the driver's own crate is built with the user's profile, usually without optimisation, this one always
/// with.
#[derive(Clone, Copy, Debug, Default)]
pub struct DriverAllocator;

// SAFETY: each path hands out blocks of one of three heaps that never overlap, and returns them to the same heap, which
// is known by its address range. The ranges do not change after the first allocation.
unsafe impl GlobalAlloc for DriverAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_user_code()
            && let Some(block) = arena::alloc(running_thread(), layout, false)
        {
            layer::allocated(block.addr(), layout.size());
            return block;
        }
        if !startup_heap::is_frozen() {
            let block = startup_heap::alloc(layout);
            if !block.is_null() {
                return block;
            }
        }
        // SAFETY: the caller of the allocator promises a valid layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_user_code()
            && let Some(block) = arena::alloc(running_thread(), layout, true)
        {
            layer::allocated(block.addr(), layout.size());
            return block;
        }
        if !startup_heap::is_frozen() {
            let block = startup_heap::alloc(layout);
            if !block.is_null() {
                return block;
            }
        }
        // SAFETY: the caller of the allocator promises a valid layout.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if !Region::contains(block.addr()) {
            // SAFETY: not ours, so it came from the system with this layout.
            unsafe { System.dealloc(block, layout) };
        } else if !startup_heap::contains(block.addr()) {
            if layer::freed(block.addr(), layout.size()) {
                arena::retire(block.addr());
                return;
            }
            // SAFETY: in the arena's part of the range.
            unsafe { arena::dealloc(block, layout) };
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if !Region::contains(block.addr()) {
            // Also in code under test: the block belongs to the tool and may outlive the execution.
            // SAFETY: not ours, so it came from the system with this layout.
            return unsafe { System.realloc(block, layout, new_size) };
        }
        // SAFETY: the caller promised that `new_size` with this alignment makes a layout.
        let new_layout = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        let stays = if startup_heap::contains(block.addr()) {
            new_size <= layout.size()
        } else {
            arena::same_class(layout, new_layout)
        };
        if stays {
            if !startup_heap::contains(block.addr()) {
                arena::resize(block, new_size);
                layer::resized(block.addr(), new_size);
            }
            return block;
        }
        // SAFETY: the new layout is valid; both blocks have at least the smaller size; the old one is not used again.
        unsafe {
            let new_block = self.alloc(new_layout);
            if !new_block.is_null() {
                new_block.copy_from_nonoverlapping(block, layout.size().min(new_size));
                self.dealloc(block, layout);
            }
            new_block
        }
    }
}
