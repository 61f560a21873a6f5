//! Data races of plain and atomic accesses.
//!
//! Flanagan and Freund, "FastTrack" (PLDI 2009), figure 5, with these deviations:
//! * Atomic accesses are kept beside plain ones, because a plain access may race with them.
//! * Instead of one write epoch and one read epoch or vector, a location keeps the accesses that no later one stands
//!   for: `b` stands for
//!   `a` if `a` happens before `b` and whatever conflicts with `a` conflicts with `b`. Without atomics these are the
//!   paper's epochs. The first race of a location is found exactly, and both its places are known.
//! * A location is a byte. Bytes of a granule that were always accessed together share one record, which is split when
//!   they are not.
//! * Where the paper has a rule for each state of a location, one pass over its accesses finds what races and what is
//!   no longer needed: there are at most four but for locations that many threads read. An access that adds nothing in
//!   its epoch ends before that, as in the paper.

use super::cells::{Cells, Past};
use super::granules::{GRANULE, Granules, NONE};
use contest_data::trace::{
    AccessKind, FaultyAccess, MemoryFault, Occurrence, Place, ThreadIndex, Touched,
};

/// One access, as it is reported to the detector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// Who.
    pub thread: ThreadIndex,
    /// Epoch of the thread at the access; for a releasing atomic operation the one that it hands on.
    pub epoch: u32,
    /// Visible operations of the execution before it, for the report.
    pub step: u32,
    /// Where in the program, for the report.
    pub place: Place,
    /// How.
    pub kind: AccessKind,
    /// First byte: an address, or any other number that names the location.
    pub location: usize,
    /// Number of bytes.
    pub size: usize,
}

/// The accesses of one execution, and the races among them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accesses {
    granules: Granules,
    pub cells: Cells,
    /// Places that two threads accessed unordered, each once: more than there are races, which are of one pair of
    /// places in the source each.
    pub contended: Vec<MemoryFault>,
}

impl Accesses {
    /// Forgets everything; costs nothing for what is not touched again.
    pub(crate) fn reset(&mut self) {
        self.granules.clear();
        self.cells.clear();
        self.contended.clear();
    }

    /// Some unordered accesses of each place that has any.
    #[cfg_attr(
        not(feature = "driver"),
        allow(dead_code, reason = "for the layer of accesses")
    )]
    pub(crate) fn contended(&self) -> &[MemoryFault] {
        &self.contended
    }

    /// Adds the next access. `clock` is that of its thread, for an acquiring atomic operation with what it acquired.
    /// Races with earlier accesses are appended to `races`, unless one between the same places is there.
    #[inline]
    pub(crate) fn access(&mut self, access: &Access, clock: &[u32], races: &mut Vec<MemoryFault>) {
        let offset = access.location % GRANULE;
        if access.size.wrapping_sub(1) < GRANULE - offset {
            let mask = (((1_u16 << access.size) - 1) << offset) as u8;
            self.granule(access.location / GRANULE, mask, access, clock, races);
        } else {
            self.access_granules(*access, clock, races);
        }
    }

    #[inline(never)]
    fn access_granules(&mut self, access: Access, clock: &[u32], races: &mut Vec<MemoryFault>) {
        let mut at = access.location;
        let end = access.location.saturating_add(access.size);
        while at < end {
            let offset = at % GRANULE;
            let bytes = (end - at).min(GRANULE - offset);
            let mask = (((1_u16 << bytes) - 1) << offset) as u8;
            self.cells_of_granule(at / GRANULE, mask, access, clock, races);
            at += bytes;
        }
    }

    /// True if the access is within one granule and adds nothing to what is known of it: the thread has made one like
    /// it since its last release operation, and no other thread has accessed the granule since.
    #[cfg_attr(
        not(feature = "driver"),
        allow(dead_code, reason = "for the layer of accesses")
    )]
    #[inline]
    pub(crate) fn is_repeated(
        &mut self,
        thread: ThreadIndex,
        epoch: u32,
        kind: AccessKind,
        location: usize,
        size: usize,
    ) -> bool {
        let offset = location % GRANULE;
        if offset + size > GRANULE {
            return false;
        }
        let cell = *self.granules.slot(location / GRANULE);
        if cell == NONE {
            return false;
        }
        let mask = (((1_u16 << size) - 1) << offset) as u8;
        let cell = self.cells.get(cell);
        mask & !cell.mask == 0 && cell.is_repeated(thread, epoch, kind)
    }

    /// Where in this range plain accesses were made, and whether one of them wrote there.
    #[cfg_attr(
        not(feature = "driver"),
        allow(dead_code, reason = "for the layer of accesses")
    )]
    pub(crate) fn plain_in(&mut self, start: usize, length: usize) -> Vec<(usize, bool)> {
        let end = (start + length).div_ceil(GRANULE);
        let (mut at, mut found) = (start / GRANULE, Vec::new());
        while let Some(granule) = self.granules.next_known(at, end) {
            at = granule + 1;
            let mut cell = *self.granules.slot(granule);
            while cell != NONE {
                let state = self.cells.get(cell);
                if state.has_plain {
                    let first = state.mask.trailing_zeros() as usize;
                    let mut pasts = state.pasts().iter();
                    let writes = pasts.any(|past| past.kind == AccessKind::Write);
                    found.push((granule * GRANULE + first, writes));
                }
                cell = state.next;
            }
        }
        found
    }

    /// True if there may have been a plain access to these bytes: only then can an atomic one to them race.
    pub(crate) fn has_plain(&mut self, location: usize, size: usize) -> bool {
        let end = location.saturating_add(size.max(1));
        (location / GRANULE..end.div_ceil(GRANULE)).any(|granule| {
            let mut cell = *self.granules.slot(granule);
            while cell != NONE {
                let state = self.cells.get(cell);
                if state.has_plain {
                    return true;
                }
                cell = state.next;
            }
            false
        })
    }

    /// Forgets the accesses to these bytes: the memory is handed out anew, which orders what comes after what was.
    #[cfg_attr(
        not(feature = "driver"),
        allow(dead_code, reason = "for the layer of accesses")
    )]
    pub(crate) fn forget(&mut self, location: usize, size: usize) {
        self.known_granules(location, size, |this, granule, mask| {
            this.forget_granule(granule, mask);
        });
    }

    /// The memory is freed: as a write to all of it, and then nothing is known of it.
    pub(crate) fn free(&mut self, access: &Access, clock: &[u32], races: &mut Vec<MemoryFault>) {
        self.known_granules(access.location, access.size, |this, granule, mask| {
            // Bytes without accesses cannot race.
            let mut cell = *this.granules.slot(granule);
            while cell != NONE {
                let touched = this.cells.get(cell).mask & mask;
                if touched != 0 {
                    let known = races.len();
                    this.check(cell, &past_of(access), clock, races);
                    set_touched_bytes(&mut races[known..], granule, touched);
                }
                cell = this.cells.get(cell).next;
            }
            this.forget_granule(granule, mask);
        });
    }

    fn known_granules(
        &mut self,
        location: usize,
        size: usize,
        mut visit: impl FnMut(&mut Self, usize, u8),
    ) {
        if size == 0 {
            return;
        }
        let end = location.saturating_add(size);
        let last = (end - 1) / GRANULE + 1;
        let mut next = self.granules.next_known(location / GRANULE, last);
        while let Some(granule) = next {
            let first_byte = location.saturating_sub(granule * GRANULE).min(GRANULE);
            let end_byte = (end - granule * GRANULE).min(GRANULE);
            let mask = (((1_u16 << end_byte) - 1) & !((1_u16 << first_byte) - 1)) as u8;
            visit(self, granule, mask);
            next = self.granules.next_known(granule + 1, last);
        }
    }

    fn forget_granule(&mut self, granule: usize, mask: u8) {
        let mut next = *self.granules.slot(granule);
        let mut kept = NONE;
        while next != NONE {
            let cell = next;
            let state = self.cells.get_mut(cell);
            next = state.next;
            state.mask &= !mask;
            if state.mask == 0 {
                self.cells.forget(cell);
            } else {
                state.next = kept;
                kept = cell;
            }
        }
        *self.granules.slot(granule) = kept;
    }

    #[inline(always)]
    fn granule(
        &mut self,
        granule: usize,
        mask: u8,
        access: &Access,
        clock: &[u32],
        races: &mut Vec<MemoryFault>,
    ) {
        let slot = self.granules.slot(granule);
        if *slot == NONE {
            *slot = self.cells.add(mask, NONE);
            self.cells.get_mut(*slot).begin(past_of(access));
            return;
        }
        let cell = *slot;
        let state = self.cells.get(cell);
        if state.mask == mask && state.next == NONE {
            self.meet(cell, granule, past_of(access), clock, races);
        } else {
            self.cells_of_granule(granule, mask, *access, clock, races);
        }
    }

    /// As `granule`, where bytes of a granule were not always accessed together.
    #[inline(never)]
    fn cells_of_granule(
        &mut self,
        granule: usize,
        mask: u8,
        access: Access,
        clock: &[u32],
        races: &mut Vec<MemoryFault>,
    ) {
        let access = &access;
        let head = *self.granules.slot(granule);
        let mut rest = mask;
        let mut next = head;
        while next != NONE {
            let cell = next;
            let state = self.cells.get(cell);
            next = state.next;
            let common = state.mask & rest;
            if common == 0 {
                continue;
            }
            rest &= !common;
            if common != state.mask {
                if state.is_repeated(access.thread, access.epoch, access.kind) {
                    continue;
                }
                self.cells.split(cell, common);
            }
            self.meet(cell, granule, past_of(access), clock, races);
        }
        if rest != 0 {
            let cell = self.cells.add(rest, head);
            self.cells.get_mut(cell).begin(past_of(access));
            *self.granules.slot(granule) = cell;
        }
    }
}

#[inline]
fn past_of(access: &Access) -> Past {
    let faulty = FaultyAccess {
        kind: access.kind,
        at: Occurrence {
            thread: access.thread,
            step: access.step,
            place: access.place,
        },
    };
    Past::new(faulty, access.epoch)
}

/// Sets the bytes that the races are about: those of the granule that are in the mask.
#[inline]
pub(super) fn set_touched_bytes(races: &mut [MemoryFault], granule: usize, mask: u8) {
    for race in races {
        let first = mask.trailing_zeros() as usize;
        let size = 8 - mask.leading_zeros() as usize - first;
        if let Some(touched) = race.touched_mut() {
            *touched = Some(Touched::at(granule * GRANULE + first, size));
        }
    }
}
