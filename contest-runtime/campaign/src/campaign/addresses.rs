//! Whether calls return something else where memory lies in other places: the allocator of executions is the same each
//! time, and that of a user's process is not.

use super::prepared_test::PreparedTest;
use super::scenario::results;
use super::test_runner::TestRunner;
use crate::judge::RunSerially;
use contest_data::circumstances::Circumstances;
use contest_data::rng::Rng;

/// Most orders of the calls that are run again.
const MOST_ORDERS: usize = 2;
/// Each of them with memory in so many other places.
const PLACES: u64 = 4;
/// Most tests of a subject that are tried.
const MOST_TESTS: u32 = 8;

/// Runs calls one after another with memory in other places. True if one of them returns something else.
pub(super) fn matter(runner: &mut TestRunner<'_>, prepared: &PreparedTest) -> bool {
    let runs = prepared.outcomes.runs.iter().filter(|it| !it.overlapped);
    runs.take(MOST_ORDERS).any(|usual| {
        (0..PLACES).any(|seed| {
            let elsewhere = Circumstances {
                places: Rng::new(seed).bits(),
                ..Circumstances::USUAL
            };
            let before = runner.set_circumstances(elsewhere);
            let run = runner.run_serially(&prepared.test, &usual.order, &prepared.outcomes.split);
            runner.set_circumstances(before);
            results(&run.history) != results(&usual.history)
        })
    })
}

/// What is known of a subject.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    /// Tests that were looked at.
    tests: u32,
    /// They do matter in one of them.
    matter: bool,
}

impl Addresses {
    /// Whether addresses matter in this test: of a few tests of the subject it is tried, and it holds for all later
    /// ones.
    pub(super) fn matter(&mut self, runner: &mut TestRunner<'_>, prepared: &PreparedTest) -> bool {
        if !self.matter && self.tests < MOST_TESTS {
            self.tests += 1;
            self.matter = matter(runner, prepared);
        }
        self.matter
    }
}
