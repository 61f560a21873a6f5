//! How the calls of a test are named wherever one of them is meant.

/// Which call of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CallName {
    /// Call of the main thread, numbered through (see [`TestShape`](super::TestShape)).
    Main(usize),
    /// Lane and call in it.
    Lane(usize, usize),
}

impl CallName {
    /// Lane and number, of a call of a lane.
    #[must_use]
    pub fn in_lane(&self) -> Option<(usize, usize)> {
        match *self {
            Self::Lane(lane, number) => Some((lane, number)),
            Self::Main(_) => None,
        }
    }
}

/// Calls that take effect more than once, because they return a guard that is given back before they end, or are chains
/// of several calls. Other calls may come between: a `try_lock` that finds the lock held by another call is right to
/// fail. With each the number of points at which that can be.
#[cfg(feature = "explore")]
pub type Split = crate::sorted::SortedMap<CallName, u16>;
