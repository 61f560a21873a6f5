//! The crate's own tests: one process after another, each continuing after the test its predecessor died in.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use contest_data::finding::Finding;
use contest_data::own_tests::{OwnResult, OwnTestSettings, OwnVerdict, Together};
use contest_data::protocol::black_box::BlackBoxContents;
use contest_data::protocol::{Reply, Request};
use tracing::info_span;

use super::as_it_is::{AsItIs, run_as_it_is};
use super::campaign_error::{CampaignError, check_version};
use super::death::DeathContext;
use super::death_in_test::{SILENCE, diagnose, plans_too_long, token_of};
use super::interrupt::Interrupt;
use super::own_panic::OwnPanic;
use crate::harness::{DriverEvent, DriverExit, OwnTests, TestExecutable, Watchdog};

/// Interval at which the interrupt is checked while the process is silent.
const LOOK: Duration = Duration::from_millis(100);
/// Deaths without a test that was done in between, after which the executable is given up.
const DEATHS_IN_A_ROW: u32 = 20;

/// What happens while tests are explored.
#[derive(Clone, Debug)]
pub enum OwnTestEvent {
    /// So many tests are to be run.
    Tests(usize),
    /// A finding, before the result of its test.
    Finding(Box<Finding>),
    /// A test is done.
    Done(OwnResult),
    /// So many pairs of tests meet and were run together, and so many were not.
    Pairs {
        /// Those that were.
        run: u64,
        /// Those of them that fail.
        failed: u64,
        /// Those that were not, for want of time.
        left: u64,
    },
    /// For the user.
    Note(String),
}

/// How a process ended.
enum End {
    Done,
    Interrupted,
    Died {
        context: DeathContext,
        black_box: Option<Box<BlackBoxContents>>,
    },
    /// In code of its own.
    Panicked(OwnPanic),
}

/// Explores the tests of one executable in `lanes` processes side by side, each with its part of them.
///
/// # Errors
/// If no process can run, or libtest does not understand the arguments. A process that dies is not an error.
pub fn explore_own_tests(
    tests: &OwnTests,
    executable: &TestExecutable,
    settings: &OwnTestSettings,
    lanes: u16,
    interrupt: &Interrupt,
    on_event: &mut dyn FnMut(OwnTestEvent),
) -> Result<(), CampaignError> {
    let begun = Instant::now();
    let (mut together, mut passed) = (Together::default(), 0);
    // A lane that cannot go on stops the others; the user's own interrupt is left alone.
    let stop = interrupt.child();
    thread::scope(|scope| {
        let (sender, events) = mpsc::channel();
        let running: Vec<_> = (0..lanes.max(1))
            .map(|lane| {
                let settings = OwnTestSettings {
                    shard: (lane.into(), lanes.max(1).into()),
                    ..settings.clone()
                };
                let (sender, stop) = (sender.clone(), &stop);
                scope.spawn(move || {
                    let _span = info_span!("explore", lane).entered();
                    // The receiver outlives this scope's threads.
                    let end = explore_lane(tests, executable, settings, stop, &mut |event| {
                        let _ = sender.send(event);
                    });
                    if end.is_err() {
                        stop.set();
                    }
                    end
                })
            })
            .collect();
        drop(sender);
        let (mut number_known, mut notes) = (false, Vec::new());
        for event in events {
            // Each lane knows how many tests there are, and notes the same about the machine.
            match &event {
                OwnTestEvent::Finding(finding) => {
                    together.known.extend(finding.locations.iter().cloned());
                }
                OwnTestEvent::Done(result) => match result.verdict {
                    OwnVerdict::Ok | OwnVerdict::FailsSometimes => passed += 1,
                    verdict => {
                        if verdict == OwnVerdict::Failed {
                            together.failing.push(result.name.clone());
                        }
                        together.left_out.push(result.name.clone());
                    }
                },
                OwnTestEvent::Tests(_) if std::mem::replace(&mut number_known, true) => continue,
                OwnTestEvent::Note(note) if notes.contains(note) => continue,
                OwnTestEvent::Note(note) => notes.push(note.clone()),
                _ => {}
            }
            on_event(event);
        }
        let ends = running.into_iter().map(|lane| match lane.join() {
            Ok(end) => end,
            Err(_) => Err(CampaignError::Bug("a lane panicked".to_owned())),
        });
        ends.collect::<Result<(), CampaignError>>()
    })?;
    let some = passed > 1 || passed > 0 && !together.failing.is_empty();
    if interrupt.is_set() || settings.isolated || !some {
        return Ok(());
    }
    let spent = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let settings = OwnTestSettings {
        together: Some(together),
        budget_ms: settings.budget_ms.saturating_sub(spent),
        ..settings.clone()
    };
    explore_together(tests, executable, &settings, interrupt, on_event)
}

/// Explores tests that meet, together: in one process, because others would meet them in what is outside.
fn explore_together(
    tests: &OwnTests,
    executable: &TestExecutable,
    settings: &OwnTestSettings,
    interrupt: &Interrupt,
    on_event: &mut dyn FnMut(OwnTestEvent),
) -> Result<(), CampaignError> {
    let mut names = Vec::new();
    let end = watch(
        tests,
        executable,
        settings,
        &mut names,
        interrupt,
        &mut |event| match event {
            OwnTestEvent::Tests(_) | OwnTestEvent::Note(_) => {}
            other => on_event(other),
        },
    )?;
    let ended = match end {
        End::Done | End::Interrupted => None,
        End::Died { context, black_box } => {
            Some((context.to_string(), black_box.and_then(|it| it.test)))
        }
        End::Panicked(own) => Some((own.to_string(), own.black_box().test.clone())),
    };
    if let Some((context, test)) = ended {
        let test = test.map_or_else(String::new, |name| format!(" in `{name}`"));
        on_event(OwnTestEvent::Note(format!(
            "{}: not all tests that share something were run together: the process ended{test}: {context}; \
             `--isolated` runs no two tests together",
            executable.name
        )));
    }
    Ok(())
}

/// Explores the tests that the settings want. One that fails in every execution is run once as it is; if it passes, it
/// is explored once more as one that fails sometimes.
fn explore_lane(
    tests: &OwnTests,
    executable: &TestExecutable,
    settings: OwnTestSettings,
    interrupt: &Interrupt,
    on_event: &mut dyn FnMut(OwnTestEvent),
) -> Result<(), CampaignError> {
    let begun = Instant::now();
    let (mut failed, mut number) = (Vec::new(), 0);
    let mut keep_failed = |event| match event {
        OwnTestEvent::Tests(tests) => {
            number = tests;
            on_event(event);
        }
        OwnTestEvent::Done(result) if result.verdict == OwnVerdict::Failed => failed.push(result),
        other => on_event(other),
    };
    let end = explore_part(
        tests,
        executable,
        settings.clone(),
        interrupt,
        &mut keep_failed,
    );
    for mut result in failed {
        let known = match end {
            Ok(()) => run_as_it_is(tests, executable, &result.name, interrupt)?,
            Err(_) => AsItIs::Fails,
        };
        let spent = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let exactly = ["--exact", "--include-ignored", &result.name];
        let again = OwnTestSettings {
            arguments: exactly.map(str::to_owned).into(),
            shard: (0, 1),
            budget_ms: settings.budget_ms.saturating_sub(spent),
            passes_as_it_is: true,
            one_has_all: settings.one_has_all && number == 1,
            ..settings.clone()
        };
        let mut done = false;
        match known {
            AsItIs::Passes => explore_part(tests, executable, again, interrupt, &mut |event| {
                done |= matches!(event, OwnTestEvent::Done(_));
                if !matches!(event, OwnTestEvent::Tests(_) | OwnTestEvent::Note(_)) {
                    on_event(event);
                }
            })?,
            AsItIs::Fails => {}
            AsItIs::Unknown(why) => result.why.push_str(&format!("; {why}")),
        }
        if !done {
            on_event(OwnTestEvent::Done(result));
        }
    }
    end
}

/// Explores the tests that the settings want: one process after another.
fn explore_part(
    tests: &OwnTests,
    executable: &TestExecutable,
    mut settings: OwnTestSettings,
    interrupt: &Interrupt,
    on_event: &mut dyn FnMut(OwnTestEvent),
) -> Result<(), CampaignError> {
    let mut deaths_in_a_row = 0;
    let mut names = Vec::new();
    loop {
        let begun = Instant::now();
        let before = settings.first;
        let end = watch(
            tests, executable, &settings, &mut names, interrupt, on_event,
        )?;
        let (context, black_box, own) = match end {
            End::Done | End::Interrupted => return Ok(()),
            End::Died { context, black_box } => (context, black_box, None),
            End::Panicked(own) => (
                own.context.clone(),
                Some(Box::new(own.black_box().clone())),
                Some(own),
            ),
        };
        let died_in = black_box.as_ref().filter(|it| it.test.is_some());
        let Some(number) = died_in.map(|it| it.test_number) else {
            if let Some(own) = own {
                return Err(CampaignError::Panicked(own.to_string()));
            }
            return Err(CampaignError::Bug(format!(
                "the process of the tests died before its first test: {context}"
            )));
        };
        let Some(name) = names.get(number as usize) else {
            return Err(CampaignError::Bug(format!(
                "the process died in test {number} of {}: {context}",
                names.len()
            )));
        };
        let contents = black_box.unwrap_or_default();
        if let Some(own) = own {
            let token = token_of(&settings, executable, name, &contents);
            let again = format!("; cargo contest replay {token}");
            let lost = own.lost_as(name.clone(), again).lost;
            on_event(OwnTestEvent::Note(format!("`{name}`: {}", lost.why)));
            on_event(OwnTestEvent::Done(not_run(name, &own.to_string())));
            settings.first = number + 1;
        } else if plans_too_long(&context, &contents) && !settings.sampled.contains(&number) {
            settings.sampled.push(number);
            settings.first = number;
        } else {
            let (finding, result) = diagnose(
                tests, executable, &settings, name, &context, &contents, interrupt,
            )?;
            if let Some(finding) = finding {
                on_event(OwnTestEvent::Finding(Box::new(finding)));
            }
            on_event(OwnTestEvent::Done(result));
            settings.first = number + 1;
        }
        let spent = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        settings.budget_ms = settings.budget_ms.saturating_sub(spent);
        settings.overtime_ms = settings.overtime_ms.saturating_sub(spent);
        deaths_in_a_row = if number > before {
            1
        } else {
            deaths_in_a_row + 1
        };
        if deaths_in_a_row >= DEATHS_IN_A_ROW {
            let why = format!("{DEATHS_IN_A_ROW} tests in a row ended the process");
            for (number, name) in (0..).zip(&names) {
                if settings.takes(number) {
                    on_event(OwnTestEvent::Done(not_run(name, &why)));
                }
            }
            return Ok(());
        }
        if settings.first as usize >= names.len() {
            return Ok(());
        }
    }
}

fn not_run(name: &str, why: &str) -> OwnResult {
    OwnResult::without_execution(name, OwnVerdict::NotRun, why)
}

/// Runs one process to its end.
fn watch(
    tests: &OwnTests,
    executable: &TestExecutable,
    settings: &OwnTestSettings,
    names: &mut Vec<String>,
    interrupt: &Interrupt,
    on_event: &mut dyn FnMut(OwnTestEvent),
) -> Result<End, CampaignError> {
    let watchdog = Watchdog { silence: SILENCE };
    let mut process = tests.start(executable, &Request::OwnTests(settings.clone()), watchdog)?;
    loop {
        if interrupt.is_set() {
            process.stop()?;
            return Ok(End::Interrupted);
        }
        let exit = match process.next_event(LOOK)? {
            DriverEvent::Quiet => continue,
            DriverEvent::Ended(exit) => exit,
            DriverEvent::Reply(reply) => {
                match *reply {
                    Reply::Hello { version, notes, .. } => {
                        check_version(version)?;
                        for note in notes.into_iter().filter(|_| names.is_empty()) {
                            on_event(OwnTestEvent::Note(note));
                        }
                    }
                    Reply::OwnTests(listed) => {
                        if names.is_empty() {
                            on_event(OwnTestEvent::Tests(listed.len()));
                        }
                        *names = listed;
                    }
                    Reply::Finding(finding) => on_event(OwnTestEvent::Finding(finding)),
                    Reply::OwnTest(result) => on_event(OwnTestEvent::Done(result)),
                    Reply::OwnTestsDone {
                        pairs,
                        pairs_failed,
                        pairs_left,
                    } => on_event(OwnTestEvent::Pairs {
                        run: pairs,
                        failed: pairs_failed,
                        left: pairs_left,
                    }),
                    Reply::Refused(why) => return Err(CampaignError::Refused(why)),
                    _ => {
                        return Err(CampaignError::Bug(
                            "the tests answered another request".to_owned(),
                        ));
                    }
                }
                continue;
            }
        };
        return Ok(match exit {
            DriverExit::Done => End::Done,
            DriverExit::Stopped => End::Interrupted,
            DriverExit::Died {
                death,
                black_box,
                stderr,
            } => End::Died {
                context: DeathContext::died(&death, black_box.clone()).saying(&stderr),
                black_box,
            },
            DriverExit::Panicked {
                panic, black_box, ..
            } => End::Panicked(OwnPanic::new(panic, black_box)),
            DriverExit::Hung { black_box, .. } => End::Died {
                context: DeathContext::hung(black_box.clone()),
                black_box,
            },
            DriverExit::Garbled { line, .. } => return Err(CampaignError::garbled(&line)),
        });
    }
}
