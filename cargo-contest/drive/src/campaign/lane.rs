//! One lane of a campaign: driver processes one after another, each continuing after the test its predecessor died in.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use contest_data::finding::{Finding, KnownBug, Level};
use contest_data::protocol::{Notice, Reply, Request};
use contest_data::settings::{Avoid, Settings};
use contest_data::totals::{NOT_FINISHED, SubjectTotals, Totals};

use super::campaign_error::{CampaignError, check_version};
use super::campaign_event::{CampaignEvent, LaneEvent};
use super::death::{self, DeathContext, Diagnosis};
use super::interrupt::Interrupt;
use super::own_panic::{LostTest, OwnPanic};
use super::{test_text, totals};
use crate::harness::{Driver, DriverEvent, DriverExit, Watchdog};
use contest_catalog::skipped::Skipped;

/// Interval at which the interrupt and what other lanes found are checked while the driver is silent.
const LOOK: Duration = Duration::from_millis(50);
/// Time without progress after which code under test counts as looping without visible operations. The driver's own
/// limit for one execution is shorter; this one is for what the driver cannot stop.
const SILENCE: Duration = Duration::from_secs(6);
/// Time for a process to report what it has done when its campaign is to end.
const FAREWELL: Duration = Duration::from_millis(500);
/// Deaths in one lane without a completed test in between, after which the lane gives up on the subject.
const DEATHS_IN_A_ROW: u32 = 20;

/// Reason for which a test is counted as cut.
const PROCESS_ENDED: &str = "the process under test ended";
/// The same where the driver itself panicked.
const DRIVER_PANICKED: &str = "a bug of cargo-contest ended its process";

/// What a lane did.
#[derive(Debug, Default)]
pub(super) struct LaneEnd {
    pub(super) totals: Totals,
    pub(super) deaths: u32,
    pub(super) skipped: Vec<Skipped>,
    /// Calls that ended a process without any concurrency.
    died_alone: Vec<Avoid>,
}

/// What one process did.
struct Process {
    /// Its last reported totals.
    totals: Totals,
    end: ProcessEnd,
}

enum ProcessEnd {
    Done,
    Interrupted,
    Died(DeathContext),
    /// In code of its own.
    Panicked(OwnPanic),
}

/// Bugs that processes report.
pub(super) struct Bugs<'a> {
    /// Of all lanes, for the next process.
    pub(super) known: Vec<KnownBug>,
    /// Of the other lanes, as they report them.
    pub(super) elsewhere: Receiver<KnownBug>,
    /// Called with each of this lane.
    pub(super) report: &'a mut dyn FnMut(Box<Finding>, KnownBug),
}

/// Runs processes until the request is served, the budget is used up or the interrupt is set.
pub(super) fn run(
    driver: &Driver,
    mut settings: Settings,
    mut bugs: Bugs<'_>,
    interrupt: &Interrupt,
    on_event: &mut dyn FnMut(CampaignEvent),
) -> Result<LaneEnd, CampaignError> {
    let mut sum = Totals {
        elapsed_ms: 0,
        subjects: untouched(driver, &settings),
    };
    let mut end = LaneEnd::default();
    let whole = settings.budget;
    let mut budget = whole;
    let mut deaths_in_a_row = 0;
    loop {
        let begun = Instant::now();
        settings.budget = budget;
        let process = watch(driver, &mut settings, &mut bugs, &sum, interrupt, on_event)?;
        totals::add(&mut sum.subjects, &process.totals);
        let (context, own) = match &process.end {
            ProcessEnd::Done | ProcessEnd::Interrupted => break,
            ProcessEnd::Died(context) => (context, None),
            ProcessEnd::Panicked(own) => (&own.context, Some(own)),
        };
        let why = if own.is_some() {
            DRIVER_PANICKED
        } else {
            PROCESS_ENDED
        };
        for subject in &mut sum.subjects {
            lose_paused(subject, why);
        }
        let lost = Lost {
            driver,
            context,
            why,
        };
        lost.count(&process, &settings, &mut sum.subjects);
        end.deaths += 1;
        on_event(CampaignEvent::Died(context.to_string()));
        // Time spent waiting for a hung process is not exploration time.
        let waited = if context.hung {
            SILENCE
        } else {
            Duration::ZERO
        };
        budget = budget.saturating_sub(begun.elapsed().saturating_sub(waited));
        settings.steps = settings.steps.map(|it| it.saturating_sub(context.work()));
        sum.elapsed_ms = whole.saturating_sub(budget).as_millis() as u64;
        let tests: u64 = process.totals.subjects.iter().map(|it| it.tests).sum();
        if let Some(own) = own {
            if own.test_number().is_none() && sum.subjects.iter().all(|it| it.tests == 0) {
                return Err(CampaignError::Panicked(own.to_string()));
            }
            on_event(CampaignEvent::Lost(own.lost(driver, settings.seed)?));
            // Else the next process runs it again in search of the same test.
            if let Some(avoid) = own.sequence_to_avoid() {
                on_event(CampaignEvent::Lane(LaneEvent::Avoids(avoid.clone())));
                settings.avoid.push(avoid);
            }
            if own.test_number().is_none() {
                break;
            }
        } else {
            learn(
                death::diagnose(driver, context)?,
                context,
                driver,
                &mut settings,
                &mut end,
                sum.elapsed_ms,
                on_event,
            );
        }
        let Some(number) = context.test_number() else {
            return Err(CampaignError::Bug(format!(
                "the driver process died before its first test: {context}"
            )));
        };
        settings.first_test = number + 1;
        go_on_without(&mut settings, number, sum.subjects.len() as u64);
        deaths_in_a_row = if tests > 0 { 1 } else { deaths_in_a_row + 1 };
        if deaths_in_a_row >= DEATHS_IN_A_ROW {
            end.skipped.push(Skipped::new(
                "all further tests",
                format!("{DEATHS_IN_A_ROW} tests in a row ended the process under test"),
            ));
            break;
        }
        if budget.is_zero() || settings.steps == Some(0) || interrupt.is_set() {
            break;
        }
    }
    end.totals = sum;
    Ok(end)
}

/// What a death teaches: calls to avoid, and what is reported.
fn learn(
    diagnosis: Diagnosis,
    context: &DeathContext,
    driver: &Driver,
    settings: &mut Settings,
    end: &mut LaneEnd,
    elapsed_ms: u64,
    on_event: &mut dyn FnMut(CampaignEvent),
) {
    match diagnosis {
        Diagnosis::Alone(alone, avoid) => {
            let in_several = death::in_several(&end.died_alone, &avoid);
            for avoid in std::iter::once(avoid).chain(in_several) {
                on_event(CampaignEvent::Lane(LaneEvent::Avoids(avoid.clone())));
                end.died_alone.push(avoid.clone());
                settings.avoid.push(avoid);
            }
            on_event(CampaignEvent::Alone(alone));
        }
        Diagnosis::Finding(mut finding, mut avoid) => {
            finding.elapsed_ms = elapsed_ms;
            let mut unseen = settings.unseen_order.iter();
            let doubtful = context.hung && unseen.any(|it| it.concerns(&finding.test));
            if doubtful {
                avoid.why = "has calls that together do not terminate".to_owned();
            }
            on_event(CampaignEvent::Lane(LaneEvent::Avoids(avoid.clone())));
            settings.avoid.push(avoid);
            settings.known.push(finding.fingerprint.clone());
            let subject = usize::from(finding.test.subject);
            let calls = driver.catalog.subjects.get(subject);
            let calls = calls.map(|subject| test_text::one_line(subject, &finding.test));
            let calls = calls.unwrap_or_else(|| finding.subject.clone());
            let mut allowed = settings.allow.iter();
            let allowed = allowed.find(|it| it.covers(finding.kind, &finding.locations));
            if doubtful {
                end.skipped.push(Skipped::new(
                        calls,
                        "it does not terminate in calls that run assembly or foreign functions, which may wait for a thread that \
                         cannot run meanwhile: not reported",
                    ));
            } else if let Some(allowed) = allowed {
                let why = format!("it ends the process: allowed: {allowed}");
                end.skipped.push(Skipped::new(calls, why));
            } else {
                let mut warn = settings.warn.iter();
                if warn.any(|it| it.covers(finding.kind, &finding.locations)) {
                    finding.level = Level::Warning;
                }
                on_event(CampaignEvent::Finding(finding));
            }
        }
        Diagnosis::Unclear(skipped, avoid) => {
            end.skipped.push(skipped);
            if let Some(avoid) = avoid {
                on_event(CampaignEvent::Lane(LaneEvent::Avoids(avoid.clone())));
                settings.avoid.push(avoid);
            }
        }
    }
}

/// The requested types with all counts zero, so that the totals include types whose tests were all lost with their
/// process.
fn untouched(driver: &Driver, settings: &Settings) -> Vec<SubjectTotals> {
    (0_u16..)
        .zip(&driver.catalog.subjects)
        .filter(|(number, _)| settings.subjects.is_empty() || settings.subjects.contains(number))
        .map(|(_, subject)| {
            let called = (0..).zip(subject.called());
            let shared = called.filter(|(_, operation)| operation.taken.is_shared());
            let shared: Vec<(String, u64)> = shared
                .map(|(number, it)| (it.name.clone(), number))
                .collect();
            SubjectTotals {
                name: subject.shown().into_owned(),
                operations: shared.len() as u64,
                never_concurrent: shared,
                ..SubjectTotals::default()
            }
        })
        .collect()
}

/// Tests that earlier runs have paused go to the next process, but for the test that this one died of. A process that
/// has begun to report which tests are paused has taken them up: they are lost with it.
fn go_on_without(settings: &mut Settings, died: u64, subjects: u64) {
    let (turn, place) = (died % subjects.max(1), died / subjects.max(1));
    for of in &mut settings.go_on {
        if u64::from(of.turn) == turn {
            of.tests.retain(|test| test.place != place);
        }
    }
}

/// Tests whose exploration was paused in a process that died are not gone on with.
fn lose_paused(subject: &mut SubjectTotals, why: &str) {
    let of_rungs = subject.ladder.iter_mut().map(|rung| &mut rung.cut);
    for cut in of_rungs.chain([&mut subject.cut]) {
        if let Some(at) = cut.iter().position(|(why, _)| why == NOT_FINISHED) {
            let (_, count) = cut.swap_remove(at);
            add_cut(cut, why, count);
        }
    }
}

fn add_cut(cut: &mut Vec<(String, u64)>, why: &str, more: u64) {
    match cut.iter_mut().find(|(known, _)| known == why) {
        Some((_, count)) => *count += more,
        None => cut.push((why.to_owned(), more)),
    }
}

/// What is lost with a process.
struct Lost<'a> {
    driver: &'a Driver,
    context: &'a DeathContext,
    /// Why its tests count as cut.
    why: &'a str,
}

impl Lost<'_> {
    /// Counts what the process had not reported: executions, tests since its last report, and the test it died in,
    /// unless that one had a visit before and is among those that were paused.
    fn count(&self, process: &Process, settings: &Settings, sum: &mut [SubjectTotals]) {
        let Some(entry) = (self.context.explored_subject())
            .and_then(|number| self.driver.catalog.subjects.get(usize::from(number)))
        else {
            return;
        };
        let Some(place) = sum.iter().position(|subject| subject.name == entry.shown()) else {
            return;
        };
        let subjects = sum.len() as u64;
        let subject = &mut sum[place];
        let reported: u64 = (process.totals.subjects.iter())
            .map(|subject| subject.executions)
            .sum();
        subject.executions += self.context.executions().saturating_sub(reported);
        let visited = settings.begun.get(place).copied().unwrap_or(0);
        let last = (self.context.test_number()).map_or(visited, |number| number / subjects);
        if let Some(unreported) = last.checked_sub(visited) {
            let parts = settings.shard.map_or(1, |(_, parts)| u64::from(parts));
            let tests = unreported / parts.max(1) + 1;
            subject.tests += tests;
            add_cut(&mut subject.cut, self.why, tests);
        }
    }
}

/// Runs one process to its end. Findings go into `settings.known`. `before` is what the lane's earlier processes did.
fn watch(
    driver: &Driver,
    settings: &mut Settings,
    bugs: &mut Bugs<'_>,
    before: &Totals,
    interrupt: &Interrupt,
    on_event: &mut dyn FnMut(CampaignEvent),
) -> Result<Process, CampaignError> {
    let watchdog = Watchdog { silence: SILENCE };
    let mut process = driver.start(&Request::Campaign(settings.clone()), watchdog)?;
    on_event(CampaignEvent::Lane(LaneEvent::Started(
        process.black_box().to_owned(),
    )));
    for bug in &bugs.known {
        process.send(&Notice::Found(bug.clone()));
    }
    let mut totals = Totals::default();
    let mut stopped: Option<Instant> = None;
    loop {
        for bug in bugs.elsewhere.try_iter() {
            process.send(&Notice::Found(bug.clone()));
            settings.known.push(bug.fingerprint.clone());
            bugs.known.push(bug);
        }
        if interrupt.is_set() && stopped.is_none() {
            process.send(&Notice::Stop);
            stopped = Some(Instant::now());
        }
        if stopped.is_some_and(|since| since.elapsed() >= FAREWELL) {
            process.stop()?;
        }
        let exit = match process.next_event(LOOK)? {
            DriverEvent::Quiet => continue,
            DriverEvent::Ended(exit) => exit,
            DriverEvent::Reply(reply) => {
                match *reply {
                    Reply::Hello { version, notes, .. } => {
                        check_version(version)?;
                        for note in notes {
                            on_event(CampaignEvent::Note(note));
                        }
                    }
                    Reply::Progress(mut progress) => {
                        totals.clone_from(&progress.totals);
                        if progress.paused.is_some() {
                            settings.go_on.clear();
                        }
                        settings.begun.clone_from(&progress.begun);
                        let mut sum = before.subjects.clone();
                        totals::add(&mut sum, &progress.totals);
                        progress.totals.subjects = sum;
                        progress.totals.elapsed_ms += before.elapsed_ms;
                        on_event(CampaignEvent::Progress(progress));
                    }
                    Reply::CampaignFinding { mut finding, bug } => {
                        finding.elapsed_ms += before.elapsed_ms;
                        settings.known.push(bug.fingerprint.clone());
                        bugs.known.push(bug.clone());
                        (bugs.report)(finding, bug);
                    }
                    Reply::Alone(alone) => on_event(CampaignEvent::Alone(alone)),
                    Reply::GeneratorPanicked {
                        subject,
                        number,
                        panic,
                    } => {
                        on_event(CampaignEvent::Lost(LostTest::of_generator(
                            &subject,
                            number,
                            panic,
                            settings.seed,
                        )));
                    }
                    Reply::Done(done) => totals = done,
                    Reply::Refused(why) => return Err(CampaignError::Refused(why)),
                    Reply::Finding(_)
                    | Reply::Replayed(_)
                    | Reply::Probed { .. }
                    | Reply::Token(_)
                    | Reply::OwnTests(_)
                    | Reply::OwnTest(_)
                    | Reply::OwnTestsDone { .. }
                    | Reply::Scenario(_) => {
                        return Err(CampaignError::Bug(
                            "the driver answered another request".to_string(),
                        ));
                    }
                }
                continue;
            }
        };
        let end = match exit {
            DriverExit::Done => ProcessEnd::Done,
            DriverExit::Died { .. } | DriverExit::Panicked { .. } | DriverExit::Hung { .. }
                if stopped.is_some() =>
            {
                ProcessEnd::Interrupted
            }
            DriverExit::Stopped => ProcessEnd::Interrupted,
            DriverExit::Died {
                death,
                black_box,
                stderr,
            } => ProcessEnd::Died(DeathContext::died(&death, black_box).saying(&stderr)),
            DriverExit::Panicked {
                panic, black_box, ..
            } => ProcessEnd::Panicked(OwnPanic::new(panic, black_box)),
            DriverExit::Hung { black_box, .. } => ProcessEnd::Died(DeathContext::hung(black_box)),
            DriverExit::Garbled { line, .. } => return Err(CampaignError::garbled(&line)),
        };
        return Ok(Process { totals, end });
    }
}
