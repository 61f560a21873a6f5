//! The loop over tests.

use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

use super::check_test::{Checker, unvisited};
use super::known_bugs::Fingerprints;
use super::prepared_test::PreparedTest;
use super::pulse::Pulse;
use super::rung_counts::smallest;
use super::stress;
use super::subject_run::{SubjectRun, VisitKind};
use super::test_runner::TestRunner;
use crate::generate::Look;
use contest_data::limits::Limits;
use contest_data::names::STRESS;
use contest_data::settings::{Activity, Listener, Package, Settings};
use contest_data::subject::Subject;
use contest_data::test::ConcurrentTest;
use contest_data::totals::{PausedTests, Progress, SubjectTotals, Totals};
use contest_engine::fault_point::{self, FaultPoint};
use contest_engine::memory::Isolation;
use contest_search::explore::Explorer;

/// What a test that is left out counts as, in steps, so that a subject with nothing but such tests does not keep its
/// turn for ever.
const LEFT_OUT: u64 = 20;
/// What a look for a test among very many candidates costs that found none, in steps.
const FRUITLESS_LOOK: u64 = 20_000;
/// A subject that has had so many times its share of the time waits for the others: its executions take longer than
/// their steps suggest.
const MOST_SHARES: u32 = 3;
/// Time between two reports of paused tests.
const PAUSED_EVERY: Duration = Duration::from_secs(1);
/// Why tests are cut that were paused at the finding with which the campaign ended.
const FAILED_FAST: &str = "the campaign ended at its first finding";
/// Why tests are cut that were paused when the campaign was stopped: by the user, or at a finding of another process.
const STOPPED: &str = "the campaign was stopped";

/// Runs a campaign. The subject that has cost least so far, in executions and steps, has the next turn: a new test has
/// its first visit, or the paused test goes on that promises most. So the order of visits depends on the settings and
/// on what executions show, not on time, and a test's number means the same test in every run with the same settings.
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
    if settings.strategy == STRESS.0 {
        if !stress::IS_POSSIBLE {
            return Err(settings.strategy.clone());
        }
    } else {
        Explorer::in_turns(&settings.strategy, 0, 0, &settings.atomic_sets)?;
    }
    let start = Instant::now();
    let known = Fingerprints::new(RefCell::new(settings.known.iter().cloned().collect()));
    let mut runs: Vec<SubjectRun> = (0_u16..)
        .zip(subjects)
        .filter(|(index, _)| settings.subjects.is_empty() || settings.subjects.contains(index))
        .map(|(index, subject)| {
            // Of very many subjects this takes so long that the process would seem to hang.
            listener.activity(Activity::Preparing);
            prepared(subject, index, settings, &known, listener)
        })
        .collect::<Result<_, _>>()?;
    let mut runner = TestRunner::new(limits, isolation);
    runner.observe_all(settings.observe_all);
    runner.set_orderings(&settings.orderings);
    runner.set_patience(settings.patience());
    let mut pulse = Pulse::new(start, settings.budget, listener);
    let share = settings.budget / u32::try_from(runs.len().max(1)).unwrap_or(u32::MAX);
    let subjects = runs.len() as u64;
    let mut latest = Progress::default();
    let go_on = go_on(settings);
    let mut paused_reported = Instant::now();
    pulse.listener.progress(&Progress {
        smallest: runs.iter().map(|run| smallest(&run.source)).collect(),
        ..progress(&runs, settings)
    });
    let mut ended = None;
    while !pulse.is_over() {
        let work = runs.iter().map(SubjectRun::work).sum();
        pulse.listener.work(work);
        let half_is_over = match settings.steps {
            Some(all) if work >= all => break,
            Some(all) => work >= all / 2,
            None => pulse.elapsed() >= settings.budget / 2,
        };
        let waiting: &[u16] = if half_is_over { &[] } else { &settings.later };
        for bug in pulse.listener.found_elsewhere() {
            let run = runs.iter_mut().find(|run| run.index == bug.subject);
            run.into_iter().for_each(|run| run.bugs.learn(bug.clone()));
        }
        let Some(turn) = next_turn(&runs, share, waiting) else {
            break;
        };
        pulse.report(&mut || {
            latest = progress(&runs, settings);
            let is_time = settings.report_paused && paused_reported.elapsed() >= PAUSED_EVERY;
            Progress {
                subject: runs[turn].subject.name.to_owned(),
                paused: is_time.then(|| {
                    paused_reported = Instant::now();
                    paused_tests(&runs, settings)
                }),
                ..latest.clone()
            }
        });
        let run = &mut runs[turn];
        let paused = run.next_paused();
        let place = run.begun;
        let number = (paused.as_ref()).map_or(place * subjects + turn as u64, |it| it.number);
        let name = run.subject.name;
        let mut progress = || Progress {
            subject: name.to_owned(),
            test: number,
            ..latest.clone()
        };
        let failed = if let Some(paused) = paused {
            pulse.listener.test(number, &paused.prepared.test.test);
            let mut checker = checker(&mut runner, &mut pulse, package, settings);
            checker.go_on(run, paused, &mut progress) && checker.found_error
        } else {
            let is_ours = in_shard(place + turn as u64, settings.shard);
            let was_done = place < done_before(settings, turn as u64, subjects);
            let look = catch_unwind(AssertUnwindSafe(|| {
                fault_point::pass_with(FaultPoint::Generating, number);
                run.next_test(&mut runner, pulse.listener, number, &settings.avoid)
            }));
            let test = match look {
                // What runs a sequence of calls may have stopped anywhere: the next process goes on.
                Err(panic) if runner.in_sequence => resume_unwind(panic),
                Err(panic) => {
                    run.lose_test(is_ours && !was_done);
                    if is_ours && !was_done {
                        pulse.listener.generator_panicked(name, number, panic);
                    }
                    run.charge(VisitKind::First, FRUITLESS_LOOK);
                    continue;
                }
                Ok(Look::Test(test)) => test,
                Ok(Look::Pause) => {
                    run.charge(VisitKind::First, FRUITLESS_LOOK);
                    continue;
                }
                Ok(Look::End) => {
                    run.no_more_tests = true;
                    continue;
                }
            };
            run.begun += 1;
            let goes_on = go_on.get(&(turn, place));
            if !is_ours || goes_on.is_none() && was_done {
                continue;
            }
            if let Some(why) = left_out(settings, run, &test) {
                run.leave_out_test(&test, &why);
                run.charge(VisitKind::First, LEFT_OUT);
                pulse.listener.over(number, false);
                continue;
            }
            if let Some(quota) = goes_on {
                let test = Box::new(PreparedTest::unprepared(run.runnable(test)));
                run.take_up(unvisited(settings, number, test), *quota);
                continue;
            }
            pulse.listener.test(number, &test);
            let mut checker = checker(&mut runner, &mut pulse, package, settings);
            checker.begin(run, number, test, &mut progress) && checker.found_error
        };
        if failed && settings.fail_fast {
            ended = Some(FAILED_FAST);
            break;
        }
    }
    // What goes wrong from here on is no test's.
    pulse.listener.activity(Activity::Preparing);
    if let Some(why) = ended.or_else(|| pulse.listener.is_stopped().then_some(STOPPED)) {
        runs.iter_mut().for_each(|run| run.unfinished = why);
    }
    // What came after the last report: all of it, where the campaign was short.
    pulse.say(Progress {
        paused: (settings.report_paused).then(|| paused_tests(&runs, settings)),
        ..progress(&runs, settings)
    });
    runs.iter_mut().for_each(SubjectRun::finish);
    let mut subjects: Vec<SubjectTotals> = runs.iter().map(SubjectRun::last_totals).collect();
    // Which of the subjects executed them is not known; a campaign that collects them has one.
    let places = runner.atomic_places();
    for totals in &mut subjects {
        totals.places.clone_from(&places);
    }
    Ok(Totals {
        subjects,
        elapsed_ms: pulse.elapsed().as_millis() as u64,
    })
}

/// The subject before its first test. One whose generators panic is left out.
fn prepared(
    subject: &'static Subject,
    index: u16,
    settings: &Settings,
    known: &Fingerprints,
    listener: &mut dyn Listener,
) -> Result<SubjectRun, String> {
    let made = catch_unwind(AssertUnwindSafe(|| {
        fault_point::pass_with(FaultPoint::Preparing, index.into());
        SubjectRun::new(subject, index, settings, known)
    }));
    made.unwrap_or_else(|panic| {
        // The processes before it, and those beside it, come to the same.
        if settings.first_test == 0 && in_shard(index.into(), settings.shard) {
            listener.generator_panicked(subject.name, index.into(), panic);
        }
        let plain = Settings {
            generator: "random".to_owned(),
            dependencies: Vec::new(),
            ..settings.clone()
        };
        let mut run = SubjectRun::new(subject, index, &plain, known)?;
        run.lose_test(true);
        run.no_more_tests = true;
        Ok(run)
    })
}

/// The tests that go on, by place of the subject and number of the test in it, with the executions of their next visit.
fn go_on(settings: &Settings) -> HashMap<(usize, u64), u64> {
    let all = settings.go_on.iter();
    all.flat_map(|of| {
        let turn = usize::from(of.turn);
        of.tests
            .iter()
            .map(move |test| ((turn, test.place), test.executions))
    })
    .collect()
}

/// The paused tests of each subject, but for those that still have tests of earlier runs to take up.
fn paused_tests(runs: &[SubjectRun], settings: &Settings) -> Vec<PausedTests> {
    let subjects = runs.len() as u64;
    let past = |(turn, run): &(u16, &SubjectRun)| {
        run.is_done() || run.begun >= done_before(settings, u64::from(*turn), subjects)
    };
    let turns = (0_u16..).zip(runs).filter(past);
    turns
        .flat_map(|(turn, run)| run.paused(turn, subjects))
        .collect()
}

fn checker<'c, 'i, 'l>(
    runner: &'c mut TestRunner<'i>,
    pulse: &'c mut Pulse<'l>,
    package: Package,
    settings: &'c Settings,
) -> Checker<'c, 'i, 'l> {
    Checker {
        runner,
        pulse,
        package,
        settings,
        confirming: 0,
        found_error: false,
    }
}

/// The subject that is next, one of `later` only if all others are done; `None` if all are.
fn next_turn(runs: &[SubjectRun], share: Duration, later: &[u16]) -> Option<usize> {
    let waiting = (0..runs.len()).filter(|&turn| !runs[turn].is_done());
    waiting.min_by_key(|&turn| {
        let run = &runs[turn];
        let is_later = later.contains(&run.index);
        (is_later, run.spent > share * MOST_SHARES, run.charged())
    })
}

/// Where the campaign stands, but for the test that is run now.
fn progress(runs: &[SubjectRun], settings: &Settings) -> Progress {
    let subjects = runs.len() as u64;
    let begun = (0..subjects).zip(runs);
    Progress {
        subject: String::new(),
        test: 0,
        paused: None,
        smallest: Vec::new(),
        begun: begun
            .map(|(turn, run)| run.begun.max(done_before(settings, turn, subjects)))
            .collect(),
        totals: Totals {
            subjects: runs.iter().map(SubjectRun::totals).collect(),
            elapsed_ms: 0,
        },
    }
}

/// Why a test is not run although it has its number.
fn left_out(settings: &Settings, run: &SubjectRun, test: &ConcurrentTest) -> Option<String> {
    let avoid = settings.avoid.iter().find(|avoid| avoid.concerns(test));
    avoid
        .map(|avoid| avoid.why.clone())
        .or_else(|| run.failing.not_worth(run.subject, test))
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
