//! Runs one test of the crate under one schedule.

use super::OwnTest;
use super::outcome::Outcome;
use super::shown::{Running, without_pair};
use crate::campaign::rerun::Rerun;
#[cfg(feature = "driver")]
use crate::campaign::rerun::with_divergence;
use crate::campaign::test_runner::TestRunner;
use crate::judge::of_model;
use crate::judge::timing::of_timing;
#[cfg(feature = "driver")]
use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_data::trace::Schedule;
#[cfg(feature = "driver")]
use contest_engine::execution::Debugged;
use contest_engine::memory::Isolation;
#[cfg(feature = "driver")]
use contest_search::explore::{Replay, RunOnce};

/// Runs the test under the schedule for a debugger, and nothing before it; says how it ended.
#[cfg(feature = "driver")]
pub fn debug(
    test: &OwnTest,
    schedule: Schedule,
    limits: Limits,
    isolation: &mut dyn Isolation,
) -> String {
    let mut runner = TestRunner::new(limits, isolation);
    runner.show_to_debugger();
    let mut running = Running::of(test, &mut runner);
    running.visible.clone_from(&schedule.visible);
    let mut strategy = Replay::new(schedule);
    strategy.begin();
    running.run_once(&mut Debugged(&mut strategy));
    strategy.end(running.runner.record());
    with_divergence(ending(&running), &strategy)
}

fn ending(running: &Running<'_, '_>) -> String {
    match running.outcome() {
        Outcome::Passes => "the test passed".to_owned(),
        Outcome::Fails(failure) => failure.message,
        Outcome::Cut(why) => why,
        Outcome::Abandoned => "abandoned".to_owned(),
    }
}

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
    let ending = ending(&running);
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
