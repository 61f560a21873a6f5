//! What one lane of a run has done so far, and sums of counts.

use std::path::PathBuf;

use contest_data::totals::{NOT_FINISHED, PausedTests, Progress, SubjectTotals, Totals};

use contest_drive::campaign::totals;

/// What one lane has done so far.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub(super) black_box: PathBuf,
    pub(super) received: u32,
    pub(super) begun: Vec<u64>,
    pub(super) test: u64,
    /// By place of the type; `None` as long as it has not come as far as earlier runs.
    pub(super) paused: Vec<Option<Vec<PausedTests>>>,
    pub(super) totals: Vec<SubjectTotals>,
}

/// Tests of earlier runs that wait to be gone on with count as begun and cut.
pub(super) fn count_waiting(totals: &mut SubjectTotals, paused: &[PausedTests]) {
    let count: u64 = paused.iter().map(|it| it.tests.len() as u64).sum();
    if count > 0 {
        totals.tests += count;
        match totals.cut.iter_mut().find(|(why, _)| why == NOT_FINISHED) {
            Some((_, known)) => *known += count,
            None => totals.cut.push((NOT_FINISHED.to_owned(), count)),
        }
    }
}

/// Adds the counts of a type of this name.
pub(super) fn add(sum: &mut SubjectTotals, more: &[SubjectTotals], name: &str) {
    sum.name = name.to_owned();
    let subjects = more.iter().filter(|it| it.name == name).cloned().collect();
    let mut all = vec![std::mem::take(sum)];
    let more = Totals {
        subjects,
        elapsed_ms: 0,
    };
    totals::add(&mut all, &more);
    *sum = all.swap_remove(0);
}

impl Lane {
    pub(super) fn take(&mut self, progress: &Progress) {
        self.begun.clone_from(&progress.begun);
        self.test = progress.test;
        self.totals.clone_from(&progress.totals.subjects);
        let Some(all) = &progress.paused else {
            return;
        };
        for (turn, place) in (0_u16..).zip(&mut self.paused) {
            let mut of_turn = all.iter().filter(|it| it.turn == turn).peekable();
            if of_turn.peek().is_some() {
                *place = Some(of_turn.cloned().collect());
            }
        }
    }

    pub(super) fn has_reported(&self, turn: u16) -> bool {
        matches!(self.paused.get(usize::from(turn)), Some(Some(_)))
    }
}
