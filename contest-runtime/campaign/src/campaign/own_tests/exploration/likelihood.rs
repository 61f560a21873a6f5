//! How likely a test fails: of executions with a random order, random draws and, if the test depends on time, one
//! thread that is late at a random place, so many fail.

use std::time::{Duration, Instant};

use super::{Exploration, is_same_bug};
use crate::campaign::own_tests::outcome::Outcome;
use crate::campaign::own_tests::shown::Shown;
use contest_data::limits::Leeway;
use contest_data::rng::Rng;
use contest_search::explore::Budget;

/// Executions of a test that fails sometimes.
const EXECUTIONS: u16 = 100;
/// With fewer nothing is said.
const LEAST: u64 = 10;
/// They take no more than one of so many parts of the test's time.
const SHARE: u32 = 4;

/// What random executions have shown.
#[derive(Debug, Default)]
pub(super) struct Likelihood {
    pub(super) executions: u64,
    pub(super) failing: u64,
    /// How many showed each failure.
    of: Vec<u64>,
}

impl Likelihood {
    /// How many showed this failure, by number.
    pub(super) fn of(&self, number: usize) -> u64 {
        self.of.get(number).copied().unwrap_or(0)
    }

    /// A line for the finding with this number, if there is anything to say.
    pub(super) fn line(&self, number: usize) -> Option<String> {
        let (fails, all) = (self.of(number), self.executions);
        (all >= LEAST).then(|| match fails {
            0 => format!("rare: fails so in none of {all} random executions"),
            _ => format!("fails so in {fails} of {all} random executions"),
        })
    }
}

impl Exploration<'_, '_> {
    /// Runs random executions of a test that has these failures.
    pub(super) fn likelihood<'s>(
        &mut self,
        failures: impl Iterator<Item = &'s Shown> + Clone,
    ) -> Likelihood {
        let end = Instant::now() + self.settings.test_budget() / SHARE;
        let mut seen = Likelihood {
            of: vec![0; failures.clone().count()],
            ..Likelihood::default()
        };
        let mut rng = Rng::new(self.settings.seed);
        for draw in 0..EXECUTIONS {
            if Instant::now() >= end || !self.run_randomly(draw, &mut rng) {
                break;
            }
            seen.executions += 1;
            if let Outcome::Fails(failure) = self.running.outcome() {
                seen.failing += 1;
                let known = failures
                    .clone()
                    .position(|it| is_same_bug(&it.failure, &failure));
                known.into_iter().for_each(|known| seen.of[known] += 1);
            }
        }
        seen
    }

    /// Runs an execution with a random order, this draw, and one thread that is late at a random place, if the test
    /// depends on time. False if there is none.
    pub(super) fn run_randomly(&mut self, draw: u16, rng: &mut Rng) -> bool {
        let mut leeway = Leeway::of_draw(draw);
        // A thread that goes on beside the one that it was late for meets it in any order.
        let places = match rng.below(2) == 0 && !self.brief.is_empty() {
            true => &self.brief,
            false => &self.places,
        };
        if let Ok(count @ 1..) = u32::try_from(places.len()) {
            leeway = leeway.with_delay(places[rng.below(count) as usize]);
        }
        let budget = Budget {
            executions: 1,
            time: Duration::from_secs(1),
            minimum: 0,
        };
        let explorer = self.weak.explorer("random", rng.bits(), budget);
        explorer.is_ok_and(|explorer| explorer.with(leeway).next(&mut self.running).is_some())
    }
}
