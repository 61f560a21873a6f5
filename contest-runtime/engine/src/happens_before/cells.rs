//! What is remembered of accesses to some bytes of a granule.

use super::granules::NONE;
use contest_data::trace::{AccessKind, FaultyAccess, Occurrence, Place, ThreadIndex};

/// A past access that later ones may race with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Past {
    /// Number of its thread at the time: it happens before every thread whose clock has reached that number.
    pub epoch: u32,
    step: u32,
    place: Place,
    pub thread: ThreadIndex,
    pub kind: AccessKind,
    /// Of its kind; see [`traits`].
    traits: u8,
}

/// The lower half of [`traits`].
const CONFLICTS: u8 = 0xF;

impl Past {
    /// Fills a place until an access is put there.
    const NOTHING: Self = Self {
        epoch: 0,
        step: 0,
        place: Place::Addresses(0),
        thread: ThreadIndex::MAIN,
        kind: AccessKind::Read,
        traits: 0,
    };

    pub(crate) fn new(access: FaultyAccess, epoch: u32) -> Self {
        Self {
            epoch,
            step: access.at.step,
            place: access.at.place,
            thread: access.at.thread,
            kind: access.kind,
            traits: traits(access.kind),
        }
    }

    /// True if whatever conflicts with the other access conflicts with this one too. Then an access that comes after
    /// both need be held against the later one only.
    #[inline]
    pub(crate) fn covers(&self, other: &Self) -> bool {
        other.traits & !self.traits & CONFLICTS == 0
    }

    #[inline]
    pub(crate) fn is_atomic(&self) -> bool {
        self.traits >> 4 & (ATOMIC_READ | ATOMIC_WRITE) != 0
    }

    /// True if the two are a race unless one happens before the other.
    #[inline]
    pub(crate) fn conflicts(&self, other: &Self) -> bool {
        other.traits & (self.traits >> 4) != 0
    }

    pub(crate) fn access(&self) -> FaultyAccess {
        FaultyAccess {
            kind: self.kind,
            at: Occurrence {
                thread: self.thread,
                step: self.step,
                place: self.place,
            },
        }
    }
}

const READ: u8 = 1;
const WRITE: u8 = 2;
const ATOMIC_READ: u8 = 4;
const ATOMIC_WRITE: u8 = 8;

/// What an access of this kind has to do with others: in the lower half a bit for each kind that it conflicts with, in
/// the upper half its own bit there. One number, because it is looked up for every access.
#[inline]
const fn traits(kind: AccessKind) -> u8 {
    match kind {
        AccessKind::Write | AccessKind::Free => {
            WRITE << 4 | READ | WRITE | ATOMIC_READ | ATOMIC_WRITE
        }
        AccessKind::Read => READ << 4 | WRITE | ATOMIC_WRITE,
        AccessKind::AtomicWrite => ATOMIC_WRITE << 4 | READ | WRITE,
        AccessKind::AtomicRead => ATOMIC_READ << 4 | WRITE,
    }
}

/// Past accesses that a cell has room for: a write, and what three threads did beside it or after it.
pub(super) const INLINE: usize = 4;

/// Accesses to the same bytes of one granule. The first is the newest; how the others are ordered decides no more than
/// which of several that race from one place is reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// The bytes, a bit each. Cells of a granule share no byte.
    pub mask: u8,
    pub count: u8,
    /// There was a plain access.
    pub has_plain: bool,
    /// Next cell of the granule.
    pub next: u32,
    /// Chain of those that do not fit.
    pub older: u32,
    pub pasts: [Past; INLINE],
}

impl Cell {
    const NOTHING: Self = Self {
        mask: 0,
        count: 0,
        has_plain: false,
        next: NONE,
        older: NONE,
        pasts: [Past::NOTHING; INLINE],
    };

    #[inline]
    pub(crate) fn pasts(&self) -> &[Past] {
        &self.pasts[..usize::from(self.count).min(INLINE)]
    }

    /// True if the newest access stands for one of this kind by this thread in this epoch.
    #[inline]
    pub(crate) fn is_repeated(&self, thread: ThreadIndex, epoch: u32, kind: AccessKind) -> bool {
        let newest = &self.pasts[0];
        self.count > 0
            && newest.epoch == epoch
            && newest.thread == thread
            && traits(kind) & !newest.traits & CONFLICTS == 0
    }

    /// The first access.
    #[inline]
    pub(crate) fn begin(&mut self, past: Past) {
        self.pasts[0] = past;
        self.count = 1;
        self.has_plain = !past.is_atomic();
    }
}

/// The cells of one execution. Cells and chains are kept for the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    cells: Vec<Cell>,
    used: usize,
    chains: Chains,
    /// Memory for what is known of a cell while it is worked on.
    scratch: Vec<Past>,
}

impl Cells {
    pub(crate) fn clear(&mut self) {
        self.used = 0;
        self.chains.clear();
    }

    #[inline]
    pub(crate) fn get(&self, cell: u32) -> &Cell {
        &self.cells[cell as usize]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, cell: u32) -> &mut Cell {
        &mut self.cells[cell as usize]
    }

    /// Adds a cell without accesses.
    pub(crate) fn add(&mut self, mask: u8, next: u32) -> u32 {
        let index = self.used;
        if index == self.cells.len() {
            self.cells.push(Cell::NOTHING);
        }
        let cell = &mut self.cells[index];
        cell.mask = mask;
        cell.next = next;
        cell.count = 0;
        cell.has_plain = false;
        cell.older = NONE;
        self.used += 1;
        index as u32
    }

    /// Leaves the bytes of `mask` in the cell and moves the others to a new one with the same past.
    #[inline(never)]
    pub(crate) fn split(&mut self, cell: u32, mask: u8) {
        let Cell {
            mask: all,
            next,
            has_plain,
            ..
        } = self.cells[cell as usize];
        let other = self.add(all & !mask, next);
        self.cells[other as usize].has_plain = has_plain;
        let mut pasts = self.copy_pasts(cell);
        if let Some(rest) = pasts.get_mut(2..) {
            rest.reverse();
        }
        self.set_pasts(other, pasts);
        let state = &mut self.cells[cell as usize];
        state.mask = mask;
        state.next = other;
    }

    /// All that is known of the cell, in order.
    fn copy_pasts(&mut self, cell: u32) -> Vec<Past> {
        let mut pasts = std::mem::take(&mut self.scratch);
        pasts.clear();
        self.each_past(cell, |past| pasts.push(*past));
        pasts
    }

    /// As `copy_pasts`, and nothing is known of the cell any more.
    pub(crate) fn take_pasts(&mut self, cell: u32) -> Vec<Past> {
        let pasts = self.copy_pasts(cell);
        let state = &mut self.cells[cell as usize];
        self.chains.free(state.older);
        state.older = NONE;
        state.count = 0;
        pasts
    }

    /// Sets all that is known of a cell of which nothing is known. `pasts` is that of [`Cells::take_pasts`].
    pub(crate) fn set_pasts(&mut self, cell: u32, pasts: Vec<Past>) {
        let fit = pasts.len().min(INLINE);
        let mut chain = NONE;
        for past in pasts[fit..].iter().rev() {
            chain = self.chains.push(*past, chain);
        }
        let state = &mut self.cells[cell as usize];
        state.pasts[..fit].copy_from_slice(&pasts[..fit]);
        state.count = fit as u8;
        state.older = chain;
        self.scratch = pasts;
    }

    /// What is known of the cell, in order.
    pub(crate) fn each_past(&self, cell: u32, mut visit: impl FnMut(&Past)) {
        let cell = self.get(cell);
        cell.pasts().iter().for_each(&mut visit);
        let mut link = cell.older;
        while link != NONE {
            let (past, next) = self.chains.get(link);
            visit(&past);
            link = next;
        }
    }

    /// The cell has no bytes any more.
    pub(crate) fn forget(&mut self, cell: u32) {
        self.chains.free(self.cells[cell as usize].older);
    }
}

/// Past accesses that do not fit into their cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Chains {
    links: Vec<(Past, u32)>,
    free: u32,
    used: usize,
}

impl Chains {
    pub(super) fn clear(&mut self) {
        self.used = 0;
        self.free = NONE;
    }

    pub(super) fn push(&mut self, past: Past, next: u32) -> u32 {
        if self.used == 0 {
            self.free = NONE;
        }
        if self.free != NONE {
            let link = self.free;
            self.free = self.links[link as usize].1;
            self.links[link as usize] = (past, next);
            return link;
        }
        let link = self.used;
        if link < self.links.len() {
            self.links[link] = (past, next);
        } else {
            self.links.push((past, next));
        }
        self.used += 1;
        link as u32
    }

    pub(super) fn get(&self, link: u32) -> (Past, u32) {
        self.links[link as usize]
    }

    /// Gives a whole chain back.
    pub(super) fn free(&mut self, mut link: u32) {
        while link != NONE {
            let next = self.links[link as usize].1;
            self.links[link as usize].1 = self.free;
            self.free = link;
            link = next;
        }
    }
}
