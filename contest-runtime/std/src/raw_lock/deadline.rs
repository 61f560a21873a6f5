//! Until when a wait lasts.

use std::time::{Duration, Instant};

use contest_engine::execution::{Active, active};

/// Until when to wait.
#[derive(Clone, Copy, Debug)]
pub enum Deadline {
    /// As long as it takes.
    Never,
    /// By the clock of the system.
    Real(Instant),
    /// By the virtual clock of the execution.
    Virtual(Duration),
}

impl Deadline {
    /// In so much time from now.
    #[must_use]
    pub fn after(timeout: Duration) -> Self {
        match active() {
            Some(active) => Self::Virtual(active.now().saturating_add(timeout)),
            None => Instant::now()
                .checked_add(timeout)
                .map_or(Self::Never, Self::Real),
        }
    }

    /// At this time.
    #[must_use]
    pub fn at(instant: Instant) -> Self {
        match active() {
            Some(_) => Self::after(until(instant)),
            None => Self::Real(instant),
        }
    }

    /// How long until then, in an execution.
    pub(super) fn left(self, active: Active) -> Option<Duration> {
        match self {
            Self::Never => None,
            Self::Real(instant) => Some(until(instant)),
            Self::Virtual(end) => Some(end.saturating_sub(active.now())),
        }
    }

    /// When that is outside of executions.
    pub(super) fn real(self) -> Option<Instant> {
        match self {
            Self::Real(instant) => Some(instant),
            Self::Never | Self::Virtual(_) => None,
        }
    }
}

/// How long until then, by the clock that the caller sees.
#[must_use]
pub fn until(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}
