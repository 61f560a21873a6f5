//! Accesses that are scheduling points: those of memory that was seen to be accessed by two threads with nothing to
//! order them.
//!
//! Plain accesses are invisible at first, and so are atomic operations of `std` that are compiled into instrumented
//! crates (the counts of an `Arc`): memory that is accessed in order costs no decision. What is contended in one
//! execution is visible in those after it.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::{FrameRecord, is_watched};
use crate::execution::active::memory::visible_access;
use crate::execution::current::Access;
use crate::execution::machine::Machine;
use crate::memory::arena;
use crate::memory::mapping::Region;
use crate::memory::shared;
use contest_data::trace::{
    Contended, Home, ObjectId, Place, ThreadIndex, Touched, VisibleAccess, VisibleBytes,
};

/// Bytes that an instruction reads or writes at once. Another thread may see half of a larger copy; here it stays one
/// step.
const WORD: usize = 8;
/// Most places that one execution may propose to make visible.
const MOST_CONTENDED: usize = 256;

/// What is visible in an execution, and where its blocks come from.
#[derive(Debug, Default)]
pub(crate) struct Visible {
    requested: Vec<VisibleBytes>,
    /// The addresses of those that exist by now.
    there: Vec<Range<usize>>,
    /// Blocks that each thread has allocated, if they are counted.
    counts: Vec<u32>,
    /// The blocks that are noted, by address.
    homes: BTreeMap<usize, (ThreadIndex, u32)>,
    /// Atomics that no drop-in type performs, by address, with the last uses of each.
    inner: HashMap<usize, LastUses>,
}

/// An operation as (thread, epoch).
type Use = (ThreadIndex, u32);

#[derive(Clone, Copy, Debug, Default)]
struct LastUses {
    look: Option<Use>,
    change: Option<Use>,
}

/// What an atomic operation means for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InnerUse {
    /// The thread uses the value.
    Look,
    /// Changes the value by a number that does not depend on it: such operations commute.
    Change,
    /// The same, down to zero: the thread may do what the others do not (`last_drops`).
    LastChange,
    /// Both.
    LookAndChange,
}

/// What an atomic operation has to do with those of other threads that it is not ordered after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contention {
    /// Nothing.
    None,
    /// It counted last, and another one could have.
    Last,
    /// One sees what the other does.
    Both,
}

impl Visible {
    /// Sets what is visible in the executions to come.
    pub(crate) fn request(&mut self, bytes: &[VisibleBytes]) {
        self.requested.clear();
        self.requested.extend_from_slice(bytes);
    }

    pub(crate) fn requested(&self) -> &[VisibleBytes] {
        &self.requested
    }

    /// True if anything is.
    #[inline]
    pub(crate) fn is_any(&self) -> bool {
        !self.requested.is_empty()
    }

    /// An execution begins.
    pub(crate) fn begin(&mut self) {
        self.there.clear();
        self.counts.clear();
        self.homes.clear();
        self.inner.clear();
        let (start, length) = shared::statics();
        for bytes in &self.requested {
            if bytes.home == Home::Statics && bytes.offset as usize + bytes.size as usize <= length
            {
                let start = start + bytes.offset as usize;
                self.there.push(start..start + bytes.size as usize);
            }
        }
    }

    /// The thread got the block at this address.
    pub(crate) fn allocated(&mut self, thread: ThreadIndex, address: usize, note: bool) {
        if self.counts.len() <= thread.index() {
            self.counts.resize(thread.index() + 1, 0);
        }
        let count = &mut self.counts[thread.index()];
        let number = *count;
        *count += 1;
        if note {
            self.homes.insert(address, (thread, number));
        }
        let home = Home::Block { thread, number };
        for bytes in self.requested.iter().filter(|bytes| bytes.home == home) {
            let start = address + bytes.offset as usize;
            self.there.push(start..start + bytes.size as usize);
        }
    }

    /// Where the visible memory begins that these bytes touch.
    fn at(&self, address: usize, size: usize) -> Option<usize> {
        let meets = |there: &&Range<usize>| address < there.end && there.start < address + size;
        self.there.iter().find(meets).map(|there| there.start)
    }

    /// True if these bytes touch more than one piece.
    fn spans(&self, address: usize, size: usize) -> bool {
        let meets = |there: &&Range<usize>| address < there.end && there.start < address + size;
        self.there.iter().filter(meets).count() > 1
    }

    /// The same without an address.
    fn without_address(&self, address: usize, size: usize) -> Option<VisibleBytes> {
        let size = u32::try_from(size).ok()?;
        let (start, length) = shared::statics();
        let statics = address.wrapping_sub(start);
        if statics < length {
            let offset = u32::try_from(statics).ok()?;
            let home = Home::Statics;
            return Some(VisibleBytes { home, offset, size });
        }
        // Also called after the execution, when the arena is empty. Between blocks nothing is contended.
        let (start, &(thread, number)) = self.homes.range(..=address).next_back()?;
        Some(VisibleBytes {
            home: Home::Block { thread, number },
            offset: u32::try_from(address - start).ok()?,
            size,
        })
    }

    /// Notes how an atomic was used, and whether that is ordered after uses by other threads that it has to do with.
    /// `clock` is what the thread knows of the others.
    fn contention(&mut self, address: usize, how: InnerUse, by: Use, clock: &[u32]) -> Contention {
        let last = self.inner.entry(address).or_default();
        let unordered = |other: Option<Use>| {
            other.is_some_and(|(thread, epoch)| {
                thread != by.0 && clock.get(thread.index()).is_none_or(|known| *known < epoch)
            })
        };
        let looks = matches!(how, InnerUse::Look | InnerUse::LookAndChange);
        let changes = how != InnerUse::Look;
        let contention = if looks && unordered(last.change) || changes && unordered(last.look) {
            Contention::Both
        } else if how == InnerUse::LastChange && unordered(last.change) {
            Contention::Last
        } else {
            Contention::None
        };
        if looks {
            last.look = Some(by);
        }
        if changes {
            last.change = Some(by);
        }
        contention
    }
}

/// Waits for the turn of the running thread before plain accesses of visible memory, and records them: so many bytes
/// that are read, and so many that are written, of a copy both. Nothing happens if neither are visible.
pub(super) fn plain_operation(
    mut access: Access,
    read: usize,
    written: usize,
    size: usize,
    frame: *const FrameRecord,
) -> Access {
    let machine = &mut *access;
    let visible = &machine.layer.visible;
    let (from, into) = (visible.at(read, size), visible.at(written, size));
    let Some(first) = into.or(from) else {
        return access;
    };
    let spans = visible.spans(read, size) || visible.spans(written, size);
    let object = machine.objects.at(first, "memory");
    let second = match into.and(from) {
        Some(from) => machine.objects.at(from, "memory"),
        None => ObjectId::NONE,
    };
    let end = machine.threads[machine.running.index()].stack_end;
    let stack = machine.layer.stacks.number(frame, end);
    let address = if into.is_some() { written } else { read };
    // Equal for a repetition: the same place, the same bytes.
    let value = u64::from(stack) << 32 ^ address as u64;
    let mut machine = visible_access(access, into.is_some(), object, second, value);
    machine.note_place((address, size), Place::Addresses(stack));
    if let Some(access) = machine.record.visible.last_mut() {
        access.wide |= spans;
    }
    machine
}

/// Bytes of the futex word of a stream's lock.
const FUTEX: usize = 4;

/// True if taking and giving back the lock of a stream, with the futex word at this address, are visible operations.
pub(in crate::execution) fn is_stream_visible(machine: &Machine, word: usize) -> bool {
    machine.is_visible((word, FUTEX))
}

/// They should be.
pub(in crate::execution) fn contend_stream(machine: &mut Machine, word: usize) {
    machine.contend((word, FUTEX), Place::Stack(&[]));
}

impl Machine {
    /// Notes where the operation that was recorded last is.
    pub(crate) fn note_place(&mut self, (address, size): (usize, usize), place: Place) {
        let block = (self.layer.allocations.is_some() && Region::contains(address))
            .then(|| arena::block_before(address))
            .flatten();
        let touched = block
            .filter(|block| address < block.start + block.size)
            .map(|block| self.in_block(address, size, block.start, block.size));
        let touched = touched.or_else(|| {
            let noted = self.layer.allocations.is_some() && !Region::contains(address);
            noted.then(|| Touched::at(address, size))
        });
        self.record.visible.push(VisibleAccess {
            event: self.record.events.len() as u32 - 1,
            place,
            touched,
            wide: size > WORD,
        });
    }

    /// True if an atomic that no drop-in type performs is visible.
    #[inline]
    pub(crate) fn is_visible(&self, (address, size): (usize, usize)) -> bool {
        self.layer.visible.at(address, size).is_some()
    }

    /// Notes the use of an atomic that is not visible. Called before the operation orders its thread after others.
    pub(crate) fn note_inner(
        &mut self,
        (address, size): (usize, usize),
        how: InnerUse,
        place: Place,
        frame: *const FrameRecord,
    ) {
        let thread = self.running;
        let synchronisation = self.synchronisation();
        let by = (thread, synchronisation.epoch(thread));
        let clock = synchronisation.clock(thread).to_vec();
        match self.layer.visible.contention(address, how, by, &clock) {
            Contention::None => {}
            Contention::Last => {
                let count = self.contended((address, size), place);
                self.note_last_drop(count, frame);
            }
            Contention::Both => self.contend((address, size), place),
        }
    }

    /// These bytes should be visible, for they are accessed here.
    pub(crate) fn contend(&mut self, (address, size): (usize, usize), place: Place) {
        // The search by address is left out where it is not needed.
        if self.may_contend((address, size)) {
            let contended = self.contended((address, size), place);
            self.record.contended.push(contended);
        }
    }

    /// As [`contend`](Self::contend), of what was noted before.
    pub(super) fn contend_as(&mut self, contended: Contended) {
        if self.may_contend((contended.address, contended.size)) {
            self.record.contended.push(contended);
        }
    }

    fn may_contend(&self, (address, size): (usize, usize)) -> bool {
        let known = |other: &Contended| {
            other.address == address && other.size == size && !self.layer.last_drops.has(other)
        };
        is_watched(address)
            && self.layer.visible.at(address, size).is_none()
            && self.record.contended.len() < MOST_CONTENDED
            && !self.record.contended.iter().any(known)
    }

    fn contended(&self, (address, size): (usize, usize), place: Place) -> Contended {
        Contended {
            address,
            size,
            bytes: self.layer.visible.without_address(address, size),
            place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: ThreadIndex = ThreadIndex(1);
    const TWO: ThreadIndex = ThreadIndex(2);

    #[test]
    fn counting_up_and_down_is_not_contended_and_looking_at_the_count_is() {
        let mut visible = Visible::default();
        let unordered = [0, 0, 0];
        let mut uses = |how, by| visible.contention(64, how, by, &unordered);
        assert_eq!(uses(InnerUse::Change, (ONE, 1)), Contention::None);
        assert_eq!(uses(InnerUse::Change, (TWO, 1)), Contention::None);
        assert_eq!(uses(InnerUse::LastChange, (ONE, 2)), Contention::Last);
        assert_eq!(uses(InnerUse::Look, (TWO, 2)), Contention::Both);
        assert_eq!(uses(InnerUse::Change, (ONE, 3)), Contention::Both);
    }

    #[test]
    fn what_comes_after_by_the_clock_is_not_contended() {
        let mut visible = Visible::default();
        let mut uses = |how, by, clock: &[u32]| visible.contention(64, how, by, clock);
        assert_eq!(
            uses(InnerUse::Change, (ONE, 4), &[0, 4, 0]),
            Contention::None
        );
        let both = InnerUse::LookAndChange;
        assert_eq!(uses(both, (TWO, 1), &[0, 4, 1]), Contention::None);
        assert_eq!(uses(InnerUse::Look, (ONE, 5), &[0, 5, 0]), Contention::Both);
    }

    #[test]
    fn a_block_is_found_by_who_allocated_it_and_when() {
        let mut visible = Visible::default();
        let home = Home::Block {
            thread: TWO,
            number: 1,
        };
        let (offset, size) = (8, 4);
        visible.request(&[VisibleBytes { home, offset, size }]);
        visible.begin();
        visible.allocated(TWO, 1000, false);
        visible.allocated(ONE, 2000, false);
        visible.allocated(TWO, 3000, false);
        assert_eq!(visible.at(3008, 1), Some(3008));
        assert_eq!(visible.at(3000, 9), Some(3008));
        assert_eq!(visible.at(3000, 8), None);
        assert_eq!(visible.at(3012, 8), None);
        visible.begin();
        assert_eq!(visible.at(3008, 1), None);
    }
}
