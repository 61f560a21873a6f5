//! Small blocks of memory that threads use again: a result of a thread lives in one, so that starting a thread
//! allocates nothing once an engine has run for a while.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use super::current;

/// What every block has room for.
const BLOCK: Layout = match Layout::from_size_align(128, 16) {
    Ok(layout) => layout,
    Err(_) => unreachable!(),
};

/// Blocks that are kept; more go back to the allocator.
const KEPT: usize = 128;

/// Unused blocks.
#[derive(Debug)]
pub struct Blocks(Vec<NonNull<u8>>);

impl Default for Blocks {
    fn default() -> Self {
        // With room, because blocks are given back while code under test runs, which allocates elsewhere.
        Self(Vec::with_capacity(KEPT))
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        for block in self.0.drain(..) {
            // SAFETY: allocated by `take` with this layout, and given back, so there is no other owner.
            unsafe { dealloc(block.as_ptr(), BLOCK) };
        }
    }
}

fn is_small(layout: Layout) -> bool {
    layout.size() <= BLOCK.size() && layout.align() <= BLOCK.align()
}

/// Does this with the blocks of the execution on this OS thread; there are none where an execution leaves behind what
/// it allocates.
#[inline]
fn with_kept<R>(act: impl FnOnce(&mut Vec<NonNull<u8>>) -> Option<R>) -> Option<R> {
    if !current::is_set() {
        return None;
    }
    let mut machine = current::machine();
    if machine.limits.forget_unfinished {
        return None;
    }
    act(&mut machine.blocks.0)
}

/// Memory for a value of this layout, which is not of size 0. To be given back with [`give`].
#[inline]
pub fn take(layout: Layout) -> NonNull<u8> {
    let layout = if is_small(layout) { BLOCK } else { layout };
    if layout == BLOCK
        && let Some(block) = with_kept(Vec::pop)
    {
        return block;
    }
    // SAFETY: the layout is not of size 0.
    NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Gives back what [`take`] gave for this layout, inside an execution or outside.
///
/// # Safety
/// `block` came from [`take`] with this layout and is not used any more.
#[inline]
pub unsafe fn give(block: NonNull<u8>, layout: Layout) {
    let layout = if is_small(layout) { BLOCK } else { layout };
    if layout == BLOCK && with_kept(|kept| (kept.len() < KEPT).then(|| kept.push(block))).is_some()
    {
        return;
    }
    // SAFETY: `take` allocated it with this layout.
    unsafe { dealloc(block.as_ptr(), layout) };
}
