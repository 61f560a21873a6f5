//! The watchdog of a run, where there is one.

use std::time::Duration;

/// Watches for executions that hang in a call that the scheduler does not see.
pub(crate) struct Watch {
    #[cfg(target_os = "linux")]
    progress: std::sync::Arc<contest_engine::execution::hang::Progress>,
    #[cfg(target_os = "linux")]
    _watchdog: Option<contest_engine::execution::hang::Watchdog>,
}

#[cfg(target_os = "linux")]
impl Watch {
    /// Starts to watch; zero is for ever.
    pub(crate) fn start(limit: Duration) -> Self {
        contest_engine::execution::signals::install();
        let progress = std::sync::Arc::new(contest_engine::execution::hang::Progress::default());
        let watchdog = (!limit.is_zero())
            .then(|| contest_engine::execution::hang::Watchdog::start(&progress, limit));
        Self {
            progress,
            _watchdog: watchdog,
        }
    }

    /// The calling OS thread runs the executions from here on.
    pub(crate) fn here(&self) {
        self.progress.here();
    }

    /// An execution begins.
    #[inline]
    pub(crate) fn tick(&self) {
        self.progress.tick();
    }
}

#[cfg(not(target_os = "linux"))]
impl Watch {
    pub(crate) fn start(_limit: Duration) -> Self {
        Self {}
    }

    pub(crate) fn here(&self) {}

    pub(crate) fn tick(&self) {}
}
