//! What came of all tests of a crate.

use std::time::Duration;

use contest_data::own_tests::{OwnResult, OwnVerdict};

use super::figures::{count, counted, seconds};

/// Counts of `cargo contest test`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestTotals {
    /// Emitted tests that ran under their schedules.
    pub emitted: usize,
    /// Those of them that failed.
    pub emitted_failed: usize,
    /// Tests of the crate all of whose executions passed.
    pub ok: usize,
    /// None of whose executions passed.
    pub failed: usize,
    /// With findings.
    pub fails_sometimes: usize,
    /// Marked `#[ignore]`.
    pub ignored: usize,
    /// Without an execution that came to its end.
    pub not_run: usize,
    /// Targets of tests that do not build.
    pub not_built: usize,
    /// Those with every interleaving run.
    pub complete: usize,
    /// Those of them with one thread.
    pub single_threaded: usize,
    /// Those of them that draw random numbers: each was run under some draws.
    pub drew: usize,
    /// Those with an ordering weaker than `SeqCst`, where RC11 was not switched off.
    pub weak: usize,
    /// Those of them with every execution graph explored.
    pub weak_complete: usize,
    /// Pairs of tests that meet and were run together.
    pub pairs: u64,
    /// Those of them that fail together.
    pub pairs_failed: u64,
    /// Pairs that were not, for want of time.
    pub pairs_left: u64,
    /// Executions of all.
    pub executions: u64,
    /// Findings in all.
    pub findings: usize,
    /// What the exploration took, without builds.
    pub elapsed: Duration,
    /// It was interrupted: there are tests that count nowhere.
    pub interrupted: bool,
}

impl TestTotals {
    /// Takes the result of a test in.
    pub fn add(&mut self, result: &OwnResult) {
        self.change(result, |number| *number += 1);
        self.executions += result.executions;
    }

    /// Takes the result of a test out again: there is another one of this test. Its executions were run.
    pub fn without(&mut self, result: &OwnResult) {
        self.change(result, |number| *number -= 1);
    }

    /// Changes each number of tests to which this one belongs.
    fn change(&mut self, result: &OwnResult, mut change: impl FnMut(&mut usize)) {
        change(match result.verdict {
            OwnVerdict::Ok => &mut self.ok,
            OwnVerdict::Failed => &mut self.failed,
            OwnVerdict::FailsSometimes => &mut self.fails_sometimes,
            OwnVerdict::Ignored => &mut self.ignored,
            OwnVerdict::NotRun => &mut self.not_run,
        });
        let is_whole = |it: &OwnResult| it.weak.as_ref().is_some_and(|weak| weak.complete);
        for (belongs, number) in [
            (result.complete, &mut self.complete),
            (
                result.complete && result.threads <= 1,
                &mut self.single_threaded,
            ),
            (result.complete && result.draws > 0, &mut self.drew),
            (result.weak.is_some(), &mut self.weak),
            (is_whole(result), &mut self.weak_complete),
        ] {
            if belongs {
                change(number);
            }
        }
    }

    /// Takes in how many pairs of tests were run together, and how many were not.
    pub fn add_pairs(&mut self, run: u64, failed: u64, left: u64) {
        self.pairs += run;
        self.pairs_failed += failed;
        self.pairs_left += left;
    }

    /// Tests of the crate.
    #[must_use]
    pub fn tests(&self) -> usize {
        self.ok + self.failed + self.fails_sometimes + self.ignored + self.not_run
    }

    /// True if a test failed, sometimes or always.
    #[must_use]
    pub fn any_failed(&self) -> bool {
        self.emitted_failed + self.failed + self.fails_sometimes > 0 || self.pairs_failed > 0
    }

    /// The line at the end.
    pub(super) fn line(&self) -> String {
        let result = match (self.any_failed(), self.not_built) {
            (true, _) => "FAILED",
            (false, _) if self.interrupted => "INTERRUPTED",
            (false, 0) => "ok",
            (false, _) => "INCOMPLETE",
        };
        let mut line = format!("\ntest result: {result}.");
        if self.interrupted {
            line += " It was interrupted: tests without a line here may not have been run.";
        }
        if self.emitted > 0 {
            let passed = self.emitted - self.emitted_failed;
            line += &format!(
                " {passed} passed; {} failed, of {} under their schedules.",
                self.emitted_failed,
                counted(self.emitted as u64, "emitted test")
            );
        }
        if self.tests() > 0 {
            line += &format!(
                " {} passed; {} failed always; {} failed sometimes{}; {} ignored; {} not run. In {} of {} every interleaving was run \
                 ({} one thread only{}); {} in {}",
                self.ok,
                self.failed,
                self.fails_sometimes,
                match self.pairs_failed {
                    0 => String::new(),
                    some => format!("; {} failed together", counted(some, "pair")),
                },
                self.ignored,
                self.not_run,
                self.complete,
                counted((self.tests() - self.ignored) as u64, "test"),
                match self.single_threaded {
                    1 => "1 has".to_owned(),
                    some => format!("{some} have"),
                },
                match self.drew {
                    0 => String::new(),
                    some => format!(
                        ", {some} draw random numbers and were run under some draws of them"
                    ),
                },
                counted(self.executions, "execution"),
                seconds(self.elapsed),
            );
        }
        if self.not_built > 0 {
            let targets = counted(self.not_built as u64, "target");
            line += &format!(". Without the tests of {targets} that did not build");
        }
        if self.weak > 0 {
            line += &format!(
                ". Under RC11, where an ordering is weaker than SeqCst: every execution graph of {} of {}",
                self.weak_complete,
                counted(self.weak as u64, "test"),
            );
        }
        if self.pairs > 0 {
            line += &format!(
                ". Of {} that share something, {} together",
                counted(self.pairs, "pair"),
                match self.pairs_failed {
                    0 => "all pass".to_owned(),
                    1 => "1 fails".to_owned(),
                    some => format!("{} fail", count(some)),
                }
            );
        }
        if self.pairs_left > 0 {
            line += &format!(
                ". {} {} not run together, for want of time",
                match self.pairs {
                    0 => counted(self.pairs_left, "pair") + " of tests that share something",
                    _ => counted(self.pairs_left, "such pair"),
                },
                if self.pairs_left == 1 { "was" } else { "were" }
            );
        }
        line + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_that_takes_the_place_of_another_one_counts_once() {
        let result = |verdict| OwnResult::without_execution("a", verdict, "");
        let mut totals = TestTotals::default();
        totals.add(&result(OwnVerdict::Ok));
        totals.add(&result(OwnVerdict::Ok));
        totals.without(&result(OwnVerdict::Ok));
        totals.add(&result(OwnVerdict::FailsSometimes));
        assert_eq!(
            (totals.ok, totals.fails_sometimes, totals.tests()),
            (1, 1, 2)
        );
        totals.add_pairs(3, 1, 0);
        let line = totals.line();
        let numbers = "1 passed; 0 failed always; 1 failed sometimes; 1 pair failed together";
        assert!(line.contains(numbers), "{line}");
    }

    #[test]
    fn a_run_that_was_interrupted_is_not_ok() {
        let mut totals = TestTotals {
            interrupted: true,
            ..TestTotals::default()
        };
        totals.add(&OwnResult::without_execution("a", OwnVerdict::Ok, ""));
        let line = totals.line();
        assert!(
            line.starts_with("\ntest result: INTERRUPTED. It was"),
            "{line}"
        );
    }

    #[test]
    fn pairs_that_were_not_run_are_named_where_no_other_ones_were() {
        let mut totals = TestTotals::default();
        totals.add_pairs(0, 0, 1);
        let line = totals.line();
        let said = ". 1 pair of tests that share something was not run together";
        assert!(line.contains(said), "{line}");
    }
}
