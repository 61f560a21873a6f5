//! Runs one test or one schedule again.

use super::described::{Described, finding};
use super::observers::Observers;
use super::one_execution::replay as replay_once;
use super::prepared_test::{Preparation, PreparedTest, prepare};
use super::shown::Shown;
use super::test_runner::TestRunner;
use crate::generate::DependencyTable;
use crate::judge::{Verdict, interleaving};
#[cfg(feature = "driver")]
use contest_data::decision::Strategy;
use contest_data::finding::{Finding, FindingKind, InterleavingStep, Level};
use contest_data::limits::Limits;
use contest_data::settings::Package;
use contest_data::subject::Subject;
use contest_data::test::ConcurrentTest;
use contest_data::token::{Token, TokenError};
use contest_data::trace::{Ending, Schedule};
#[cfg(feature = "driver")]
use contest_engine::execution::Debugged;
use contest_engine::memory::Isolation;
#[cfg(feature = "driver")]
use contest_search::explore::Replay;

/// What a schedule showed when it was run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rerun {
    /// The bug, if it showed again.
    pub finding: Option<Finding>,
    /// How the execution ended, in words.
    pub ending: String,
    /// The interleaving.
    pub interleaving: Vec<InterleavingStep>,
    /// The first step at which the code no longer does what was recorded.
    pub diverged: Option<String>,
}

/// Runs the schedule of a token again.
///
/// # Errors
/// If the token is damaged or about something else.
pub fn replay(
    package: Package,
    subjects: &'static [Subject],
    token: &str,
    limits: Limits,
    isolation: &mut dyn Isolation,
) -> Result<Rerun, TokenError> {
    let token = Token::decode(token)?;
    let test = token.test(package, subjects)?;
    let mut runner = TestRunner::new(limits, isolation);
    runner.note_allocations(true);
    let (Preparation::Ready(mut prepared) | Preparation::LeftOut(_, mut prepared)) =
        prepare(&mut runner, test, false).0;
    runner.note_callers(true);
    runner.name_objects(true);
    let (record, history, verdict, diverged) =
        replay_once(&mut runner, &prepared, token.schedule, token.kind, &|_| {
            true
        });
    let interleaving = interleaving(&prepared.judge(), &record, &history);
    let (verdict, record, history) = match verdict {
        Verdict::Suspect(suspicion) => {
            let shown = Shown {
                suspicion: *suspicion,
                record,
                history,
            };
            let verdict = match prepared.try_suspicion(&mut runner, &shown) {
                Ok(suspicion) => Verdict::Suspect(Box::new(suspicion)),
                Err(reason) => Verdict::Excused(reason),
            };
            (verdict, shown.record, shown.history)
        }
        verdict => (verdict, record, history),
    };
    let (finding, ending) = match verdict {
        Verdict::Suspect(suspicion) => {
            let described = Described {
                prepared: &prepared,
                suspicion: &suspicion,
                record: &record,
                history: &history,
            };
            let mut finding = finding(&described, package);
            finding.executions = 1;
            finding.level = Level::by_default(suspicion.kind);
            (Some(finding), suspicion.message.clone())
        }
        Verdict::Pass => (None, ending_text(&record.ending)),
        Verdict::Excused(reason) | Verdict::Unjudged(reason) => {
            (None, format!("{} ({reason})", ending_text(&record.ending)))
        }
    };
    Ok(Rerun {
        finding,
        ending,
        interleaving,
        diverged,
    })
}

/// Runs one test, with a schedule or in every serial order, and says how it ended: `finished` if nothing was wrong. The
/// process may not live to the end; `token` hears the token of the schedule before it runs.
pub fn probe(
    package: Package,
    subjects: &'static [Subject],
    test: &ConcurrentTest,
    schedule: Option<Schedule>,
    limits: Limits,
    isolation: &mut dyn Isolation,
    token: &mut dyn FnMut(String),
) -> String {
    let Some(subject) = subjects.get(usize::from(test.subject)) else {
        return format!("there is no subject with number {}", test.subject);
    };
    let mut runner = TestRunner::new(limits, isolation);
    let observers = Observers::new(subject, DependencyTable::default());
    let test = observers.runnable(test.clone());
    let (preparation, _) = match schedule {
        // The schedule alone: what dies may die in a serial order too.
        Some(schedule) => {
            token(Token::new(package, FindingKind::Abort, &test, &schedule).encode());
            let prepared = PreparedTest::unprepared(test);
            let (record, ..) = replay_once(
                &mut runner,
                &prepared,
                schedule,
                FindingKind::Abort,
                &|_| true,
            );
            return ending_text(&record.ending);
        }
        None => prepare(&mut runner, test, false),
    };
    match preparation {
        Preparation::Ready(_) => "finished".to_owned(),
        Preparation::LeftOut(reason, _) => reason,
    }
}

/// Runs the schedule of a token for a debugger, and nothing before it; says how it ended.
///
/// # Errors
/// If the token is damaged or about something else.
#[cfg(feature = "driver")]
pub fn debug(
    package: Package,
    subjects: &'static [Subject],
    token: &str,
    limits: Limits,
    isolation: &mut dyn Isolation,
) -> Result<String, TokenError> {
    let token = Token::decode(token)?;
    let test = token.test(package, subjects)?;
    let mut runner = TestRunner::new(limits, isolation);
    runner.show_to_debugger();
    let visible = token.schedule.visible.clone();
    let mut strategy = Replay::new(token.schedule);
    strategy.begin();
    let record = runner.run(&test, &mut Debugged(&mut strategy), &visible);
    let ending = ending_text(&record.ending);
    strategy.end(record);
    Ok(with_divergence(ending, &strategy))
}

/// Where a debugged execution is not the recorded one, too.
#[cfg(feature = "driver")]
pub(in crate::campaign) fn with_divergence(ending: String, strategy: &Replay) -> String {
    match strategy.divergence() {
        None => ending,
        Some(at) => format!(
            "{ending}; it is not the recorded execution from decision {} on: {}",
            at.decision + 1,
            at.what
        ),
    }
}

fn ending_text(ending: &Ending) -> String {
    match ending {
        Ending::Finished => "finished".to_owned(),
        Ending::Deadlock(blocked) => format!("{} threads wait for ever", blocked.len()),
        Ending::Livelock(spinning) => format!("{} threads go round loops for ever", spinning.len()),
        Ending::Panicked(panic) => format!("panicked: {} at {}", panic.message, panic.location),
        Ending::Exit(call) => format!("ended the process: {call}"),
        Ending::StepLimit(limit) => format!("more than {limit} visible operations"),
        Ending::MemoryLimit(limit) => format!("more than {limit} bytes of memory"),
        Ending::Abandoned => "abandoned".to_owned(),
        Ending::Unsupported(text) => format!("not supported: {text}"),
    }
}
