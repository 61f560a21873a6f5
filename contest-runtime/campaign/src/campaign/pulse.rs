//! Time and progress of a campaign.

use std::time::{Duration, Instant};

use contest_data::settings::Listener;
use contest_data::totals::{Progress, Totals};

/// Least time between two reports of progress.
const BETWEEN: Duration = Duration::from_millis(100);
/// Executions between two looks at the clock.
const LOOK_EVERY: u32 = 16;

/// The clock, and the listener to report to. The engine's clock is virtual only inside an execution; here it is the
/// real one.
pub(super) struct Pulse<'a> {
    pub listener: &'a mut dyn Listener,
    start: Instant,
    end: Instant,
    last: Option<Instant>,
    ticks: u32,
    over: bool,
}

impl<'a> Pulse<'a> {
    pub(super) fn start(budget: Duration, listener: &'a mut dyn Listener) -> Self {
        let start = Instant::now();
        Self {
            listener,
            start,
            end: start + budget,
            last: None,
            ticks: 0,
            over: false,
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// True when the budget is used up.
    pub(super) fn is_over(&mut self) -> bool {
        self.over |= Instant::now() >= self.end;
        self.over
    }

    /// Called before each execution; false when the budget is used up.
    pub(super) fn tick(&mut self, progress: &mut dyn FnMut() -> Progress) -> bool {
        self.ticks += 1;
        if self.ticks.is_multiple_of(LOOK_EVERY) {
            self.report(progress);
            return !self.is_over();
        }
        !self.over
    }

    /// Reports progress, unless that was done just now.
    pub(super) fn report(&mut self, progress: &mut dyn FnMut() -> Progress) {
        let now = Instant::now();
        if self.last.is_none_or(|last| now - last >= BETWEEN) {
            self.last = Some(now);
            let progress = progress();
            self.listener.progress(&Progress {
                totals: Totals {
                    elapsed_ms: self.start.elapsed().as_millis() as u64,
                    ..progress.totals
                },
                ..progress
            });
        }
    }
}
