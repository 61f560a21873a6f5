//! From an execution that looks like a bug to a finding: minimised, run again, described.

use std::time::{Duration, Instant};

use super::described::{Described, finding};
use super::one_execution::{cause_by_draw, replay};
use super::prepared_test::PreparedTest;
use super::reproducer::{Reproducer, Target, reproduction};
use super::shown::Shown;
use super::steady::{AGAIN, is_steady};
use super::subject_run::SubjectRun;
use super::test_runner::TestRunner;
use crate::judge::{Verdict, fingerprint};
use crate::minimise::{Reproduce, drop_calls, drop_switches};
use contest_data::finding::{Allowed, Finding, KnownBug, Level};
use contest_data::limits::MemoryModel;
use contest_data::settings::{Package, Settings};
use contest_data::trace::{Ending, Schedule};

/// Time for making one finding smaller.
const MINIMISING: Duration = Duration::from_secs(6);
/// Time for the first look at which bug it is.
const RECOGNISING: Duration = Duration::from_secs(1);

/// What became of an execution that looked like a bug.
#[derive(Debug)]
pub(super) enum Confirmed {
    /// A new bug, with what recognises it.
    New(Box<Finding>, KnownBug),
    /// One that was found already.
    Known,
    /// One that is not to be reported.
    Allowed(Allowed),
    /// It did not show again under the same schedule.
    NotAgain,
    /// What seemed never to return did so later.
    Late,
    /// It did, but the code under test does not always do the same.
    Unsteady,
}

/// Minimises and confirms.
pub(super) fn confirm(
    runner: &mut TestRunner<'_>,
    run: &mut SubjectRun,
    prepared: &PreparedTest,
    shown: &Shown,
    package: Package,
    settings: &Settings,
) -> Confirmed {
    let kind = shown.suspicion.kind;
    let contended = !shown.record.schedule.visible.is_empty();
    runner.note_allocations(kind.needs_allocations() || kind.needs_memory() || contended);
    runner.note_callers(true);
    let confirmed = confirm_noted(runner, run, prepared, shown, package, settings);
    runner.note_callers(false);
    runner.note_allocations(false);
    confirmed
}

fn confirm_noted(
    runner: &mut TestRunner<'_>,
    run: &mut SubjectRun,
    prepared: &PreparedTest,
    shown: &Shown,
    package: Package,
    settings: &Settings,
) -> Confirmed {
    let observers = run.observers().clone();
    let kind = shown.suspicion.kind;
    let mut reproducer = Reproducer {
        runner,
        observers: &observers,
        strict: settings.strict,
        allow: &settings.allow,
        refuses_allowed: false,
        target: Target::of(&shown.suspicion),
        deadline: Instant::now() + RECOGNISING * settings.patience(),
        patience: settings.patience(),
        visible: shown.record.schedule.visible.clone(),
        memory_model: shown.record.schedule.memory_model,
        leeway: shown.record.schedule.leeway,
        at_rest: kind.is_wrong_result()
            && shown.history.background_steps
            && shown.history.background_rested,
        steps: shown.record.steps,
        prepared: Some(prepared.clone()),
        varies: prepared.varies(),
    };
    // Once bugs are known, most are one of these: the fewest preemptions in the test as it is say which.
    let test = &prepared.test.test;
    let compares = !run.bugs.is_empty();
    let mut found = reproduction(shown);
    // What is interrupted in an allowed place by chance is not allowed for that.
    if is_allowed(&settings.allow, prepared, shown).is_some() {
        found = drop_switches::without_needless(test, found, &mut reproducer);
        let again = again(
            reproducer.runner,
            &reproducer.target,
            prepared,
            &found.schedule,
        );
        let Some(again) = again else {
            return Confirmed::NotAgain;
        };
        if let Some(allowed) = is_allowed(&settings.allow, prepared, &again) {
            return Confirmed::Allowed(allowed.clone());
        }
    }
    reproducer.refuses_allowed = true;
    if compares {
        found = drop_switches::drop_switches(test, found, &mut reproducer);
    }
    let Some(first) = again(
        reproducer.runner,
        &reproducer.target,
        prepared,
        &found.schedule,
    ) else {
        return Confirmed::NotAgain;
    };
    let first_print = fingerprint_of(prepared, &first);
    if run.bugs.has(&first_print) {
        // A variant that is recognised sooner the next time.
        run.bugs.add(&first_print, &first.suspicion, test);
        return Confirmed::Known;
    }
    if let Some(allowed) = run.bugs.allowed(&first_print, test) {
        return Confirmed::Allowed(allowed.clone());
    }
    reproducer.deadline = Instant::now() + MINIMISING * settings.patience();
    let (smaller, mut found) = drop_calls::drop_calls(test.clone(), found, &mut reproducer);
    // What interleavings alone show is not explained by orderings. Without a place it might be another bug.
    let model = reproducer.memory_model;
    if model != MemoryModel::Sc
        && reproducer.goes_on()
        && let Some(surely) = reproducer.target.at_all_places()
    {
        let target = std::mem::replace(&mut reproducer.target, surely);
        reproducer.memory_model = MemoryModel::Sc;
        match reproducer.reproduce(&smaller, None) {
            Some(without) => found = without,
            None => reproducer.memory_model = model,
        }
        reproducer.target = target;
    }
    let found = if compares && smaller == *test && reproducer.memory_model == model {
        found
    } else {
        drop_switches::drop_switches(&smaller, found, &mut reproducer)
    };
    let mut small = reproducer
        .prepared
        .take()
        .filter(|prepared| prepared.test.test == smaller);
    // What is smaller may be something else, which the calls do one after another too.
    let last = small.as_mut().and_then(|small| {
        let (runner, target) = (&mut *reproducer.runner, &reproducer.target);
        let last = again(runner, target, small, &found.schedule)?;
        let suspicion = small.try_suspicion(runner, &last).ok()?;
        target
            .matches(&suspicion)
            .then_some(Shown { suspicion, ..last })
    });
    let (small, mut last, schedule) = match (&small, last) {
        (Some(small), Some(last)) => (small, last, found.schedule),
        _ => {
            let schedule = first.record.schedule.clone();
            (prepared, first, schedule)
        }
    };
    let steady = (1..AGAIN)
        .all(|_| again(reproducer.runner, &reproducer.target, small, &schedule).is_some());
    if !steady || !is_steady(reproducer.runner, small) {
        return Confirmed::Unsteady;
    }
    let waits = matches!(last.record.ending, Ending::Deadlock(_));
    if waits && returns_late(reproducer.runner, small, &schedule, &reproducer.target) {
        return Confirmed::Late;
    }
    if let Some(allowed) = is_allowed(&settings.allow, small, &last) {
        run.bugs.allow(first_print, test, allowed.clone());
        return Confirmed::Allowed(allowed.clone());
    }
    let print = fingerprint_of(small, &last);
    let Some(bug) = run.bugs.add(&print, &last.suspicion, &small.test.test) else {
        return Confirmed::Known;
    };
    reproducer.runner.name_objects(true);
    let named = again(reproducer.runner, &reproducer.target, small, &schedule);
    reproducer.runner.name_objects(false);
    if let Some(named) = named {
        last = named;
    }
    let cause = cause_by_draw(reproducer.runner, small, &last.record, kind);
    last.suspicion.details.extend(cause);
    let described = Described::of(small, &last);
    let mut finding = finding(&described, package);
    if described.allowed_by(&settings.warn).is_some() {
        finding.level = Level::Warning;
    }
    Confirmed::New(Box::new(finding), bug)
}

fn is_allowed<'s>(
    allow: &'s [Allowed],
    prepared: &PreparedTest,
    shown: &Shown,
) -> Option<&'s Allowed> {
    Described::of(prepared, shown).allowed_by(allow)
}

/// Runs the schedule again; what it shows, if it is the bug.
fn again(
    runner: &mut TestRunner<'_>,
    target: &Target,
    prepared: &PreparedTest,
    schedule: &Schedule,
) -> Option<Shown> {
    let (record, history, verdict, _) = replay(
        runner,
        prepared,
        schedule.clone(),
        target.kind,
        &|suspicion| target.matches(suspicion),
    );
    match verdict {
        Verdict::Suspect(suspicion) if target.matches(&suspicion) => Some(Shown {
            suspicion: *suspicion,
            record,
            history,
        }),
        _ => None,
    }
}

/// Whether what seems never to return does so after more timers of background threads. An execution that does not come
/// to its end either way still waits.
fn returns_late(
    runner: &mut TestRunner<'_>,
    prepared: &PreparedTest,
    schedule: &Schedule,
    target: &Target,
) -> bool {
    runner.wait_longer(true);
    let (record, _, verdict, _) = replay(
        runner,
        prepared,
        schedule.clone(),
        target.kind,
        &|suspicion| target.matches(suspicion),
    );
    runner.wait_longer(false);
    !matches!(record.ending, Ending::StepLimit(_)) && !matches!(verdict, Verdict::Suspect(_))
}

fn fingerprint_of(prepared: &PreparedTest, shown: &Shown) -> String {
    fingerprint(
        &prepared.judge(),
        &shown.suspicion,
        &shown.record,
        &shown.history,
    )
}
