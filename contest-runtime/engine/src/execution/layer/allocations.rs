//! Where code under test allocates. Recorded only in executions that are run to find out where a block came from.

use std::collections::HashMap;

use super::known_blocks::KnownBlock;
use super::{KnownBlocks, current, own_frame};
use crate::execution::machine::Machine;
use crate::memory::arena;
use crate::memory::mapping::Region;
use contest_data::trace::{Allocated, Place, Touched, Within};

/// The newest allocation at each address.
#[derive(Debug, Default)]
pub(crate) struct Allocations {
    newest: HashMap<usize, Allocated>,
    /// The same as blocks, freed ones included.
    pub blocks: KnownBlocks,
}

impl Allocations {
    pub(crate) fn clear(&mut self) {
        self.newest.clear();
        self.blocks.clear();
    }

    pub(crate) fn at(&self, address: usize) -> Option<Allocated> {
        self.newest.get(&address).copied()
    }
}

/// Code under test got the block at this address.
#[inline]
pub(crate) fn allocated(address: usize, size: usize) {
    if current::is_set() && current::machine().counts_blocks() {
        note(address, size);
    }
}

#[cold]
#[inline(never)]
fn note(address: usize, size: usize) {
    let mut access = current::machine();
    let machine = &mut *access;
    if machine.tearing_down || machine.over {
        return;
    }
    let by_user = crate::memory::set_user_code(false);
    let thread = machine.running;
    let noted = machine.layer.allocations.is_some();
    machine.layer.visible.allocated(thread, address, noted);
    if !noted && !machine.layer.notes.on {
        crate::memory::set_user_code(by_user);
        return;
    }
    let end = machine.threads[thread.index()].stack_end;
    let stack = machine.layer.stacks.number(own_frame(), end);
    let place = Place::Addresses(stack);
    let step = machine.record.steps;
    let block = KnownBlock {
        start: address,
        size,
        stack,
        step,
    };
    if machine.layer.notes.on {
        machine.layer.notes.blocks.add(block);
    }
    if let Some(known) = &mut machine.layer.allocations {
        known.blocks.add(block);
        known.newest.insert(
            address,
            Allocated {
                thread,
                step,
                place,
            },
        );
    }
    drop(access);
    crate::memory::set_user_code(by_user);
}

impl Machine {
    /// True if blocks are numbered by thread, in order of allocation.
    fn counts_blocks(&self) -> bool {
        self.layer.allocations.is_some() || self.layer.visible.is_any() || self.layer.notes.on
    }

    /// Notes the blocks that the faults from this number on are in, if allocations are recorded.
    #[cold]
    pub(crate) fn note_blocks_of_faults(&mut self, known: usize) {
        if self.layer.allocations.is_none() {
            return;
        }
        for number in known..self.record.faults.len() {
            let Some(Touched {
                within: Within::Address(address),
                size,
                ..
            }) = self.record.faults[number].touched().copied()
            else {
                continue;
            };
            let block = Region::contains(address)
                .then(|| arena::block_before(address))
                .flatten();
            if let Some(block) = block.filter(|block| address < block.start + block.size) {
                let found = self.in_block(address, size, block.start, block.size);
                if let Some(touched) = self.record.faults[number].touched_mut() {
                    *touched = Some(found);
                }
            }
        }
    }

    /// Bytes of a block.
    pub(crate) fn in_block(
        &self,
        address: usize,
        size: usize,
        start: usize,
        block_size: usize,
    ) -> Touched {
        let made = self
            .layer
            .allocations
            .as_ref()
            .and_then(|known| known.at(start));
        let offset = address.saturating_sub(start);
        Touched {
            size: size.min(block_size.saturating_sub(offset)),
            within: Within::Block {
                offset,
                size: block_size,
                allocated: made.map_or(Place::Stack(&[]), |made| made.place),
            },
            field: None,
        }
    }
}
