//! Blocks of the arena that are unreachable at the end of an execution.
//!
//! Conservative marking, as garbage collectors for C do: Boehm and Weiser, "Garbage Collection in an Uncooperative
//! Environment" (1988). Roots are the writable statics, the thread-local block and the startup heap; whatever looks
//! like an address of a block, or of something in it, keeps the block. So a block in use may be taken for one, never
//! the other way round, as long as addresses are kept in one of the forms of [`addresses`]. Stacks are no roots: by
//! then every thread has ended.
//!
//! Not seen as owners: memory of shared libraries and of the system's allocator, files, addresses kept in forms of
//! another kind.

use std::collections::BTreeSet;
use std::ptr;

use super::arena::{self, LiveBlock};
use super::mapping::UNIT;
use super::names::UnownedBlock;
use contest_data::sorted;

/// Low bits that code may use for marks of its own need no care, because an address inside a block counts too. These
/// are the forms beyond that.
fn addresses(word: usize) -> [usize; 2] {
    const ADDRESS_BITS: u32 = 48;
    [
        // Marks or a counter in the upper bits.
        word & ((1 << ADDRESS_BITS) - 1),
        // The same in the lower ones.
        word >> (usize::BITS - ADDRESS_BITS),
    ]
}

/// Blocks to which nothing leads from the words in `roots` (addresses and lengths). Heads come first: blocks to which
/// no other one leads, and one of each cycle.
///
/// # Safety
/// The roots are readable memory, and no thread writes to them or to a block meanwhile.
pub(super) unsafe fn unowned(roots: impl Iterator<Item = (usize, usize)>) -> Vec<UnownedBlock> {
    let blocks = arena::live_blocks();
    let mut marks = Marks::new(&blocks);
    for (start, length) in roots {
        // SAFETY: by this function's contract the roots are readable and not written to.
        unsafe { marks.scan(start, length) };
    }
    // SAFETY: no thread writes to a block, by this function's contract.
    unsafe { marks.follow() };
    let mut reached = marks.reached.into_iter();
    let mut left = blocks;
    left.retain(|_| reached.next() == Some(false));
    // SAFETY: no thread writes to a block, by this function's contract.
    let heads = unsafe { heads(&left) };
    let mut left: Vec<UnownedBlock> = left
        .iter()
        .enumerate()
        .map(|(index, block)| UnownedBlock {
            address: block.start,
            size: block.size,
            held: !heads.contains(&index),
        })
        .collect();
    sorted::sort_by_key(&mut left, |block| block.held);
    left
}

/// The fewest blocks from which all can be reached.
///
/// # Safety
/// No thread writes to a block meanwhile.
unsafe fn heads(blocks: &[LiveBlock]) -> BTreeSet<usize> {
    let new_among = |candidates: &mut dyn Iterator<Item = usize>| {
        let mut marks = Marks::new(blocks);
        let mut new = Vec::new();
        for block in candidates {
            if marks.reach(block) {
                // SAFETY: no thread writes to a block, by this function's contract.
                unsafe { marks.follow() };
                new.push(block);
            }
        }
        new
    };
    // None of these leads to a later one of them, so the last ones are heads, and an earlier one is if none of them
    // leads to it.
    let candidates = new_among(&mut (0..blocks.len()));
    let heads = new_among(&mut candidates.into_iter().rev());
    heads.into_iter().collect()
}

struct Marks<'b> {
    blocks: &'b [LiveBlock],
    reached: Vec<bool>,
    todo: Vec<usize>,
}

impl<'b> Marks<'b> {
    fn new(blocks: &'b [LiveBlock]) -> Self {
        Self {
            reached: vec![false; blocks.len()],
            todo: Vec::new(),
            blocks,
        }
    }

    /// Marks a block; true if it was not.
    fn reach(&mut self, block: usize) -> bool {
        let new = !std::mem::replace(&mut self.reached[block], true);
        if new {
            self.todo.push(block);
        }
        new
    }

    /// Marks all that the blocks lead to that are still to be looked at.
    ///
    /// # Safety
    /// No thread writes to a block meanwhile.
    unsafe fn follow(&mut self) {
        while let Some(block) = self.todo.pop() {
            let LiveBlock { start, size } = self.blocks[block];
            // SAFETY: a block that is not freed, of at least that size.
            unsafe { self.scan(start, size) };
        }
    }

    /// # Safety
    /// The range is readable, and no thread writes to it meanwhile.
    unsafe fn scan(&mut self, start: usize, length: usize) {
        let first = start.next_multiple_of(size_of::<usize>());
        let end = start + length;
        let mut at = first;
        while at + size_of::<usize>() <= end {
            // SAFETY: `at` is aligned, and the word lies in the range, which the caller guarantees to be readable. Any
            // bits are a valid `usize`.
            let word = unsafe { ptr::with_exposed_provenance::<usize>(at).read_volatile() };
            if word != 0 {
                for address in addresses(word) {
                    if arena::is_taken(address) {
                        self.mark(address);
                    }
                }
            }
            at += size_of::<usize>();
        }
    }

    /// Marks the block that the address is in, and the one that ends there: an end is kept by some that walk to it.
    fn mark(&mut self, address: usize) {
        let after = self.blocks.partition_point(|block| block.start <= address);
        for index in (0..after).rev().take(2) {
            let LiveBlock { start, size } = self.blocks[index];
            // Blocks of size 0 have an address too; and rounding up does no harm.
            if address <= start + size.next_multiple_of(UNIT) {
                self.reach(index);
            }
        }
    }
}
