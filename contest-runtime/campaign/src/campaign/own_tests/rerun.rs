//! Runs one test of the crate under one schedule.

use super::OwnTest;
use super::outcome::Outcome;
use super::shown::{Running, without_pair};
use crate::campaign::rerun::Rerun;
use crate::campaign::test_runner::TestRunner;
use crate::judge::of_model;
use crate::judge::timing::of_timing;
use contest_data::limits::Limits;
use contest_data::trace::Schedule;
use contest_engine::memory::Isolation;

/// Runs the test under the schedule; without, no thread is stopped that can go on. The finding has this token.
pub fn rerun(
    test: &OwnTest,
    schedule: Option<Schedule>,
    token: String,
    limits: Limits,
    isolation: &mut dyn Isolation,
) -> Rerun {
    let mut runner = TestRunner::new(limits, isolation);
    runner.note_allocations(true);
    runner.note_callers(true);
    let mut running = Running::of(test, &mut runner);
    let diverged = running.replay_with_accesses(&schedule.clone().unwrap_or_default());
    let ending = match running.outcome() {
        Outcome::Passes => "the test passed".to_owned(),
        Outcome::Fails(failure) => failure.message,
        Outcome::Cut(why) => why,
        Outcome::Abandoned => "abandoned".to_owned(),
    };
    let names = running.runner.thread_names();
    let interleaving = without_pair(of_model::steps(running.runner.record(), &names));
    let finding = running.shown().map(|shown| {
        let failure = of_timing(shown.failure, &shown.record, &shown.names);
        let mut finding = of_model::finding(failure, &shown.record, &shown.names, 1);
        finding.interleaving.clone_from(&interleaving);
        finding.subject.clone_from(&test.name);
        finding.own_test = Some(test.name.clone());
        finding.schedule = token;
        finding
    });
    Rerun {
        finding,
        ending,
        interleaving,
        diverged: schedule.and(diverged),
    }
}
