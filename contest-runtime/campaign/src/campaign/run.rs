//! The loop over tests.

use std::time::Duration;

use super::check_test::{Checker, budget, longer};
use super::pulse::Pulse;
use super::subject_run::SubjectRun;
use super::test_runner::TestRunner;
use contest_data::limits::Limits;
use contest_data::settings::{Listener, Package, Settings};
use contest_data::subject::Subject;
use contest_data::totals::{Progress, SubjectTotals, Totals};
use contest_engine::memory::Isolation;
use contest_search::explore::{Budget, Explorer};

/// What a test that is left out counts as, so that a subject with nothing but such tests does not keep its turn for
/// ever.
const LEFT_OUT: Duration = Duration::from_micros(100);

/// Runs a campaign. The subject that had the least time so far has the next turn; the tests of a subject come in an
/// order that does not depend on time, so a test's number means the same test in every run with the same settings.
///
/// # Errors
/// If there is no strategy, or no generator, of this name.
pub fn run(
    package: Package,
    subjects: &'static [Subject],
    settings: &Settings,
    limits: Limits,
    isolation: &mut dyn Isolation,
    listener: &mut dyn Listener,
) -> Result<Totals, String> {
    let nothing = Budget {
        executions: 0,
        time: std::time::Duration::ZERO,
        minimum: 0,
    };
    Explorer::new(&settings.strategy, 0, nothing)?;
    let mut runs: Vec<SubjectRun> = (0_u16..)
        .zip(subjects)
        .filter(|(index, _)| settings.subjects.is_empty() || settings.subjects.contains(index))
        .map(|(index, subject)| SubjectRun::new(subject, index, settings))
        .collect::<Result<_, _>>()?;
    let mut runner = TestRunner::new(limits, isolation);
    runner.observe_all(settings.observe_all);
    let mut pulse = Pulse::start(settings.budget, listener);
    let share = settings.budget / u32::try_from(runs.len().max(1)).unwrap_or(u32::MAX);
    let subjects = runs.len() as u64;
    while !pulse.is_over() {
        let waiting = (0..runs.len()).filter(|&turn| !runs[turn].done);
        let Some(turn) = waiting.min_by_key(|&turn| runs[turn].charged()) else {
            break;
        };
        let place = runs[turn].begun;
        let number = place * subjects + turn as u64;
        let next = runs[turn].next_test(&mut runner, pulse.listener, number, &settings.avoid);
        let Some(test) = next else {
            runs[turn].done = true;
            continue;
        };
        runs[turn].begun += 1;
        if place < done_before(settings, turn as u64, subjects)
            || !in_shard(place + turn as u64, settings.shard)
        {
            continue;
        }
        if let Some(avoid) = settings.avoid.iter().find(|avoid| avoid.concerns(&test)) {
            runs[turn].skipped.add(&avoid.why);
            runs[turn].spent += LEFT_OUT;
            continue;
        }
        if let Some(why) = runs[turn].not_worth(&test) {
            runs[turn].skipped.add(&why);
            runs[turn].spent += LEFT_OUT;
            continue;
        }
        let begun: Vec<u64> = runs.iter().map(|run| run.begun).collect();
        let totals: Vec<SubjectTotals> = runs.iter().map(SubjectRun::totals).collect();
        let name = runs[turn].subject.name;
        let mut progress = || Progress {
            subject: name.to_owned(),
            test: number,
            begun: begun.clone(),
            totals: Totals {
                subjects: totals.clone(),
                elapsed_ms: 0,
            },
        };
        pulse.report(&mut progress);
        pulse.listener.test(number, &test);
        let budget = budget(share, &runs[turn]);
        let mut checker = Checker {
            runner: &mut runner,
            pulse: &mut pulse,
            package,
            settings,
            seed: settings.seed,
        };
        let mut reported = checker.check(&mut runs[turn], test, budget, &mut progress);
        // A test of the first rounds that was cut gets a second, longer visit. It has no number of its own: what comes
        // after a visit must not depend on time.
        if !reported && let Some(again) = runs[turn].revisit() {
            checker.pulse.listener.test(number, &again.0);
            checker.seed = settings.seed.wrapping_add(runs[turn].revisited);
            reported = checker.check_again(&mut runs[turn], again, longer(budget), &mut progress);
        }
        if reported && settings.fail_fast {
            break;
        }
    }
    Ok(Totals {
        subjects: runs.iter().map(SubjectRun::last_totals).collect(),
        elapsed_ms: pulse.elapsed().as_millis() as u64,
    })
}

/// How many tests of the subject in this place were done by processes that died.
fn done_before(settings: &Settings, turn: u64, subjects: u64) -> u64 {
    let reported = settings.begun.get(turn as usize).copied().unwrap_or(0);
    match settings.first_test.checked_sub(1) {
        Some(died) if died % subjects == turn => reported.max(died / subjects + 1),
        _ => reported,
    }
}

/// True if the test with this number belongs to the shard.
fn in_shard(number: u64, shard: Option<(u32, u32)>) -> bool {
    shard
        .is_none_or(|(part, of)| number % u64::from(of.max(1)) == u64::from(part.saturating_sub(1)))
}
