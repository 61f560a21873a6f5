//! Blocks that code under test gives back: kept out of use until the execution is over, so that whoever touches one is
//! caught.

use super::{current, own_frame};
use crate::execution::machine::Machine;
use crate::memory::arena;
use contest_data::gap::Gap;
use contest_data::trace::{AccessKind, FaultyAccess, MemoryFault, Occurrence, Place};

/// Bytes that are kept out of use in one execution. What is freed after that is used again at once, as without the
/// access layer, and use of it after that is not noticed.
const MOST_KEPT: usize = 64 << 20;
/// Blocks begin and end at multiples of it.
const UNIT: usize = 16;

/// A block that was freed.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: usize,
    size: usize,
    /// By whom.
    freed: Occurrence,
}

/// The freed blocks of an execution.
#[derive(Debug, Default)]
pub(super) struct Freed {
    /// By range of the arena, a bit for each unit that is in one of them.
    units: Vec<Vec<u64>>,
    blocks: Vec<Block>,
    bytes: usize,
}

impl Freed {
    /// Forgets all, in time proportional to their number.
    pub(super) fn clear(&mut self) {
        for block in std::mem::take(&mut self.blocks) {
            let (range, units) = units_of(block.start, block.size);
            for unit in units {
                self.units[range][unit / 64] = 0;
            }
        }
        self.bytes = 0;
    }

    /// True if a block of this size can be kept out of use; then it is.
    fn has_room(&mut self, size: usize) -> bool {
        let keep = self.bytes + size <= MOST_KEPT;
        if keep {
            self.bytes += size;
        }
        keep
    }

    fn add(&mut self, block: Block) {
        let (range, units) = units_of(block.start, block.size);
        if self.units.len() <= range {
            self.units.resize_with(range + 1, Vec::new);
        }
        let bits = &mut self.units[range];
        for unit in units {
            if bits.len() <= unit / 64 {
                bits.resize(unit / 64 + 1, 0);
            }
            bits[unit / 64] |= 1 << (unit % 64);
        }
        self.blocks.push(block);
    }

    /// Who freed the block that one of these bytes is in.
    #[inline]
    pub(super) fn freed_by(&self, address: usize, size: usize) -> Option<Occurrence> {
        Some(self.block_at(address, size)?.freed)
    }

    /// The freed block that one of these bytes is in.
    #[inline]
    fn block_at(&self, address: usize, size: usize) -> Option<&Block> {
        if self.blocks.is_empty() {
            return None;
        }
        let is_freed = |address: usize| {
            let (range, unit) = unit_of(address);
            let bits = self.units.get(range).and_then(|bits| bits.get(unit / 64));
            bits.is_some_and(|bits| bits & (1 << (unit % 64)) != 0)
        };
        if !is_freed(address) && !is_freed(address + size.max(1) - 1) {
            return None;
        }
        let end = address + size.max(1);
        self.blocks
            .iter()
            .rev()
            .find(|block| address < block.start + block.size && block.start < end)
    }
}

/// The range of the arena, and the number of the unit in it.
fn unit_of(address: usize) -> (usize, usize) {
    let (range, offset) = arena::place(address);
    (range, offset / UNIT)
}

fn units_of(start: usize, size: usize) -> (usize, impl Iterator<Item = usize>) {
    let (range, first) = unit_of(start);
    (range, first..unit_of(start + size.max(1) - 1).1 + 1)
}

/// A block of the arena is given back. By code under test: as a write to all of it, for it must not race with any other
/// access. By the engine: whatever was known of it is forgotten, because the next owner has nothing to do with the
/// last. True if the block must not be used again in this execution.
pub(crate) fn freed(start: usize, size: usize) -> bool {
    if !current::is_set() {
        return false;
    }
    let mut access = current::machine();
    let machine = &mut *access;
    if !machine.limits.accesses || machine.tearing_down || machine.over {
        return false;
    }
    if !machine.watching {
        // As if it were watched: what is allocated next has the same address either way.
        return crate::memory::is_user_code() && machine.keep_freed(size);
    }
    let by_user = crate::memory::set_user_code(false);
    machine.settle_accesses();
    let keep = if by_user {
        freed_by_user(machine, start, size)
    } else {
        machine.accesses.forget(start, size);
        false
    };
    drop(access);
    crate::memory::set_user_code(by_user);
    keep
}

fn freed_by_user(machine: &mut Machine, start: usize, size: usize) -> bool {
    let thread = machine.running;
    machine.layer.last_drops.freed(thread, start, size);
    let end = machine.threads[thread.index()].stack_end;
    let place = Place::Addresses(machine.layer.stacks.number(own_frame(), end));
    if machine.fault(start, size, AccessKind::Free, place) {
        // The block is kept already.
        return true;
    }
    if !machine.forgets_accesses() {
        let epoch = machine.synchronisation().epoch(thread);
        machine.access(start, size, AccessKind::Free, place, epoch);
    }
    let keep = machine.keep_freed(size);
    if keep {
        let freed = now(machine, place);
        machine.layer.freed.add(Block { start, size, freed });
    }
    keep
}

fn now(machine: &Machine, place: Place) -> Occurrence {
    Occurrence {
        thread: machine.running,
        step: machine.record.steps,
        place,
    }
}

impl Machine {
    /// True if a block of this size can be kept out of use; then it is.
    fn keep_freed(&mut self, size: usize) -> bool {
        let keep = self.layer.freed.has_room(size);
        if !keep {
            self.record.gaps.add(Gap::Freed);
        }
        keep
    }

    /// True if accesses come before all those of other threads, and nothing else needs them.
    #[inline]
    pub(super) fn forgets_accesses(&self) -> bool {
        let forgets = self.limits.forget_accesses_alone && !self.layer.located.notes_statics;
        forgets && self.live == 1 && !super::is_in_mode(super::LISTENED)
    }

    /// True if one of these bytes is in a freed block, or in the arena and in no block at all.
    #[inline]
    pub(super) fn is_faulty(&self, address: usize, size: usize, kind: AccessKind) -> bool {
        // Most accesses are of stacks.
        arena::has(address, size)
            && (self.layer.freed.freed_by(address, size).is_some()
                || is_outside(address, size, kind))
    }

    /// Notes it if one of these bytes is in a freed block, or in the arena and in no block at all; then nothing else is
    /// to be said of the access.
    pub(crate) fn fault(
        &mut self,
        address: usize,
        size: usize,
        kind: AccessKind,
        place: Place,
    ) -> bool {
        let freed = self.layer.freed.freed_by(address, size);
        if freed.is_none() && !is_outside(address, size, kind) {
            return false;
        }
        let at = now(self, place);
        let access = FaultyAccess { kind, at };
        let block = self.layer.freed.block_at(address, size);
        let touched = block
            .filter(|_| self.layer.allocations.is_some())
            .map(|block| self.in_block(address, size, block.start, block.size));
        let fault = match freed {
            Some(freed) => MemoryFault::after_free(freed, access, touched),
            None => MemoryFault::OutOfBounds {
                allocated: self.allocated_before(address),
                access,
                touched,
            },
        };
        if !self
            .record
            .faults
            .iter()
            .any(|known| known.same_places(&fault))
        {
            self.record.faults.push(fault);
        }
        true
    }

    /// The allocation of the block before this address, if allocations are noted.
    fn allocated_before(&self, address: usize) -> Option<Occurrence> {
        let block = arena::block_before(address)?;
        let made = self.layer.allocations.as_ref()?.at(block.start)?;
        Some(Occurrence {
            thread: made.thread,
            step: made.step,
            place: made.place,
        })
    }
}

/// True if one of these bytes is in the arena and in no block.
fn is_outside(address: usize, size: usize, kind: AccessKind) -> bool {
    // A wrong address that is freed is another matter.
    kind != AccessKind::Free && !arena::is_in_block(address, size)
}
