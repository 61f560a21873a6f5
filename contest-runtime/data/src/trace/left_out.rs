//! What an execution shows to be possible beside it and was no choice of the strategy.

use std::ops::{BitOr, BitOrAssign};

/// A set of reasons why executions beside this one were not to be had by other choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeftOut(u8);

impl LeftOut {
    /// Nothing.
    pub const NOTHING: Self = Self(0);
    /// A timed wait could have ended although threads could run, or before one that is over sooner.
    pub const EARLY_ENDS: Self = Self(1);
    /// So it is whatever the strategy allows, because of the limits.
    pub const BY_LIMITS: Self = Self(1 << 2);
    /// A thread that reads the same again and again was held back, and its loop may have an end of its own.
    pub const LOOPS: Self = Self(1 << 1);
    /// A thread whose scope ended then dropped thread-locals in steps that others may notice; the scope may end before.
    pub const LATE_LOCALS: Self = Self(1 << 3);

    /// True if all of these are among them.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for LeftOut {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for LeftOut {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::LeftOut;

    #[test]
    fn reasons_add_up() {
        let mut all = LeftOut::NOTHING;
        all |= LeftOut::LOOPS;
        assert!(all.has(LeftOut::LOOPS) && !all.has(LeftOut::EARLY_ENDS));
        let both = LeftOut::LOOPS | LeftOut::EARLY_ENDS;
        assert!((all | LeftOut::EARLY_ENDS).has(both) && !all.has(both));
    }
}
