//! `SystemTime`.

use std::time::{Duration, SystemTimeError};

use super::arithmetic::arithmetic;
use contest_engine::execution::active;

/// Drop-in for `std::time::SystemTime`. Every execution begins on 1 January 2020, at midnight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SystemTime(std::time::SystemTime);

/// As in `std`.
pub const UNIX_EPOCH: SystemTime = SystemTime::UNIX_EPOCH;

/// The date at which executions begin: the same in every process, so that what a model makes of it replays.
const BEGINNING: Duration = Duration::from_secs(1_577_836_800);

impl SystemTime {
    /// As in `std`.
    pub const UNIX_EPOCH: Self = Self(std::time::UNIX_EPOCH);

    /// As in `std`; the virtual clock inside an execution.
    #[must_use]
    pub fn now() -> Self {
        match active() {
            None => Self(std::time::SystemTime::now()),
            Some(active) => Self(std::time::UNIX_EPOCH + BEGINNING + active.now()),
        }
    }

    /// As in `std`.
    ///
    /// # Errors
    /// If `earlier` is later.
    pub fn duration_since(&self, earlier: Self) -> Result<Duration, SystemTimeError> {
        self.0.duration_since(earlier.0)
    }

    /// As in `std`; by the virtual clock inside an execution.
    ///
    /// # Errors
    /// If this time is in the future.
    pub fn elapsed(&self) -> Result<Duration, SystemTimeError> {
        Self::now().duration_since(*self)
    }
}

arithmetic!(SystemTime);

/// A real time as it is.
impl From<std::time::SystemTime> for SystemTime {
    fn from(time: std::time::SystemTime) -> Self {
        Self(time)
    }
}

/// For interfaces that want one of `std`, the times of files for instance.
#[cfg(feature = "conversions")]
impl From<SystemTime> for std::time::SystemTime {
    fn from(time: SystemTime) -> Self {
        time.0
    }
}
