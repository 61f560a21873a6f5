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

use std::ptr;

use super::arena::{self, LiveBlock};
use super::mapping::UNIT;

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

/// Blocks, by address, to which nothing leads from the words in `roots` (addresses and lengths).
///
/// # Safety
/// The roots are readable memory, and no thread writes to them or to a block meanwhile.
pub(super) unsafe fn unowned(roots: impl Iterator<Item = (usize, usize)>) -> Vec<LiveBlock> {
    let blocks = arena::live_blocks();
    if blocks.is_empty() {
        return blocks;
    }
    let mut marks = Marks {
        reached: vec![false; blocks.len()],
        todo: Vec::new(),
        blocks: &blocks,
    };
    for (start, length) in roots {
        // SAFETY: by this function's contract the roots are readable and not written to.
        unsafe { marks.scan(start, length) };
    }
    while let Some(block) = marks.todo.pop() {
        let LiveBlock { start, size } = blocks[block];
        // SAFETY: a block that is not freed, of at least that size.
        unsafe { marks.scan(start, size) };
    }
    let reached = marks.reached;
    let mut unreached = reached.iter().map(|reached| !reached);
    let mut left = blocks;
    left.retain(|_| unreached.next().unwrap_or(false));
    left
}

struct Marks<'b> {
    blocks: &'b [LiveBlock],
    reached: Vec<bool>,
    todo: Vec<usize>,
}

impl Marks<'_> {
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
            if address <= start + size.next_multiple_of(UNIT) && !self.reached[index] {
                self.reached[index] = true;
                self.todo.push(index);
            }
        }
    }
}
