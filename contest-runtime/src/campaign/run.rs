//! The loop over tests.

use super::check_test::{Checker, budget, longer};
use super::pulse::Pulse;
use super::settings::{Listener, Package, Settings};
use super::subject_run::SubjectRun;
use super::test_runner::TestRunner;
use super::totals::{Progress, SubjectTotals, Totals};
use crate::execution::Limits;
use crate::explore::{Budget, Explorer};
use crate::memory::Isolation;
use crate::subject::Subject;

/// Runs a campaign. Subjects take turns, test by test, so the number of a test means the same test in every run with the same settings.
///
/// # Errors
/// If there is no strategy of the asked name.
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
        sure: 0,
    };
    Explorer::new(&settings.strategy, 0, nothing)?;
    let mut runs: Vec<SubjectRun> = (0_u16..)
        .zip(subjects)
        .filter(|(index, _)| settings.subjects.is_empty() || settings.subjects.contains(index))
        .map(|(index, subject)| SubjectRun::new(subject, index, settings))
        .collect();
    let mut runner = TestRunner::new(limits, isolation);
    let mut pulse = Pulse::start(settings.budget, listener);
    let share = settings.budget / u32::try_from(runs.len().max(1)).unwrap_or(u32::MAX);
    let mut number = 0;
    'campaign: loop {
        let mut any = false;
        for turn in 0..runs.len() {
            if pulse.is_over() {
                break 'campaign;
            }
            if runs[turn].done {
                continue;
            }
            let Some(test) = runs[turn].stream.next() else {
                runs[turn].done = true;
                continue;
            };
            any = true;
            let this = number;
            number += 1;
            if this < settings.first_test || !in_shard(this, settings.shard) {
                continue;
            }
            if let Some(avoid) = settings.avoid.iter().find(|avoid| avoid.concerns(&test)) {
                runs[turn].skipped.add(&avoid.why);
                continue;
            }
            if let Some(why) = runs[turn].not_worth(&test) {
                runs[turn].skipped.add(&why);
                continue;
            }
            let totals: Vec<SubjectTotals> = runs.iter().map(SubjectRun::totals).collect();
            let name = runs[turn].subject.name;
            let mut progress = || Progress {
                subject: name.to_owned(),
                test: this,
                totals: Totals {
                    subjects: totals.clone(),
                    elapsed_ms: 0,
                },
            };
            pulse.report(&mut progress);
            pulse.listener.test(this, &test);
            let budget = budget(share, &runs[turn]);
            let mut checker = Checker {
                runner: &mut runner,
                pulse: &mut pulse,
                package,
                settings,
                seed: settings.seed,
            };
            let mut reported = checker.check(&mut runs[turn], test, budget, &mut progress);
            // A test of the first rounds that was cut gets a second, longer visit. It has no number of its own: what comes after a visit
            // must not depend on time.
            if !reported && let Some(again) = runs[turn].revisit() {
                checker.pulse.listener.test(this, &again.0);
                checker.seed = settings.seed.wrapping_add(runs[turn].revisited);
                reported =
                    checker.check_again(&mut runs[turn], again, longer(budget), &mut progress);
            }
            if reported && settings.fail_fast {
                break 'campaign;
            }
        }
        if !any {
            break;
        }
    }
    Ok(Totals {
        subjects: runs.iter().map(SubjectRun::totals).collect(),
        elapsed_ms: pulse.elapsed().as_millis() as u64,
    })
}

/// True if the test with this number belongs to the shard.
fn in_shard(number: u64, shard: Option<(u32, u32)>) -> bool {
    shard
        .is_none_or(|(part, of)| number % u64::from(of.max(1)) == u64::from(part.saturating_sub(1)))
}
