//! The blocks that code under test got in an execution, with the call stacks that allocated them. The fields of
//! accesses are found from them.
//!
//! As cheap as can be, for every execution of a search notes them: blocks that were freed are not used again while
//! accesses are seen, so nearly always the newest block has the highest address.

use super::current;

/// A block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownBlock {
    pub start: usize,
    pub size: usize,
    /// Number of the call stack that allocated it.
    pub stack: u32,
    /// Visible operations of the execution before that.
    pub step: u32,
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

    pub(crate) fn add(&mut self, block: KnownBlock) {
        let start = block.start;
        if self.0.last().is_none_or(|last| last.start < start) {
            self.0.push(block);
            return;
        }
        match self.0.binary_search_by_key(&start, |known| known.start) {
            Ok(at) => self.0[at] = block,
            Err(at) => self.0.insert(at, block),
        }
    }

    /// All of them, by address.
    pub(crate) fn all(&self) -> &[KnownBlock] {
        &self.0
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
pub(crate) fn resized(address: usize, size: usize) {
    if !current::is_set() {
        return;
    }
    let layer = &mut current::machine().layer;
    if layer.notes.on {
        layer.notes.blocks.resize(address, size);
    }
    if let Some(allocations) = &mut layer.allocations {
        allocations.blocks.resize(address, size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_in_the_block_around_it_in_whatever_order_blocks_came() {
        let mut blocks = KnownBlocks::default();
        for (start, size, stack) in [(100, 10, 1), (200, 10, 2), (150, 10, 3), (200, 20, 4)] {
            blocks.add(KnownBlock {
                start,
                size,
                stack,
                step: 0,
            });
        }
        let stack = |blocks: &KnownBlocks, address| blocks.at(address).map(|block| block.stack);
        assert_eq!(stack(&blocks, 99), None);
        assert_eq!(stack(&blocks, 109), Some(1));
        assert_eq!(stack(&blocks, 110), None);
        assert_eq!(stack(&blocks, 155), Some(3));
        // Got anew at the same address.
        assert_eq!(stack(&blocks, 219), Some(4));
        blocks.resize(200, 30);
        assert_eq!(stack(&blocks, 229), Some(4));
        blocks.resize(201, 300);
        assert_eq!(stack(&blocks, 230), None);
    }
}
