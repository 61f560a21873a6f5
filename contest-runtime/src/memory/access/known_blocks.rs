//! The blocks that code under test got in an execution, with the call stacks that allocated them: what fields are told by.
//!
//! As cheap as can be, for every execution of a search notes them: blocks that were freed are not used again while accesses are seen, so
//! nearly always the newest block has the highest address.

use super::current;

/// A block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownBlock {
    pub(crate) start: usize,
    pub(crate) size: usize,
    /// Number of the call stack that allocated it.
    pub(crate) stack: u32,
}

/// The blocks of an execution, by address.
#[derive(Debug, Default)]
pub(crate) struct KnownBlocks(Vec<KnownBlock>);

impl KnownBlocks {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    fn resize(&mut self, start: usize, size: usize) {
        if let Ok(at) = self.0.binary_search_by_key(&start, |known| known.start) {
            self.0[at].size = size;
        }
    }

    pub(super) fn add(&mut self, start: usize, size: usize, stack: u32) {
        let block = KnownBlock { start, size, stack };
        if self.0.last().is_none_or(|last| last.start < start) {
            self.0.push(block);
            return;
        }
        match self.0.binary_search_by_key(&start, |known| known.start) {
            Ok(at) => self.0[at] = block,
            Err(at) => self.0.insert(at, block),
        }
    }

    /// The block that an address is in.
    pub(crate) fn at(&self, address: usize) -> Option<&KnownBlock> {
        let after = self.0.partition_point(|known| known.start <= address);
        let block = self.0.get(after.checked_sub(1)?)?;
        (address - block.start < block.size.max(1)).then_some(block)
    }
}

/// A block has another size from here on.
#[inline]
pub(in crate::memory) fn resized(address: usize, size: usize) {
    if current::is_set()
        && let notes = &mut current::machine().notes
        && notes.on
    {
        notes.blocks.resize(address, size);
    }
}
