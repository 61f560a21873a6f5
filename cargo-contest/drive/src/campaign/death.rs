//! Why a driver process died: a concurrency bug, or a call that kills it without any concurrency.
//!
//! The black box says which test ran and which decisions were made. The test is run again in a process of its own:
//! first every serial order (a death there is not a concurrency bug), then the schedule that was being run (a death
//! that does not recur is not reported as a bug).

mod alone;

use std::fmt;
use std::time::Duration;

use contest_data::finding::{Finding, FindingKind};
use contest_data::protocol::black_box::{BlackBoxContents, Phase};
use contest_data::protocol::{FailureAlone, Reply, Request};
use contest_data::settings::Avoid;
use contest_data::subject::FutureUse;
use contest_data::test::ConcurrentTest;
use contest_data::totals::Alone;

use super::campaign_error::CampaignError;
use super::test_text;
use crate::harness::{Death, Driver, DriverEvent, DriverExit, Watchdog};
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::SubjectEntry;

pub(super) use alone::in_several;

/// Time without output after which a probe counts as hung.
const SILENCE: Duration = Duration::from_secs(6);
/// Frames of the stack that a report shows.
const FRAMES: usize = 8;

/// What is known of a death.
#[derive(Clone, Debug)]
pub struct DeathContext {
    /// How it died, as text.
    what: String,
    /// It did not die by itself; it made no progress and was killed.
    pub(super) hung: bool,
    black_box: Option<Box<BlackBoxContents>>,
    /// The last line that it wrote to standard error, if it wrote one.
    last_words: Option<String>,
}

/// Functions that are shown of the stack of a death that does not come again, the engine's included: the cause may be
/// there.
const FRAMES_UNCLEAR: usize = 4;
/// A schedule is run so often before its death counts as one that does not come again.
const RUNS_AGAIN: u32 = 3;

impl DeathContext {
    /// A process that died by itself, with the contents of its black box, if there are any.
    pub(super) fn died(death: &Death, black_box: Option<Box<BlackBoxContents>>) -> Self {
        // The driver knows more than the exit status: a fault on the guard page is a stack overflow.
        let known = black_box.as_ref().and_then(|it| it.death.as_ref());
        Self {
            what: known.map_or_else(|| death.to_string(), |it| it.kind.name().to_string()),
            hung: false,
            black_box,
            last_words: None,
        }
    }

    /// With what it wrote to standard error at last.
    pub(super) fn saying(mut self, stderr: &str) -> Self {
        let mut lines = stderr.lines().rev().map(str::trim);
        self.last_words = lines.find(|line| !line.is_empty()).map(str::to_owned);
        self
    }

    /// All that is known of a death whose cause is not: where it was, what it said, and its schedule.
    pub(super) fn known(&self, token: Option<&str>) -> String {
        let mut known = String::new();
        let death = self.black_box.as_ref().and_then(|it| it.death.as_ref());
        let frames = death.map(|it| frames(&it.details)).unwrap_or_default();
        for (function, location) in frames.into_iter().take(FRAMES_UNCLEAR) {
            known.push_str(&format!("; in {function} at {location}"));
        }
        if let Some(words) = &self.last_words {
            known.push_str(&format!("; it said \"{words}\" at last"));
        }
        if let Some(token) = token {
            known.push_str(&format!("; the schedule was {token}"));
        }
        known
    }

    /// A process that made no progress and was killed.
    pub(super) fn hung(black_box: Option<Box<BlackBoxContents>>) -> Self {
        Self {
            what: "no progress".to_string(),
            hung: true,
            black_box,
            last_words: None,
        }
    }

    /// True if the tool itself took too long.
    fn hung_between_executions(&self) -> bool {
        let contents = self.black_box.as_ref();
        self.hung && contents.is_some_and(|it| !it.in_execution)
    }

    /// Number of the test that ran.
    #[must_use]
    pub fn test_number(&self) -> Option<u64> {
        let contents = self.black_box.as_ref()?;
        contents.test.as_ref().map(|_| contents.test_number)
    }

    /// Executions that the process started.
    pub(super) fn executions(&self) -> u64 {
        self.black_box
            .as_ref()
            .map_or(0, |contents| contents.executions)
    }

    /// What the visits of its campaign had cost, in steps.
    pub(super) fn work(&self) -> u64 {
        self.black_box.as_ref().map_or(0, |contents| contents.work)
    }

    /// Subject of the test that ran, if its interleavings were being explored.
    pub(super) fn explored_subject(&self) -> Option<u16> {
        let phase = self.black_box.as_ref()?.phase;
        matches!(phase, Phase::Exploring | Phase::Minimising)
            .then(|| self.test())
            .flatten()
            .map(|test| test.subject)
    }

    /// The test that ran.
    pub(super) fn test(&self) -> Option<ConcurrentTest> {
        let text = self.black_box.as_ref()?.test.as_ref()?;
        contest_wire::read_test(text).ok()
    }
}

impl fmt::Display for DeathContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.hung {
            f.write_str("the process under test made no progress and was ended")?;
        } else {
            write!(f, "the process under test ended: {}", self.what)?;
        }
        if let Some(panic) = self
            .black_box
            .as_ref()
            .and_then(|contents| contents.panic.as_ref())
        {
            write!(f, " (last panic: {panic})")?;
        }
        Ok(())
    }
}

/// The diagnosis of a death.
#[derive(Debug)]
pub(super) enum Diagnosis {
    /// It happens without concurrency; the calls to avoid from now on.
    Alone(Alone, Avoid),
    /// It needs an interleaving; the calls to avoid from now on.
    Finding(Box<Finding>, Avoid),
    /// The cause is unknown, or it is ours: what was lost and why, and what to avoid from now on.
    Unclear(Skipped, Option<Avoid>),
}

/// Diagnoses a death by running its test again.
pub(super) fn diagnose(
    driver: &Driver,
    context: &DeathContext,
) -> Result<Diagnosis, CampaignError> {
    let (Some(contents), Some(test)) = (context.black_box.as_ref(), context.test()) else {
        let why = format!("{context}, and nothing says which test it was");
        return Ok(Diagnosis::Unclear(Skipped::new("a test", why), None));
    };
    let Some(subject) = driver.catalog.subjects.get(usize::from(test.subject)) else {
        return Err(CampaignError::Bug(
            "the black box names a type that is not linked in".to_string(),
        ));
    };
    if context.hung_between_executions() {
        let searches = contents.phase == Phase::Generating;
        let doing = if searches {
            "search for tests"
        } else {
            "judging"
        };
        let known = context.known(None);
        let lost = Skipped::new(
            format!("after {}", test_text::one_line(subject, &test)),
            format!(
                "the {doing} took too long, which is a bug of cargo-contest; please report it{known}"
            ),
        );
        // The next process would search in the same way.
        let avoid = searches.then(|| Avoid {
            subject: test.subject,
            objects: Vec::new(),
            operations: Vec::new(),
            why: "the search for tests of this type took too long, as reported".to_owned(),
        });
        return Ok(Diagnosis::Unclear(lost, avoid));
    }
    let serial = matches!(contents.phase, Phase::Generating | Phase::Serial);
    if serial || probe(driver, &test, None)?.died {
        let what = match context.hung {
            true => FailureAlone::DoesNotEnd,
            false => FailureAlone::EndsProcess,
        };
        let dies = |test: &ConcurrentTest| Ok(probe(driver, test, None)?.died);
        let how = (what, context.to_string());
        let (alone, avoid) = alone::smallest(subject, &test, how, &dies)?;
        return Ok(Diagnosis::Alone(alone, avoid));
    }
    let mut again = probe(driver, &test, Some(contents.schedule.to_text()))?;
    for _ in 1..RUNS_AGAIN {
        if again.died {
            break;
        }
        again = probe(driver, &test, Some(contents.schedule.to_text()))?;
    }
    match again.token {
        Some(token) if again.died => {
            let avoid = Avoid {
                subject: test.subject,
                objects: Vec::new(),
                operations: test
                    .threads
                    .iter()
                    .flatten()
                    .map(|call| call.operation)
                    .collect(),
                why: "has calls that together end the process, as reported".to_string(),
            };
            let finding = finding(context, contents, subject, test, token);
            Ok(Diagnosis::Finding(Box::new(finding), avoid))
        }
        token => {
            let lost = Skipped::new(
                test_text::one_line(subject, &test),
                format!(
                    "{context}, but not when the same schedule ran again{}",
                    context.known(token.as_deref())
                ),
            );
            Ok(Diagnosis::Unclear(lost, None))
        }
    }
}

/// How a probe ended.
struct Probe {
    died: bool,
    /// Token of the schedule, if one was given.
    token: Option<String>,
}

/// The token that replays this schedule of the test.
pub(super) fn token(
    driver: &Driver,
    test: &ConcurrentTest,
    schedule: String,
) -> Result<Option<String>, CampaignError> {
    Ok(probe(driver, test, Some(schedule))?.token)
}

fn probe(
    driver: &Driver,
    test: &ConcurrentTest,
    schedule: Option<String>,
) -> Result<Probe, CampaignError> {
    let request = Request::Probe {
        test: test.clone(),
        schedule,
    };
    let mut process = driver.start(&request, Watchdog { silence: SILENCE })?;
    let mut answered = false;
    let mut token = None;
    loop {
        match process.next_event(SILENCE)? {
            DriverEvent::Quiet => {}
            DriverEvent::Reply(reply) => match *reply {
                Reply::Token(text) => token = Some(text),
                Reply::Probed { .. } => answered = true,
                Reply::Refused(why) => return Err(CampaignError::Refused(why)),
                _ => {}
            },
            DriverEvent::Ended(DriverExit::Garbled { line, .. }) => {
                return Err(CampaignError::garbled(&line));
            }
            // A bug of the tool says nothing of the code under test.
            DriverEvent::Ended(DriverExit::Panicked { .. }) => {
                return Ok(Probe { died: false, token });
            }
            DriverEvent::Ended(_) => {
                return Ok(Probe {
                    died: !answered,
                    token,
                });
            }
        }
    }
}

/// True if a call of the test has a waker that polls its future at once.
fn polls_in_wake(subject: &SubjectEntry, test: &ConcurrentTest) -> bool {
    test.threads.iter().flatten().any(|call| {
        let operation = subject.operations.get(usize::from(call.operation));
        operation.is_some_and(|it| it.future_use(&call.choices) == FutureUse::PollInWake)
    })
}

fn finding(
    context: &DeathContext,
    contents: &BlackBoxContents,
    subject: &SubjectEntry,
    test: ConcurrentTest,
    token: String,
) -> Finding {
    let kind = if context.hung {
        FindingKind::Livelock
    } else if contents.panic.is_some() && polls_in_wake(subject, &test) {
        // A panic inside such a poll goes through the code that wakes.
        FindingKind::ReentrantWaker
    } else {
        FindingKind::Abort
    };
    let message = if context.hung {
        "a thread loops for ever without any operation that others could see".to_string()
    } else {
        format!("the process ends: {}", context.what)
    };
    let mut details =
        vec!["no order of these calls one after another does that; it came again when the same schedule was run again".to_string()];
    if let Some(panic) = &contents.panic {
        details.push(format!("last panic: {panic}"));
    }
    let frames = contents
        .death
        .as_ref()
        .map(|death| user_frames(&death.details))
        .unwrap_or_default();
    for (function, location) in frames.iter().take(FRAMES) {
        details.push(format!("in {function} at {location}"));
    }
    let mut locations: Vec<String> = Vec::new();
    for (_, location) in frames {
        // Column 0: the entry of a function, which has no location of its own.
        if !locations.contains(&location) && !location.ends_with(":0") {
            locations.push(location);
        }
    }
    locations.truncate(2);
    if locations.is_empty() {
        locations.push(subject.declared.clone());
    }
    let mut operations: Vec<&str> = test
        .threads
        .iter()
        .flatten()
        .filter_map(|call| subject.operations.get(usize::from(call.operation)))
        .map(|operation| operation.name.as_str())
        .collect();
    operations.sort_unstable();
    operations.dedup();
    Finding {
        subject: subject.shown().into_owned(),
        details,
        prefix: test_text::prefix(subject, &test),
        threads: test_text::threads(subject, &test),
        fingerprint: format!(
            "{kind} {} {} {}",
            subject.path,
            locations.first().map_or("", String::as_str),
            operations.join(" ")
        ),
        locations,
        schedule: token,
        executions: contents.executions,
        test,
        ..Finding::new(kind, message)
    }
}

/// Frames of the black box that belong to neither the engine nor the driver, innermost first: function and location.
pub(super) fn user_frames(details: &str) -> Vec<(String, String)> {
    let foreign = |location: &str| {
        location.contains("contest-runtime")
            || location.contains("/contest/runtime-")
            || location.contains("/contest/driver/")
            || location.contains("/corosensei-")
    };
    let mut frames = frames(details);
    frames.retain(|(_, location)| !foreign(location));
    frames
}

/// All frames of the black box, innermost first.
fn frames(details: &str) -> Vec<(String, String)> {
    let lines = details.lines();
    lines
        .filter_map(|line| line.rsplit_once(" at "))
        .map(|(function, location)| (function.to_string(), location.to_string()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_the_subject_are_picked_from_those_of_the_black_box() {
        let backtrace = "limit: 1073741824 bytes in one execution
bank::circle at /home/me/bank/src/lib.rs:40:9
(and 3 more like this)
bank::Room::visit at /home/me/bank/src/lib.rs:30:13
main::call at /x/target/contest/driver/src/main.rs:9:5
";
        assert_eq!(
            user_frames(backtrace),
            [
                (
                    "bank::circle".to_string(),
                    "/home/me/bank/src/lib.rs:40:9".to_string()
                ),
                (
                    "bank::Room::visit".to_string(),
                    "/home/me/bank/src/lib.rs:30:13".to_string()
                ),
            ]
        );
    }

    #[test]
    fn a_death_that_does_not_come_again_is_shown_with_its_last_words_and_its_schedule() {
        let death = Death::Signal(6, "SIGABRT (abort)".to_string());
        let context = DeathContext::died(&death, None).saying("first\n  last words \n\n");
        assert_eq!(
            context.known(Some("abc")),
            "; it said \"last words\" at last; the schedule was abc"
        );
        assert_eq!(DeathContext::died(&death, None).known(None), "");
    }

    #[test]
    fn without_a_black_box_no_test_is_named() {
        let context = DeathContext::died(&Death::Signal(9, "SIGKILL".to_string()), None);
        assert_eq!(context.test_number(), None);
        assert!(context.to_string().contains("SIGKILL"));
    }
}
