//! The tests of one executable, one after another.

use std::time::{Duration, Instant};

use super::OwnTest;
use super::exploration::explore;
use crate::campaign::test_runner::TestRunner;
use contest_data::finding::Finding;
use contest_data::limits::Limits;
use contest_data::own_tests::{OwnResult, OwnTestSettings, OwnVerdict};
use contest_engine::memory::Isolation;

/// Receives what comes of the tests, while they run.
pub trait OwnTestListener {
    /// This test, with its number, is about to run.
    fn begins(&mut self, number: u64, name: &str);
    /// A finding of the test that runs.
    fn finding(&mut self, finding: Finding);
    /// It is done.
    fn done(&mut self, result: OwnResult);
}

/// Runs the tests from the first one that the settings want. When the time for all is used up, the others are run once.
///
/// # Errors
/// The name of the strategy, if there is none of this name.
pub fn run(
    tests: &[OwnTest],
    settings: &OwnTestSettings,
    limits: Limits,
    isolation: &mut dyn Isolation,
    listener: &mut dyn OwnTestListener,
) -> Result<(), String> {
    let end = Instant::now() + settings.budget();
    let mut runner = TestRunner::new(limits, isolation);
    for (number, test) in (0..).zip(tests).skip(settings.first as usize) {
        if let Some(reason) = test.ignored {
            listener.done(OwnResult::without_execution(
                &test.name,
                OwnVerdict::Ignored,
                reason,
            ));
            continue;
        }
        listener.begins(number, &test.name);
        let left = end.saturating_duration_since(Instant::now());
        let time = settings.test_budget().min(left);
        let samples = settings.sampled.contains(&number);
        let explored = explore(test, settings, samples, time, &mut runner)?;
        for finding in explored.findings {
            listener.finding(finding);
        }
        let mut result = explored.result;
        let cut = result.verdict == OwnVerdict::Ok && !result.complete;
        if time < settings.test_budget() && cut && left == Duration::ZERO {
            "the time for all tests is over".clone_into(&mut result.why);
        }
        listener.done(result);
    }
    Ok(())
}
