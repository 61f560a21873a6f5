//! Data races of plain and atomic accesses.
//!
//! Flanagan and Freund, "FastTrack" (PLDI 2009), figure 5, with these deviations:
//! * Atomic accesses are kept beside plain ones, because a plain access may race with them.
//! * Instead of one write epoch and one read epoch or vector, a location keeps the accesses that no later one stands for: `b` stands for
//!   `a` if `a` happens before `b` and whatever conflicts with `a` conflicts with `b`. Without atomics these are the paper's epochs.
//!   The first race of a location is found exactly, and both its places are known.
//! * A location is a byte. Bytes of a granule that were always accessed together share one record, which is split when they are not.

use super::cells::{Cell, Chains, Past, covers};
use super::granules::{GRANULE, Granules, NONE};
use contest_data::trace::{
    AccessKind, FaultyAccess, MemoryFault, Occurrence, Place, ThreadIndex, Touched,
};

/// One access, as the detector is told of it.
#[derive(Clone, Copy, Debug)]
pub struct Access {
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
pub struct Accesses {
    granules: Granules,
    cells: Vec<Cell>,
    used: usize,
    chains: Chains,
    /// Places that two threads accessed unordered, each once: more than there are races, which are of one pair of places in the source each.
    contended: Vec<MemoryFault>,
}

/// Places that are kept.
const MOST_CONTENDED: usize = 64;

impl Accesses {
    /// Forgets everything; costs nothing for what is not touched again.
    pub fn reset(&mut self) {
        self.granules.clear();
        self.used = 0;
        self.chains.clear();
        self.contended.clear();
    }

    /// Some unordered accesses of each place that has any.
    #[cfg(all(
        feature = "driver",
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    pub fn contended(&self) -> &[MemoryFault] {
        &self.contended
    }

    /// Adds the next access. `clock` is that of its thread, for an acquiring atomic operation with what it acquired. Races with earlier
    /// accesses are appended to `races`, unless one between the same places is there.
    pub fn access(&mut self, access: &Access, clock: &[u32], races: &mut Vec<MemoryFault>) {
        let mut at = access.location;
        let end = access.location.saturating_add(access.size);
        while at < end {
            let offset = at % GRANULE;
            let bytes = (end - at).min(GRANULE - offset);
            let mask = (((1_u16 << bytes) - 1) << offset) as u8;
            self.granule(at / GRANULE, mask, access, clock, races);
            at += bytes;
        }
    }

    /// True if the access is within one granule and adds nothing to what is known of it: the thread has made one like it since it last
    /// released anything, and nobody else has been there.
    #[cfg(all(
        feature = "driver",
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    #[inline]
    pub fn is_repeated(
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
        let cell = &self.cells[cell as usize];
        let newest = &cell.newest[0];
        mask & !cell.mask == 0
            && cell.count > 0
            && newest.epoch == epoch
            && newest.thread == thread
            && covers(newest.kind, kind)
    }

    /// Forgets the accesses to these bytes: the memory is handed out anew, which orders what comes after what was.
    pub fn forget(&mut self, location: usize, size: usize) {
        self.known_granules(location, size, |this, granule, mask| {
            this.forget_granule(granule, mask);
        });
    }

    /// The memory is freed: as a write to all of it, and then nothing is known of it.
    pub fn free(&mut self, access: &Access, clock: &[u32], races: &mut Vec<MemoryFault>) {
        self.known_granules(access.location, access.size, |this, granule, mask| {
            // Bytes that nobody accessed race with nobody.
            let mut cell = *this.granules.slot(granule);
            while cell != NONE {
                let touched = this.cells[cell as usize].mask & mask;
                if touched != 0 {
                    let known = races.len();
                    this.check(cell, access, clock, races);
                    tell_bytes(&mut races[known..], granule, touched);
                }
                cell = this.cells[cell as usize].next;
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
            let state = &mut self.cells[cell as usize];
            next = state.next;
            state.mask &= !mask;
            if state.mask == 0 {
                self.chains.free(state.older);
            } else {
                state.next = kept;
                kept = cell;
            }
        }
        *self.granules.slot(granule) = kept;
    }

    fn granule(
        &mut self,
        granule: usize,
        mask: u8,
        access: &Access,
        clock: &[u32],
        races: &mut Vec<MemoryFault>,
    ) {
        let first = *self.granules.slot(granule);
        let mut rest = mask;
        let mut next = first;
        while next != NONE {
            let cell = next;
            let state = self.cells[cell as usize];
            next = state.next;
            let common = state.mask & rest;
            if common == 0 {
                continue;
            }
            rest &= !common;
            let newest = &state.newest[0];
            if state.count > 0
                && newest.epoch == access.epoch
                && newest.thread == access.thread
                && covers(newest.kind, access.kind)
            {
                continue;
            }
            if common != state.mask {
                self.split(cell, common);
            }
            let known = races.len();
            let race = self.check(cell, access, clock, races);
            tell_bytes(&mut races[known..], granule, common);
            if let Some(race) = race {
                self.contend(race, granule, common);
            }
            self.record(cell, access, clock);
        }
        if rest != 0 {
            let past = past_of(access);
            let head = *self.granules.slot(granule);
            let cell = self.add_cell(Cell {
                mask: rest,
                count: 1,
                next: head,
                newest: [past; 2],
                older: NONE,
            });
            *self.granules.slot(granule) = cell;
        }
    }

    fn add_cell(&mut self, cell: Cell) -> u32 {
        let index = self.used;
        if let Some(old) = self.cells.get_mut(index) {
            *old = cell;
        } else {
            self.cells.push(cell);
        }
        self.used += 1;
        index as u32
    }

    /// Leaves the bytes of `mask` in the cell and moves the others to a new one with the same past.
    fn split(&mut self, cell: u32, mask: u8) {
        let mut other = self.cells[cell as usize];
        other.mask &= !mask;
        other.older = self.chains.copy(other.older);
        let other = self.add_cell(other);
        let state = &mut self.cells[cell as usize];
        state.mask = mask;
        state.next = other;
    }

    #[cold]
    fn contend(&mut self, mut race: MemoryFault, granule: usize, mask: u8) {
        tell_bytes(std::slice::from_mut(&mut race), granule, mask);
        let known = |other: &MemoryFault| other.touched() == race.touched();
        if self.contended.len() < MOST_CONTENDED && !self.contended.iter().any(known) {
            self.contended.push(race);
        }
    }

    /// Holds the access against what is known of the cell. Returns a race if there is any, a known one too.
    fn check(
        &mut self,
        cell: u32,
        access: &Access,
        clock: &[u32],
        races: &mut Vec<MemoryFault>,
    ) -> Option<MemoryFault> {
        let state = &self.cells[cell as usize];
        let mut found = None;
        for past in &state.newest[..usize::from(state.count)] {
            found = compare(past, access, clock, races).or(found);
        }
        let mut link = state.older;
        while link != NONE {
            let (past, next) = self.chains.get(link);
            found = compare(&past, access, clock, races).or(found);
            link = next;
        }
        found
    }

    /// Adds the access to the past of the cell and removes what it stands for.
    fn record(&mut self, cell: u32, access: &Access, clock: &[u32]) {
        let mut state = self.cells[cell as usize];
        let old = state.newest;
        let old_count = usize::from(state.count);
        let mut link = state.older;
        state.newest[0] = past_of(access);
        state.count = 1;
        let mut older = NONE;
        let mut covered = false;
        let mut keep = |past: Past, chains: &mut Chains| {
            covered |= past.thread == access.thread
                && past.epoch == access.epoch
                && covers(past.kind, access.kind);
            if knows(clock, &past) && covers(access.kind, past.kind) {
                return;
            }
            if state.count == 1 {
                state.newest[1] = past;
                state.count = 2;
            } else {
                older = chains.push(past, older);
            }
        };
        for past in &old[..old_count] {
            keep(*past, &mut self.chains);
        }
        let first = link;
        while link != NONE {
            let (past, next) = self.chains.get(link);
            keep(past, &mut self.chains);
            link = next;
        }
        if covered {
            // An access of the same epoch that is not the newest stands for it already.
            self.chains.free(older);
            return;
        }
        self.chains.free(first);
        state.older = older;
        self.cells[cell as usize] = state;
    }
}

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

/// True if the past access happens before the owner of the clock. A clock that is too short for a thread knows nothing of it.
#[inline]
fn knows(clock: &[u32], past: &Past) -> bool {
    clock
        .get(past.thread.index())
        .is_some_and(|known| *known >= past.epoch)
}

/// The races are about these bytes of the granule.
#[inline]
fn tell_bytes(races: &mut [MemoryFault], granule: usize, mask: u8) {
    for race in races {
        let first = mask.trailing_zeros() as usize;
        let size = 8 - mask.leading_zeros() as usize - first;
        if let Some(touched) = race.touched_mut() {
            *touched = Some(Touched::at(granule * GRANULE + first, size));
        }
    }
}

#[inline]
fn compare(
    past: &Past,
    access: &Access,
    clock: &[u32],
    races: &mut Vec<MemoryFault>,
) -> Option<MemoryFault> {
    if past.thread == access.thread || knows(clock, past) || !past.kind.conflicts(access.kind) {
        return None;
    }
    let race = MemoryFault::unordered(past.access(), past_of(access).access());
    if !races.iter().any(|known| known.same_places(&race)) {
        races.push(race);
    }
    Some(race)
}
