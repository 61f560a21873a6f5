//! Several draws of random numbers: when everything was explored under one of them, the exploration begins anew under
//! the next one.
//!
//! No number of draws is all of them. Where code makes random numbers by itself, that stays a gap, however many draws
//! were run. Keys of hashers are drawn by every map, and in most code nothing depends on them: where everything was
//! explored under [`DRAWS`] draws, and each of them has shown the same, it is said under how many draws, and there is
//! no gap.

use std::hash::{Hash, Hasher};

use crate::judge::agree_until_panic;
use contest_data::circumstances::DRAWS;
use contest_data::fold_hash::{FoldHash, FoldSet};
use contest_data::gap::Gap;
use contest_data::limits::Leeway;
use contest_data::trace::{Drawn, ExecutionRecord, Schedule};

/// Draws beside the first one that a single execution is run under at first: where maps drew keys of hashers, ...
const OTHER_KEYS: u16 = 15;
/// ... and where code drew numbers. What needs two equal ones among many is rare.
const OTHER_NUMBERS: u16 = 20_000;

/// What the draws of one test have shown so far.
#[derive(Debug, Default)]
pub(super) struct Draws {
    drawn: Drawn,
    /// The present one.
    draw: u16,
    /// Those with an execution, as the number of the last one and one more.
    run: u64,
    /// Those under which everything was explored.
    whole: u64,
    /// The present one is among them.
    is_counted: bool,
    now: Shown,
    /// By the first draw under which everything was explored.
    first: Option<Shown>,
    differ: bool,
    /// There is none after the present one.
    is_last: bool,
}

/// What the executions of one draw have shown.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shown {
    executions: u64,
    different: FoldSet<u64>,
}

impl Draws {
    /// What executions differ in from ordinary ones.
    pub(super) fn leeway(&self) -> Leeway {
        Leeway::of_draw(self.draw)
    }

    /// The last draw that a single execution is run under. Where there is nothing else to explore, keys may have as
    /// many as numbers: an order in which few hashers yield their entries is rare, too.
    pub(super) fn last_other(&self, only_draws: bool) -> u16 {
        match self.drawn {
            Drawn::Nothing => 0,
            Drawn::HashKeys if !only_draws => OTHER_KEYS,
            Drawn::HashKeys | Drawn::Numbers => OTHER_NUMBERS,
        }
    }

    /// The first draw that no execution was run under.
    pub(super) fn next_other(&self) -> u16 {
        u16::try_from(self.run).unwrap_or(u16::MAX)
    }

    /// True if code drew numbers, not only maps their keys.
    pub(super) fn are_numbers(&self) -> bool {
        self.drawn == Drawn::Numbers
    }

    /// Nothing is explored under another draw than the present one.
    pub(super) fn keep(&mut self) {
        self.is_last = true;
    }

    /// True if random numbers were drawn.
    pub(super) fn are_drawn(&self) -> bool {
        self.drawn != Drawn::Nothing
    }

    /// An execution of the present draw drew this.
    pub(super) fn note(&mut self, drawn: Drawn) {
        self.drawn = self.drawn.max(drawn);
        self.run = self.run.max(u64::from(self.draw) + 1);
        self.now.executions += 1;
    }

    /// An execution of the present draw has shown what has this hash.
    pub(super) fn show(&mut self, shown: u64) {
        self.now.different.insert(shown);
    }

    /// One execution of another draw was run, which did the same as that of the first one, or not.
    pub(super) fn note_other(&mut self, draw: u16, drawn: Drawn, same: bool) {
        self.drawn = self.drawn.max(drawn);
        self.run = self.run.max(u64::from(draw) + 1);
        self.differ |= !same;
    }

    /// The exploration under the present draw begins anew.
    pub(super) fn begin_anew(&mut self) {
        self.now = Shown::default();
        self.whole -= u64::from(std::mem::take(&mut self.is_counted));
    }

    /// True if everything was explored under the last draw, too.
    pub(super) fn is_last_counted(&self) -> bool {
        self.is_counted
    }

    /// In all executions there is only one interleaving, so each draw that was run was explored.
    pub(super) fn are_single_executions(&mut self) {
        self.whole = self.run;
    }

    /// Everything was explored under the present draw. True if everything is to be explored under another one, which is
    /// the present one from here on. Calling it again after the last one changes
    /// nothing.
    pub(super) fn go_on(&mut self) -> bool {
        if self.is_counted {
            return false;
        }
        let shown = std::mem::take(&mut self.now);
        self.whole += 1;
        match &self.first {
            None => self.first = Some(shown),
            Some(first) => self.differ |= *first != shown,
        }
        let goes_on = self.are_drawn() && self.whole < u64::from(DRAWS) && !self.is_last;
        self.draw += u16::from(goes_on);
        self.is_counted = !goes_on;
        goes_on
    }

    /// Why everything may not be said to have been explored, if the draws are a reason.
    pub(super) fn gap(&self) -> Option<Gap> {
        let are_keys = self.drawn == Drawn::HashKeys;
        let make_no_difference = are_keys && !self.differ && self.whole >= u64::from(DRAWS);
        (self.are_drawn() && !make_no_difference).then_some(Gap::Randomness(self.run))
    }

    /// How many were run; if there is no [`gap`](Self::gap), each in every interleaving. 0 if nothing was drawn.
    pub(super) fn count(&self) -> u64 {
        match (self.are_drawn(), self.gap()) {
            (false, _) => 0,
            (true, None) => self.whole,
            (true, Some(_)) => self.run,
        }
    }
}

/// What to say of a failure if another draw does not show it although all was the same until then. `passes` runs a
/// schedule, and has what was done if nothing is wrong with it.
pub(super) fn cause_by_draw(
    record: &ExecutionRecord,
    mut passes: impl FnMut(Schedule) -> Option<ExecutionRecord>,
) -> Option<String> {
    if record.drawn == Drawn::Nothing {
        return None;
    }
    let shows = record.schedule.leeway.draw;
    let mut others = (0..=OTHER_KEYS).filter(|draw| *draw != shows);
    let other = others.find(|draw| {
        let mut schedule = record.schedule.clone();
        schedule.leeway.draw = *draw;
        passes(schedule).is_some_and(|other| agree_until_panic(record, &other))
    })?;
    Some(format!(
        "random numbers decide: in this interleaving it fails under draw {shows} of them, and passes under draw {other}"
    ))
}

/// A hash of what an execution did, in the sense of [`difference`](crate::judge::difference).
pub(super) fn trace_of(record: &ExecutionRecord) -> u64 {
    let mut hasher = FoldHash::default();
    for event in &record.events {
        let of_event = (event.thread, event.action, event.name, event.location);
        of_event.hash(&mut hasher);
    }
    std::mem::discriminant(&record.ending).hash(&mut hasher);
    for panic in &record.panics {
        (panic.thread, &panic.location).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything was explored under two draws, and each has shown one of these.
    fn explored(drawn: Drawn, shown: [u64; 2]) -> Draws {
        let mut draws = Draws::default();
        for (number, shown) in (0..).zip(shown) {
            assert_eq!(draws.leeway(), Leeway::of_draw(number));
            draws.note(drawn);
            draws.show(shown);
            assert_eq!(draws.gap(), Some(Gap::Randomness(u64::from(number) + 1)));
            assert_eq!(draws.go_on(), number == 0);
        }
        draws
    }

    #[test]
    fn what_draws_nothing_is_explored_once() {
        let mut draws = Draws::default();
        draws.note(Drawn::Nothing);
        assert!(!draws.go_on());
        assert_eq!((draws.gap(), draws.count()), (None, 0));
    }

    #[test]
    fn keys_of_hashers_on_which_nothing_depends_are_no_gap() {
        let draws = explored(Drawn::HashKeys, [1, 1]);
        assert_eq!((draws.gap(), draws.count()), (None, 2));
        let draws = explored(Drawn::HashKeys, [1, 2]);
        assert_eq!(draws.gap(), Some(Gap::Randomness(2)));
    }

    #[test]
    fn numbers_are_a_gap_whatever_depends_on_them() {
        let draws = explored(Drawn::Numbers, [1, 1]);
        assert_eq!(draws.gap(), Some(Gap::Randomness(2)));
    }

    #[test]
    fn a_test_with_one_interleaving_is_explored_under_each_draw_that_was_run() {
        let mut draws = Draws::default();
        draws.note(Drawn::HashKeys);
        draws.note_other(1, Drawn::HashKeys, true);
        draws.note_other(2, Drawn::HashKeys, true);
        draws.are_single_executions();
        assert_eq!((draws.gap(), draws.count()), (None, 3));
        draws.note_other(3, Drawn::HashKeys, false);
        assert_eq!(draws.gap(), Some(Gap::Randomness(4)));
    }
}
