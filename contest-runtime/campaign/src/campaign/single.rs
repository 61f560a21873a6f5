//! One given test: a schedule of it again, or a search.

use super::described::{Described, finding};
use super::exploration::Exploration;
use super::explored::Explored;
use super::observers::Observers;
use super::one_execution::replay;
use super::prepared_test::{Preparation, PreparedTest, prepare};
use super::test_runner::TestRunner;
use crate::judge::{Suspicion, Verdict};
use contest_data::finding::{Finding, FindingKind};
use contest_data::limits::Limits;
use contest_data::settings::Package;
use contest_data::subject::Subject;
use contest_data::test::{ConcurrentTest, RunnableTest};
use contest_data::trace::{Action, Schedule};
use contest_engine::memory::Isolation;
use contest_search::explore::{Budget, Explorer};

/// What came of one test.
#[derive(Clone, Debug, Default)]
pub struct Single {
    /// The bug, and the decisions that show it.
    pub found: Option<(Finding, Schedule)>,
    /// Where the code no longer does what the schedule recorded.
    pub diverged: Option<String>,
    /// Why the test cannot be judged, or the search did not see everything.
    pub cut: Option<String>,
    /// It cannot be judged at all.
    pub unfit: bool,
    /// Executions until then.
    pub executions: u64,
    /// The threads did something that the scheduler sees.
    pub controlled: bool,
}

/// Runs the schedule if there is one; if it does not fit, or there is none, searches.
pub fn check(
    package: Package,
    subject: &'static Subject,
    test: ConcurrentTest,
    schedule: Option<Schedule>,
    budget: Budget,
    limits: Limits,
    isolation: &mut dyn Isolation,
) -> Single {
    let test = Observers::none(subject).runnable(test);
    check_runnable(package, test, schedule, budget, limits, isolation)
}

/// The same for a test that says what is looked at in the end.
pub fn check_runnable(
    package: Package,
    test: RunnableTest,
    schedule: Option<Schedule>,
    budget: Budget,
    limits: Limits,
    isolation: &mut dyn Isolation,
) -> Single {
    let mut runner = TestRunner::new(limits, isolation);
    runner.note_allocations(true);
    let mut out = Single::default();
    let prepared = match prepare(&mut runner, test, false).0 {
        Preparation::Ready(prepared) => prepared,
        Preparation::LeftOut(reason, _) => {
            out.cut = Some(reason);
            out.unfit = true;
            return out;
        }
    };
    let replayed = schedule.is_some_and(|schedule| {
        out.diverged = again(&mut runner, &prepared, package, schedule, &mut out);
        out.found.is_some() || out.diverged.is_none()
    });
    if !replayed {
        search(&mut runner, &prepared, package, budget, &mut out);
    }
    out.controlled = out.found.is_some() || does_something(&mut runner, &prepared);
    out.executions = runner.cost.executions;
    out
}

/// True if threads of the test do more than begin, call and end.
fn does_something(runner: &mut TestRunner<'_>, prepared: &PreparedTest) -> bool {
    let all = |_: &Suspicion| true;
    let kind = FindingKind::NonLinearizable;
    let (record, ..) = replay(runner, prepared, Schedule::default(), kind, &all);
    record.events.iter().any(|event| {
        let frame = matches!(
            event.action,
            Action::Begin
                | Action::End
                | Action::Spawn(_)
                | Action::Join(_)
                | Action::CallBegin
                | Action::CallHold
                | Action::LaneEnd
                | Action::Yield
                | Action::Sleep
        );
        event.thread.0 != 0 && !frame
    })
}

/// Runs a schedule; where it no longer fits.
fn again(
    runner: &mut TestRunner<'_>,
    prepared: &PreparedTest,
    package: Package,
    schedule: Schedule,
    out: &mut Single,
) -> Option<String> {
    let all = |_: &Suspicion| true;
    let (record, history, verdict, diverged) = replay(
        runner,
        prepared,
        schedule,
        FindingKind::NonLinearizable,
        &all,
    );
    if let Verdict::Suspect(suspicion) = verdict {
        let described = Described {
            prepared,
            suspicion: &suspicion,
            record: &record,
            history: &history,
        };
        out.found = Some((finding(&described, package), record.schedule.clone()));
    }
    diverged
}

fn search(
    runner: &mut TestRunner<'_>,
    prepared: &PreparedTest,
    package: Package,
    budget: Budget,
    out: &mut Single,
) {
    let explorer = || Explorer::new("auto", 0, budget).expect("there is a strategy `auto`");
    let explored = Explored {
        prepared,
        make: &explorer,
        allowed: None,
    };
    let mut exploration = Exploration::new(explorer());
    // What is found here is not looked at again.
    runner.wait_longer(true);
    while let Some(shown) = exploration.next_suspect(explored, runner, None, &mut |_| true) {
        // Only what shows again is a bug.
        let _ = again(runner, prepared, package, shown.record.schedule, out);
        if out.found.is_some() {
            return;
        }
    }
    if let Some(first) = exploration.nondeterministic.take() {
        out.cut = Some(format!("nondeterministic: {first}"));
        out.unfit = true;
    } else {
        let gaps = exploration.gaps();
        out.cut = (!gaps.is_empty()).then(|| gaps.to_string());
    }
}
