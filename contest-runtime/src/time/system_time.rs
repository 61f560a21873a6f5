//! `SystemTime`.

use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::time::{Duration, SystemTimeError};

use crate::execution::active;

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

    /// As in `std`.
    #[must_use]
    pub fn checked_add(&self, duration: Duration) -> Option<Self> {
        self.0.checked_add(duration).map(Self)
    }

    /// As in `std`.
    #[must_use]
    pub fn checked_sub(&self, duration: Duration) -> Option<Self> {
        self.0.checked_sub(duration).map(Self)
    }
}

impl Add<Duration> for SystemTime {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0 + duration)
    }
}

impl AddAssign<Duration> for SystemTime {
    fn add_assign(&mut self, duration: Duration) {
        self.0 += duration;
    }
}

impl Sub<Duration> for SystemTime {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        Self(self.0 - duration)
    }
}

impl SubAssign<Duration> for SystemTime {
    fn sub_assign(&mut self, duration: Duration) {
        self.0 -= duration;
    }
}

/// A real time as it is.
impl From<std::time::SystemTime> for SystemTime {
    fn from(time: std::time::SystemTime) -> Self {
        Self(time)
    }
}

/// For interfaces that want one of `std`, the times of files for instance.
impl From<SystemTime> for std::time::SystemTime {
    fn from(time: SystemTime) -> Self {
        time.0
    }
}

impl fmt::Debug for SystemTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
