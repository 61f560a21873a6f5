//! Sets of virtual threads.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use super::event::ThreadIndex;

/// A set of virtual threads, of which an execution has at most 128.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ThreadSet(u128);

impl ThreadSet {
    /// No thread.
    pub const EMPTY: Self = Self(0);
    /// The main thread.
    pub const MAIN: Self = Self(1);

    /// This thread.
    #[inline(always)]
    #[must_use]
    pub const fn only(thread: ThreadIndex) -> Self {
        // Cheaper than a shift of 128 bits.
        let bit = (1_u64 << (thread.0 & 63)) as u128;
        Self(if thread.0 < 64 { bit } else { bit << 64 })
    }

    /// The threads of a mask of the first 64, bit `i` being thread `i`.
    #[inline]
    #[must_use]
    pub const fn of_mask(mask: u64) -> Self {
        Self(mask as u128)
    }

    /// The first 64 threads as a mask.
    #[inline(always)]
    #[must_use]
    pub const fn mask(self) -> u64 {
        self.0 as u64
    }

    /// True if it has this thread.
    #[inline(always)]
    #[must_use]
    pub const fn contains(self, thread: ThreadIndex) -> bool {
        // Cheaper than a shift of 128 bits.
        let half = if thread.0 < 64 {
            self.0 as u64
        } else {
            (self.0 >> 64) as u64
        };
        half >> (thread.0 & 63) & 1 != 0
    }

    /// Adds a thread.
    #[inline(always)]
    pub const fn insert(&mut self, thread: ThreadIndex) {
        self.0 |= Self::only(thread).0;
    }

    /// Removes a thread.
    #[inline(always)]
    pub const fn remove(&mut self, thread: ThreadIndex) {
        self.0 &= !Self::only(thread).0;
    }

    /// All but this thread.
    #[inline(always)]
    #[must_use]
    pub const fn without(self, thread: ThreadIndex) -> Self {
        Self(self.0 & !Self::only(thread).0)
    }

    /// True if it has no member.
    #[inline(always)]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if it has more than one member.
    #[inline(always)]
    #[must_use]
    pub const fn has_several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Number of members.
    #[inline]
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The member with the lowest number.
    #[inline]
    #[must_use]
    pub const fn first(self) -> Option<ThreadIndex> {
        match self.0 {
            0 => None,
            _ => Some(self.lowest()),
        }
    }

    /// The member with the lowest number. The set must have one.
    #[inline(always)]
    #[must_use]
    pub const fn lowest(self) -> ThreadIndex {
        ThreadIndex(self.0.trailing_zeros() as u16)
    }

    /// The member with the highest number.
    #[inline]
    #[must_use]
    pub const fn last(self) -> Option<ThreadIndex> {
        match self.0.checked_ilog2() {
            Some(number) => Some(ThreadIndex(number as u16)),
            None => None,
        }
    }

    /// The members but the one with the lowest number.
    #[inline(always)]
    #[must_use]
    pub const fn rest(self) -> Self {
        Self(self.0 & self.0.wrapping_sub(1))
    }

    /// Member number `index` in order, counting from 0. The set must have so many.
    #[inline]
    #[must_use]
    pub const fn member(mut self, mut index: u32) -> ThreadIndex {
        while index > 0 {
            self = self.rest();
            index -= 1;
        }
        self.lowest()
    }

    /// The members, in order.
    #[inline]
    #[must_use]
    pub const fn iter(self) -> Members {
        Members(self)
    }
}

/// The members of a set, in order.
#[derive(Clone, Copy, Debug)]
pub struct Members(ThreadSet);

impl Iterator for Members {
    type Item = ThreadIndex;

    #[inline]
    fn next(&mut self) -> Option<ThreadIndex> {
        let first = self.0.first();
        self.0 = self.0.rest();
        first
    }
}

impl IntoIterator for ThreadSet {
    type Item = ThreadIndex;
    type IntoIter = Members;

    #[inline]
    fn into_iter(self) -> Members {
        self.iter()
    }
}

impl FromIterator<ThreadIndex> for ThreadSet {
    fn from_iter<I: IntoIterator<Item = ThreadIndex>>(threads: I) -> Self {
        let mut set = Self::EMPTY;
        for thread in threads {
            set.insert(thread);
        }
        set
    }
}

impl fmt::Debug for ThreadSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|it| it.0)).finish()
    }
}

impl BitAnd for ThreadSet {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for ThreadSet {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for ThreadSet {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl BitAndAssign for ThreadSet {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for ThreadSet {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_in_both_halves_and_come_in_order() {
        let numbers = [127, 3, 64, 63, 0];
        let mut set: ThreadSet = numbers.into_iter().map(ThreadIndex).collect();
        let members = |set: ThreadSet| set.iter().map(|it| it.0).collect::<Vec<_>>();
        assert_eq!(members(set), [0, 3, 63, 64, 127]);
        assert_eq!((set.len(), set.member(3)), (5, ThreadIndex(64)));
        assert_eq!(set.last(), Some(ThreadIndex(127)));
        set.remove(ThreadIndex(64));
        set.remove(ThreadIndex(0));
        assert!(!set.contains(ThreadIndex(64)) && set.contains(ThreadIndex(127)));
        assert_eq!(set.first(), Some(ThreadIndex(3)));
        assert_eq!(members(set.rest()), [63, 127]);
        assert!(set.has_several() && !ThreadSet::MAIN.has_several());
        assert_eq!(
            (ThreadSet::EMPTY.first(), ThreadSet::EMPTY.last()),
            (None, None)
        );
    }
}
