//! A test that draws random numbers may do something else with other ones: it is run under several draws before it is
//! explored.

use std::time::Instant;

use super::Exploration;
use crate::campaign::draws::trace_of;
use contest_data::limits::Leeway;
use contest_data::trace::{ExecutionRecord, Schedule};

/// Other draws take no more than one of so many parts of the test's executions and of its time.
const SHARE: u32 = 4;

impl Exploration<'_, '_> {
    /// Runs the execution that stops no thread under other draws of random numbers. True if each is the only one of its
    /// draw.
    pub(super) fn run_other_draws(&mut self, first: &ExecutionRecord) -> bool {
        let (same, mut are_single) = (trace_of(first), true);
        let most = self.running.executions + self.most / u64::from(SHARE);
        let until = self.begun + self.until.saturating_duration_since(self.begun) / SHARE;
        for draw in 1.. {
            let had_its_share = self.running.executions >= most || Instant::now() >= until;
            let enough = draw > self.draws.last_other() || draw > 1 && had_its_share;
            if self.is_over() || enough {
                break;
            }
            let schedule = Schedule {
                leeway: Leeway::of_draw(draw),
                ..Schedule::default()
            };
            self.running.replay(&schedule);
            let record = self.running.runner.record();
            let is_same = trace_of(record) == same;
            are_single &= is_single(record);
            self.draws.note_other(draw, record.drawn, is_same);
            self.judge();
        }
        are_single
    }
}

/// True if there was nothing to decide.
pub(super) fn is_single(record: &ExecutionRecord) -> bool {
    record.threads <= 1 && record.schedule.decisions.is_empty()
}
