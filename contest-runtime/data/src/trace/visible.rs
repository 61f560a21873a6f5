//! Memory whose accesses are visible operations although no drop-in type makes them.

use super::event::ThreadIndex;
use super::race::Place;
use super::touched::Touched;

/// Some bytes, identified by their allocation and not by their address: the same in every execution of a test, in any
/// process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VisibleBytes {
    /// What they are in.
    pub home: Home,
    /// How far from its beginning.
    pub offset: u32,
    /// How many.
    pub size: u32,
}

/// A piece of memory that a program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Home {
    /// The writable static data of the executable. Of another build of the code, offsets may be other ones.
    Statics,
    /// A block of the heap.
    Block {
        /// The allocating thread.
        thread: ThreadIndex,
        /// How many blocks that thread had allocated before, in this execution.
        number: u32,
    },
}

impl VisibleBytes {
    /// The fewest bytes that both are among, if they have bytes in common.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Option<Self> {
        let (end, other_end) = (self.end(), other.end());
        let meet = self.home == other.home && self.offset < other_end && other.offset < end;
        let offset = self.offset.min(other.offset);
        meet.then(|| Self {
            home: self.home,
            offset,
            size: end.max(other_end) - offset,
        })
    }

    fn end(&self) -> u32 {
        self.offset.saturating_add(self.size)
    }
}

/// A visible operation that compiled code made itself; its [`Event`](super::Event) knows no place in the source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VisibleAccess {
    /// Position of its event in the execution.
    pub event: u32,
    /// Where in the program.
    pub place: Place,
    /// What it accessed, if that was looked for.
    pub touched: Option<Touched>,
    /// It is of more bytes than a word, or of more than one visible piece, and is one step on the first of them all the
    /// same.
    pub wide: bool,
}

/// Memory that two threads accessed, one of them changing it, with nothing to order them, and that was not visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contended {
    /// Its address, which means nothing outside of the process.
    pub address: usize,
    /// How many bytes.
    pub size: usize,
    /// The same without an address, if allocations were noted.
    pub bytes: Option<VisibleBytes>,
    /// Where one of the two was.
    pub place: Place,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(number: u32, offset: u32, size: u32) -> VisibleBytes {
        let thread = ThreadIndex::MAIN;
        let home = Home::Block { thread, number };
        VisibleBytes { home, offset, size }
    }

    #[test]
    fn bytes_are_joined_where_they_overlap_and_not_where_they_touch() {
        assert_eq!(
            bytes(1, 0, 8).joined(&bytes(1, 4, 8)),
            Some(bytes(1, 0, 12))
        );
        assert_eq!(bytes(1, 4, 1).joined(&bytes(1, 0, 8)), Some(bytes(1, 0, 8)));
        assert_eq!(bytes(1, 0, 8).joined(&bytes(1, 8, 8)), None);
        assert_eq!(bytes(1, 0, 8).joined(&bytes(2, 0, 8)), None);
    }
}
