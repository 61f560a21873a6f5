//! A test that draws random numbers may do something else with other ones: it is run under several draws before it is
//! explored.

use std::time::Instant;

use super::Exploration;
use crate::campaign::draws::trace_of;
use contest_data::limits::Leeway;
use contest_data::trace::{ExecutionRecord, Schedule};

/// Of a test's executions and of its time, other draws take one of so many parts.
pub(super) const SHARE: u32 = 4;
/// Where a test does nothing but draw numbers, they have all, ...
pub(super) const ALL: u32 = 1;
/// ... and where only maps draw keys, which few tests depend on, this part.
pub(super) const OF_KEYS: u32 = 20;

impl Exploration<'_, '_> {
    /// Runs the execution that stops no thread under other draws of random numbers, until they have had their share of
    /// the test's executions and time. True if each is the only one of its draw.
    pub(super) fn run_other_draws(&mut self, first: &ExecutionRecord, share: u32) -> bool {
        let (same, mut are_single) = (trace_of(first), true);
        let most = self.running.executions + self.most / u64::from(share);
        let from = if share == OF_KEYS {
            Instant::now()
        } else {
            self.begun
        };
        let until = from + self.time() / share;
        for draw in self.draws.next_other().. {
            let had_its_share = self.running.executions >= most || Instant::now() >= until;
            let last = self.draws.last_other(share != SHARE);
            let enough = draw > last || draw > 1 && had_its_share;
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
