//! From an address to what is known of the eight bytes around it: pages made at first use and kept, emptied in constant
//! time.

/// Bytes of a granule.
pub(super) const GRANULE: usize = 8;
const PAGE_GRANULES: usize = 512;
/// Pages kept from one execution to the next: 4 KiB each.
const PAGES_KEPT: usize = 4096;

/// No cell.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Slot {
    generation: u32,
    cell: u32,
}

type Page = Box<[Slot; PAGE_GRANULES]>;

/// The first cell of each granule.
#[derive(Clone, Debug)]
pub(super) struct Granules {
    /// Open addressing: page number and index of the page; `usize::MAX` for no page.
    directory: Vec<(usize, u32)>,
    pages: Vec<Page>,
    generation: u32,
    /// The page of the last look-up.
    last: (usize, u32),
}

impl Default for Granules {
    fn default() -> Self {
        Self {
            directory: vec![(usize::MAX, 0); 64],
            pages: Vec::new(),
            generation: 1,
            last: (usize::MAX, 0),
        }
    }
}

impl Granules {
    pub(super) fn clear(&mut self) {
        let next = self.generation.checked_add(1);
        if self.pages.len() > PAGES_KEPT || next.is_none() {
            *self = Self::default();
        } else {
            self.generation += 1;
        }
    }

    /// The slot of a granule, by its number (address divided by [`GRANULE`]).
    #[inline]
    pub(super) fn slot(&mut self, granule: usize) -> &mut u32 {
        let number = granule / PAGE_GRANULES;
        if self.last.0 != number {
            self.turn_to(number);
        }
        let slot = &mut self.pages[self.last.1 as usize][granule % PAGE_GRANULES];
        if slot.generation != self.generation {
            *slot = Slot {
                generation: self.generation,
                cell: NONE,
            };
        }
        &mut slot.cell
    }

    #[inline(never)]
    fn turn_to(&mut self, number: usize) {
        let index = match self.find(number) {
            Some(index) => index,
            None => self.add_page(number),
        };
        self.last = (number, index);
    }

    /// The first granule from `granule` on, below `end`, whose page exists; skips memory that was never touched.
    pub(super) fn next_known(&self, mut granule: usize, end: usize) -> Option<usize> {
        while granule < end {
            if self.find(granule / PAGE_GRANULES).is_some() {
                return Some(granule);
            }
            granule = (granule / PAGE_GRANULES + 1) * PAGE_GRANULES;
        }
        None
    }

    fn find(&self, number: usize) -> Option<u32> {
        let mask = self.directory.len() - 1;
        let mut at = hash(number) & mask;
        loop {
            let (page, index) = self.directory[at];
            if page == number {
                return Some(index);
            }
            if page == usize::MAX {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn add_page(&mut self, number: usize) -> u32 {
        let index = self.pages.len() as u32;
        self.pages.push(Box::new(
            [Slot {
                generation: 0,
                cell: NONE,
            }; PAGE_GRANULES],
        ));
        if self.pages.len() * 2 > self.directory.len() {
            let size = self.directory.len() * 2;
            let old = std::mem::replace(&mut self.directory, vec![(usize::MAX, 0); size]);
            for (page, index) in old.into_iter().filter(|(page, _)| *page != usize::MAX) {
                self.enter(page, index);
            }
        }
        self.enter(number, index);
        index
    }

    fn enter(&mut self, number: usize, index: u32) {
        let mask = self.directory.len() - 1;
        let mut at = hash(number) & mask;
        while self.directory[at].0 != usize::MAX {
            at = (at + 1) & mask;
        }
        self.directory[at] = (number, index);
    }
}

#[inline]
fn hash(number: usize) -> usize {
    ((number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}
