//! What it means that a process died while it ran a test of the crate, and one test under one schedule.

use std::time::Duration;

use contest_data::finding::{Finding, FindingKind};
use contest_data::own_tests::{OwnResult, OwnTestSettings, OwnVerdict, PASSES_AS_IT_IS};
use contest_data::protocol::Request;
use contest_data::protocol::black_box::BlackBoxContents;
use contest_data::token::Token;

use super::as_it_is::{AsItIs, run_as_it_is};
use super::campaign_error::CampaignError;
use super::death::{DeathContext, user_frames};
use super::interrupt::Interrupt;
use super::replay::{ReplayEnd, answer_of};
use crate::harness::{OwnTests, TestExecutable, Watchdog};

/// Time without progress after which a test counts as looping without visible operations.
pub(super) const SILENCE: Duration = Duration::from_secs(6);
/// Of a test that dies under some schedules only.
const CAME_AGAIN: &str =
    "it does not under the schedule that stops no thread; it came again under the same schedule";

/// True if the process was busy with what to execute next, not with an execution.
pub(super) fn plans_too_long(context: &DeathContext, contents: &BlackBoxContents) -> bool {
    let death = contents.death.as_ref();
    context.hung && death.is_some_and(|it| !it.in_user_code)
}

/// The token that replays what the process ran last.
pub(super) fn token_of(
    settings: &OwnTestSettings,
    executable: &TestExecutable,
    name: &str,
    contents: &BlackBoxContents,
) -> String {
    let (kind, schedule) = (FindingKind::Abort, &contents.schedule);
    Token::of_own_test(&settings.package, kind, &executable.name, name, schedule).encode()
}

/// What the death in a test means: it is run again without a preemption, then under the schedule that it died in.
///
/// # Errors
/// If no process can be run.
pub(super) fn diagnose(
    tests: &OwnTests,
    executable: &TestExecutable,
    settings: &OwnTestSettings,
    name: &str,
    context: &DeathContext,
    contents: &BlackBoxContents,
    interrupt: &Interrupt,
) -> Result<(Option<Finding>, OwnResult), CampaignError> {
    let result = |verdict, why: String| OwnResult {
        executions: 1,
        ..OwnResult::without_execution(name, verdict, why)
    };
    if context.hung {
        // It may wait for a thread that cannot run meanwhile, or compute for long.
        let frames = contents.death.as_ref().map(|it| user_frames(&it.details));
        let frame = frames.into_iter().flatten().next();
        let place = frame.map_or_else(String::new, |(function, at)| {
            format!(", in {function} at {at}")
        });
        let why = if !plans_too_long(context, contents) {
            format!(
                "an execution does not come to its end, in code that the scheduler does not see{place}"
            )
        } else {
            // The place in the test says nothing of what the tool does.
            "the exploration itself takes too long".to_owned()
        };
        return Ok((None, result(OwnVerdict::NotRun, why)));
    }
    // A schedule that was not run to its end says nothing, so these few are not interrupted.
    let never = Interrupt::default();
    let dies = |schedule: Option<String>, token: &str| {
        match rerun_own_test(tests, executable, name, schedule, token, &never) {
            Ok(end) => Ok(matches!(end, ReplayEnd::Died(_))),
            // A bug of the tool says nothing of the test.
            Err(CampaignError::Panicked(_)) => Ok(false),
            Err(error) => Err(error),
        }
    };
    if dies(None, "")? {
        let context = context.to_string();
        return Ok(match run_as_it_is(tests, executable, name, interrupt)? {
            AsItIs::Passes => {
                let token = token_of(settings, executable, name, contents);
                let finding = finding(name, &context, PASSES_AS_IT_IS, contents, token);
                (Some(finding), result(OwnVerdict::FailsSometimes, context))
            }
            AsItIs::Fails => (None, result(OwnVerdict::Failed, context)),
            AsItIs::Unknown(why) => (
                None,
                result(OwnVerdict::Failed, format!("{context}; {why}")),
            ),
        });
    }
    let token = token_of(settings, executable, name, contents);
    let text = Some(contents.schedule.to_text());
    if !dies(text, &token)? {
        let known = context.known(Some(&token));
        let why = format!("{context}, but not when the same schedule ran again{known}");
        return Ok((None, result(OwnVerdict::NotRun, why)));
    }
    let context = context.to_string();
    let finding = finding(name, &context, CAME_AGAIN, contents, token);
    Ok((Some(finding), result(OwnVerdict::FailsSometimes, context)))
}

fn finding(
    name: &str,
    message: &str,
    how: &str,
    contents: &BlackBoxContents,
    token: String,
) -> Finding {
    let frames = contents.death.as_ref().map(|it| user_frames(&it.details));
    let frames = frames.unwrap_or_default();
    let mut details = vec![how.to_owned()];
    details.extend(contents.panic.iter().map(|it| format!("last panic: {it}")));
    details.extend((frames.iter().take(8)).map(|(function, at)| format!("in {function} at {at}")));
    let mut locations: Vec<String> = frames.into_iter().map(|(_, at)| at).collect();
    locations.retain(|at| !at.ends_with(":0"));
    locations.truncate(2);
    Finding {
        subject: name.to_owned(),
        own_test: Some(name.to_owned()),
        details,
        fingerprint: format!("abort {name} {}", locations.join(" ")),
        locations,
        schedule: token,
        executions: contents.executions,
        ..Finding::new(FindingKind::Abort, message)
    }
}

/// Runs one test under one schedule, or without one.
///
/// # Errors
/// If the process cannot be run, or has no such test.
pub fn rerun_own_test(
    tests: &OwnTests,
    executable: &TestExecutable,
    name: &str,
    schedule: Option<String>,
    token: &str,
    interrupt: &Interrupt,
) -> Result<ReplayEnd, CampaignError> {
    let request = Request::OwnTest {
        name: name.to_owned(),
        schedule,
        token: token.to_owned(),
    };
    let process = tests.start(executable, &request, Watchdog { silence: SILENCE })?;
    answer_of(process, interrupt)
}
