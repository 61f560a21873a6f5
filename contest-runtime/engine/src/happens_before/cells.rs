//! What is remembered of accesses to some bytes of a granule.

use super::granules::NONE;
use contest_data::trace::{AccessKind, FaultyAccess, Occurrence, Place, ThreadIndex};

/// A past access that later ones may race with.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    /// Number of its thread at the time: it happens before whoever knows that number.
    pub epoch: u32,
    step: u32,
    place: Place,
    pub thread: ThreadIndex,
    pub kind: AccessKind,
}

impl Past {
    pub fn new(access: FaultyAccess, epoch: u32) -> Self {
        Self {
            epoch,
            step: access.at.step,
            place: access.at.place,
            thread: access.at.thread,
            kind: access.kind,
        }
    }

    pub fn access(&self) -> FaultyAccess {
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

/// Kinds that an access of this kind conflicts with, as bits.
fn conflicts(kind: AccessKind) -> u8 {
    const READ: u8 = 1;
    const WRITE: u8 = 2;
    const ATOMIC_READ: u8 = 4;
    const ATOMIC_WRITE: u8 = 8;
    match kind {
        AccessKind::Write | AccessKind::Free => READ | WRITE | ATOMIC_READ | ATOMIC_WRITE,
        AccessKind::Read => WRITE | ATOMIC_WRITE,
        AccessKind::AtomicWrite => READ | WRITE,
        AccessKind::AtomicRead => WRITE,
    }
}

/// True if whatever conflicts with an access of kind `of` conflicts with one of kind `by` too. Then an access that comes after both need
/// be held against the later one only.
#[inline]
pub fn covers(by: AccessKind, of: AccessKind) -> bool {
    conflicts(of) & !conflicts(by) == 0
}

/// Accesses to the same bytes of one granule, newest first.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// The bytes, a bit each. Cells of a granule share no byte.
    pub mask: u8,
    pub count: u8,
    /// Next cell of the granule.
    pub next: u32,
    pub newest: [Past; 2],
    /// Chain of older ones.
    pub older: u32,
}

/// Past accesses that do not fit into their cell.
#[derive(Clone, Debug, Default)]
pub struct Chains {
    links: Vec<(Past, u32)>,
    free: u32,
    used: usize,
}

impl Chains {
    pub fn clear(&mut self) {
        self.used = 0;
        self.free = NONE;
    }

    pub fn push(&mut self, past: Past, next: u32) -> u32 {
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

    pub fn get(&self, link: u32) -> (Past, u32) {
        self.links[link as usize]
    }

    /// Gives a whole chain back.
    pub fn free(&mut self, mut link: u32) {
        while link != NONE {
            let next = self.links[link as usize].1;
            self.links[link as usize].1 = self.free;
            self.free = link;
            link = next;
        }
    }

    /// A second chain with the same accesses.
    pub fn copy(&mut self, mut link: u32) -> u32 {
        let mut copied = NONE;
        while link != NONE {
            let (past, next) = self.links[link as usize];
            copied = self.push(past, copied);
            link = next;
        }
        copied
    }
}
