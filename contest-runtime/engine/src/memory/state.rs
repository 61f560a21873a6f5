//! The state that an execution has left in memory, to tell whether two sequences of calls lead to the same one, where
//! `Debug` does not say.
//!
//! It is made of everything: every block of the arena that is not free, and every piece of static and thread-local data
//! that is not as it was in the snapshot, each with its address. Addresses are as deterministic as the rest, so they
//! need no renaming; and as nothing is looked for by following pointers, none can be overlooked that is tagged,
//! compressed or kept as a number. Equal therefore means equal: calls find the same bytes at the same places, and code
//! that gets the same does the same.
//!
//! Unequal may mean nothing: padding, room to grow, blocks that are leaked and the harness's own blocks are in it too.
//! Free blocks are not: after equal states the next allocation may get different addresses, and code that depends on
//! addresses may then behave differently.
//!
//! What lies elsewhere is not seen: memory of C libraries, files, what the kernel maps on request. A word that could be
//! an address of such memory makes the state unknown. What the engine keeps beside the objects is the caller's to
//! exclude.

use std::hash::{DefaultHasher, Hasher};

use super::arena;
use super::statics::StaticData;

/// Where kernels put what programs map, and stacks: the upper part of the addresses that a program can have.
const MAPPED: std::ops::Range<usize> = 0x7000_0000_0000..0x8000_0000_0000;

/// A hash of all that the execution has left.
pub(super) fn of_memory(statics: &StaticData) -> Result<u64, &'static str> {
    let mut hasher = DefaultHasher::new();
    let heap = system_heap();
    let mut outside = false;
    let all = arena::look_at_blocks(|start, bytes| {
        hasher.write_usize(start);
        hasher.write(bytes);
        outside |= words(bytes).any(|word| MAPPED.contains(&word) || heap.contains(&word));
    });
    if !all {
        return Err("there are more blocks of memory than are looked at");
    }
    if outside {
        return Err("something may point to memory that is not under control");
    }
    statics.changed(|start, bytes| {
        hasher.write_usize(start);
        hasher.write(bytes);
    });
    Ok(hasher.finish())
}

/// The words of a block, which is aligned.
fn words(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let chunks = bytes.as_chunks::<{ size_of::<usize>() }>().0;
    chunks.iter().map(|chunk| usize::from_ne_bytes(*chunk))
}

/// What the C library's allocator has of the data segment.
fn system_heap() -> std::ops::Range<usize> {
    let (start, length) = super::static_range::static_range();
    // SAFETY: an increment of 0 returns the end of the segment and does not move it.
    let end = unsafe { libc::sbrk(0) }.addr();
    start + length..end
}
