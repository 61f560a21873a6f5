//! What a run may cost.

use std::time::Duration;

/// Longest time of a run.
pub const LONGEST: Duration = Duration::from_hours(1000);

/// What a run may cost: time, or work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunBudget {
    /// Time, of which a fast machine makes more.
    Time(Duration),
    /// Work in steps, the same on every machine.
    Steps(u64),
}

impl RunBudget {
    /// Its time; for one in steps, the longest.
    #[must_use]
    pub fn time(self) -> Duration {
        match self {
            Self::Time(time) => time,
            Self::Steps(_) => LONGEST,
        }
    }

    /// Its steps, unless it is a time.
    #[must_use]
    pub fn steps(self) -> Option<u64> {
        match self {
            Self::Time(_) => None,
            Self::Steps(steps) => Some(steps),
        }
    }
}
