//! A test that draws random numbers may do something else with other ones: it is run under several draws before it is
//! explored, and of a failure it is found out whether the draw decides.

use std::time::Instant;

use super::super::outcome::Outcome;
use super::super::shown::Shown;
use super::Exploration;
use crate::campaign::draws::trace_of;
use contest_data::limits::Leeway;
use contest_data::trace::{Drawn, ExecutionRecord, Schedule};

/// Draws beside the first one.
const MOST: u8 = 15;
/// They take no more than one of so many parts of the test's executions and of its time.
const SHARE: u32 = 4;

impl Exploration<'_, '_> {
    /// Runs the execution that stops no thread under other draws of random numbers. True if each is the only one of its
    /// draw.
    pub(super) fn run_other_draws(&mut self, first: &ExecutionRecord) -> bool {
        let (same, mut are_single) = (trace_of(first), true);
        let most = self.running.executions + self.most / u64::from(SHARE);
        let until = self.begun + self.until.saturating_duration_since(self.begun) / SHARE;
        for draw in 1..=MOST {
            let had_its_share = self.running.executions >= most || Instant::now() >= until;
            if self.is_over() || draw > 1 && had_its_share {
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

    /// What to say of a failure if the test passes under another draw, in the interleaving in which it fails under its
    /// own.
    pub(super) fn cause_by_draw(&mut self, shown: &Shown) -> Option<String> {
        if shown.record.drawn == Drawn::Nothing {
            return None;
        }
        let fails = shown.record.schedule.leeway.draw;
        let mut others = (0..=MOST).filter(|draw| *draw != fails);
        let passes = others.find(|draw| {
            let mut schedule = shown.record.schedule.clone();
            schedule.leeway.draw = *draw;
            self.running.replay(&schedule).is_none() && self.running.outcome() == Outcome::Passes
        })?;
        Some(format!(
            "random numbers decide: in this interleaving it fails under draw {fails} of them, and passes under draw {passes}"
        ))
    }
}

/// True if there was nothing to decide.
pub(super) fn is_single(record: &ExecutionRecord) -> bool {
    record.threads <= 1 && record.schedule.decisions.is_empty()
}
