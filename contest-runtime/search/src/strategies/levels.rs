//! How much an exhaustive search allows beyond the ordinary, in one exploration after another: each as far as the one
//! before left something out for lack of it.

use contest_data::gap::Gap;
use contest_data::limits::Leeway;
use contest_data::trace::LeftOut;

const LEVELS: [Leeway; 4] = [
    Leeway::NONE,
    Leeway {
        early_ends: 1,
        rounds: 6,
        ..Leeway::NONE
    },
    Leeway {
        early_ends: 2,
        rounds: 16,
        ..Leeway::NONE
    },
    Leeway {
        early_ends: 2,
        rounds: 48,
        ..Leeway::NONE
    },
];
/// Most executions with more leeway than none: so many, and ...
const MOST_EXECUTIONS: u64 = 500;
/// ... so many times as many as there were with less.
const SHARE: u64 = 8;

/// The present leeway, and what was left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels {
    /// Number of the present leeway.
    level: usize,
    /// What executions with this leeway left out, and those with the leeway before.
    left_out: LeftOut,
    left_out_before: LeftOut,
    /// Executions with this leeway, and with less.
    executions: u64,
    executions_before: u64,
}

impl Levels {
    /// What is allowed at present.
    pub(super) fn leeway(&self) -> Leeway {
        LEVELS[self.level]
    }

    pub(super) fn executed(&mut self) {
        self.executions += 1;
    }

    /// An execution left this out.
    pub(super) fn note(&mut self, left_out: LeftOut) {
        self.left_out |= left_out;
    }

    /// Everything was explored with the present leeway. Allows more if something was left out for lack of it; false if
    /// nothing was, or there is no more.
    pub(super) fn go_on(&mut self) -> bool {
        let left = self.left_out;
        let timeouts = left.has(LeftOut::EARLY_ENDS) && !left.has(LeftOut::BY_LIMITS);
        if !timeouts && !left.has(LeftOut::LOOPS) || self.level + 1 == LEVELS.len() {
            return false;
        }
        self.level += 1;
        self.left_out_before = left;
        self.left_out = LeftOut::NOTHING;
        self.executions_before += std::mem::take(&mut self.executions);
        true
    }

    /// More leeway leads to many more executions than there were without.
    pub(super) fn take_too_long(&self) -> bool {
        self.level > 0 && self.executions >= MOST_EXECUTIONS.max(SHARE * self.executions_before)
    }

    /// What was not explored for lack of leeway. `exhausted`: all was with the present one.
    pub(super) fn gaps(&self, exhausted: bool) -> impl Iterator<Item = Gap> + use<> {
        let mut left = self.left_out;
        if !exhausted {
            left |= self.left_out_before;
        }
        let gap = move |what, gap| left.has(what).then_some(gap);
        let timeouts = gap(LeftOut::EARLY_ENDS, Gap::Timeouts);
        timeouts
            .into_iter()
            .chain(gap(LeftOut::LOOPS, Gap::HeldBack))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_allowed_as_long_as_something_is_left_out_for_lack_of_it() {
        let mut levels = Levels::default();
        assert!(!levels.go_on(), "nothing was left out");
        levels.note(LeftOut::EARLY_ENDS | LeftOut::BY_LIMITS);
        assert!(!levels.go_on(), "the limits do not allow it");
        assert_eq!(levels.gaps(true).collect::<Vec<_>>(), [Gap::Timeouts]);
        levels = Levels::default();
        for next in &LEVELS[1..] {
            levels.note(LeftOut::LOOPS);
            assert!(levels.go_on() && levels.leeway() == *next);
            assert_eq!(levels.gaps(true).count(), 0);
            assert_eq!(levels.gaps(false).collect::<Vec<_>>(), [Gap::HeldBack]);
        }
        levels.note(LeftOut::LOOPS);
        assert!(!levels.go_on());
        assert_eq!(levels.gaps(true).collect::<Vec<_>>(), [Gap::HeldBack]);
    }

    #[test]
    fn an_exploration_with_leeway_ends_where_it_takes_far_longer_than_without() {
        let mut levels = Levels::default();
        for _ in 0..10_000 {
            levels.executed();
        }
        assert!(!levels.take_too_long());
        levels.note(LeftOut::EARLY_ENDS);
        assert!(levels.go_on());
        for _ in 0..10_000 * SHARE {
            assert!(!levels.take_too_long());
            levels.executed();
        }
        assert!(levels.take_too_long());
    }
}
