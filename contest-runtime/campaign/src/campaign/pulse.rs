//! Time and progress of a campaign.

use std::time::{Duration, Instant};

use contest_data::settings::Listener;
use contest_data::totals::{Progress, Totals};

/// Least and most time between two reports of progress.
const BETWEEN: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));
/// Of very many subjects a report takes long: no more than this part of the time goes into reports.
const PART: u32 = 20;
/// Executions between two looks at the clock.
const LOOK_EVERY: u32 = 16;

/// The clock, and the listener to report to. The engine's clock is virtual only inside an execution; here it is the
/// real one.
pub(super) struct Pulse<'a> {
    pub listener: &'a mut dyn Listener,
    start: Instant,
    end: Instant,
    last: Option<Instant>,
    /// Time until the next report.
    between: Duration,
    ticks: u32,
    over: bool,
}

impl<'a> Pulse<'a> {
    /// With the time counted from this start.
    pub(super) fn new(start: Instant, budget: Duration, listener: &'a mut dyn Listener) -> Self {
        Self {
            listener,
            start,
            end: start + budget,
            last: None,
            between: BETWEEN.0,
            ticks: 0,
            over: false,
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// True when the budget is used up, or the campaign was stopped.
    pub(super) fn is_over(&mut self) -> bool {
        self.over |= Instant::now() >= self.end || self.listener.is_stopped();
        self.over
    }

    /// Called before each execution; false when the campaign is over.
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
        if self.last.is_none_or(|last| now - last >= self.between) {
            self.last = Some(now);
            self.say(progress());
            self.between = (now.elapsed() * PART).clamp(BETWEEN.0, BETWEEN.1);
        }
    }

    /// Reports progress, whenever that was done last.
    pub(super) fn say(&mut self, progress: Progress) {
        self.listener.progress(&Progress {
            totals: Totals {
                elapsed_ms: self.start.elapsed().as_millis() as u64,
                ..progress.totals
            },
            ..progress
        });
    }
}

#[cfg(test)]
mod tests {
    use contest_data::finding::{Finding, KnownBug};
    use contest_data::totals::Alone;

    use super::*;

    struct Silent;

    impl Listener for Silent {
        fn finding(&mut self, _: Finding, _: KnownBug) {}
        fn alone(&mut self, _: Alone) {}
        fn progress(&mut self, _: &Progress) {}
    }

    #[test]
    fn what_takes_long_to_report_is_reported_seldom() {
        let mut silent = Silent;
        let mut pulse = Pulse::new(Instant::now(), Duration::from_secs(60), &mut silent);
        let mut reports = 0;
        for _ in 0..2 {
            pulse.report(&mut || {
                reports += 1;
                std::thread::sleep(Duration::from_millis(100));
                Progress::default()
            });
            std::thread::sleep(BETWEEN.0);
        }
        assert_eq!(reports, 1);
    }
}
