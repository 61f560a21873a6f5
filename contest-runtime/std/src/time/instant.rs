//! `Instant`.

use std::ops::Sub;
use std::sync::OnceLock;
use std::time::Duration;

use super::arithmetic::arithmetic;
use contest_engine::execution::active;

/// Drop-in for `std::time::Instant`.
///
/// ```
/// use contest::time::{Duration, Instant};
///
/// contest::Builder::new().allow_no_decisions().check(|| {
///     let before = Instant::now();
///     // An hour of virtual time, none of the real one.
///     contest::thread::sleep(Duration::from_secs(3600));
///     assert!(before.elapsed() >= Duration::from_secs(3600));
/// });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(std::time::Instant);

/// When virtual time began: any instant will do, as long as it is the same in all executions of the process.
static BEGINNING: OnceLock<std::time::Instant> = OnceLock::new();

impl Instant {
    /// As in `std`; the virtual clock inside an execution.
    #[must_use]
    pub fn now() -> Self {
        match active() {
            None => Self(std::time::Instant::now()),
            Some(active) => {
                let beginning = BEGINNING.get_or_init(std::time::Instant::now);
                Self(*beginning + active.now())
            }
        }
    }

    /// As in `std`: zero if `earlier` is later.
    #[must_use]
    pub fn duration_since(&self, earlier: Self) -> Duration {
        self.0.duration_since(earlier.0)
    }

    /// As in `std`.
    #[must_use]
    pub fn checked_duration_since(&self, earlier: Self) -> Option<Duration> {
        self.0.checked_duration_since(earlier.0)
    }

    /// As in `std`.
    #[must_use]
    pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
        self.0.saturating_duration_since(earlier.0)
    }

    /// As in `std`; by the virtual clock inside an execution.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Self::now() - *self
    }
}

arithmetic!(Instant);

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.duration_since(earlier)
    }
}

/// A real instant as it is.
impl From<std::time::Instant> for Instant {
    fn from(instant: std::time::Instant) -> Self {
        Self(instant)
    }
}

/// For interfaces that want one of `std`; one that was taken inside an execution means nothing to the real clock.
#[cfg(feature = "conversions")]
impl From<Instant> for std::time::Instant {
    fn from(instant: Instant) -> Self {
        instant.0
    }
}
