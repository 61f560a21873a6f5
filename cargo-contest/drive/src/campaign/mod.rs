//! A driver and settings in; findings, totals and failures without concurrency out.
//!
//! The exploration itself runs in driver processes (`contest-campaign`). This module surrounds them: one process per
//! lane, the next one when a process dies, a diagnosis of that death, one budget for all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use contest_data::finding::{Finding, FindingKind, KnownBug, Level};
use contest_data::settings::Settings;
use contest_data::totals::{Alone, Progress, SubjectTotals, Totals};
use tracing::info_span;

use crate::harness::Driver;
use contest_catalog::skipped::Skipped;

mod as_it_is;

mod campaign_error;

mod campaign_event;

mod death;

mod death_in_test;

mod interrupt;

mod lane;
use lane::Bugs;

mod replay;

mod own_panic;

mod own_tests;

mod scenario;

mod test_text;

pub mod totals;

pub use campaign_error::CampaignError;
pub use campaign_event::{CampaignEvent, LaneEvent};
pub use death::DeathContext;
pub use death_in_test::rerun_own_test;
pub use interrupt::Interrupt;
pub use own_panic::{LostTest, OwnPanic};
pub use own_tests::{OwnTestEvent, explore_own_tests};
pub use replay::{ReplayEnd, replay};
pub use scenario::{ScenarioEnd, explore_scenario};

/// The result of a campaign.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CampaignOutcome {
    /// Counts per type.
    pub totals: Vec<SubjectTotals>,
    /// Findings by kind.
    pub findings: BTreeMap<FindingKind, usize>,
    /// Failures that need no concurrency.
    pub alone: Vec<Alone>,
    /// Processes that died.
    pub deaths: u32,
    /// Tests that were lost to panics of the tool's own code.
    pub own_panics: u64,
    /// Tests that were cut off by such a death or by the tool giving up, with the reason.
    pub skipped: Vec<Skipped>,
    /// Time spent.
    pub elapsed: Duration,
}

/// Runs a campaign in `lanes` processes side by side, each with its part of the tests. `begun`: for each lane, how many
/// tests of each subject earlier runs have begun; empty for none. Events come with the number of their lane.
///
/// # Errors
/// If no process can run. A process that dies is not an error.
pub fn run(
    driver: &Driver,
    settings: &Settings,
    lanes: u16,
    begun: &[Vec<u64>],
    interrupt: &Interrupt,
    on_event: &mut dyn FnMut(u16, CampaignEvent),
) -> Result<CampaignOutcome, CampaignError> {
    let start = Instant::now();
    let mut outcome = CampaignOutcome::default();
    let mut seen = Seen::default();
    // Lanes stop each other through this one, so that the user's own interrupt is left alone.
    let stop = interrupt.child();
    let mut progress: BTreeMap<u16, Totals> = BTreeMap::new();
    let mut lost: Vec<(LostTest, u64)> = Vec::new();
    let ends = thread::scope(|scope| {
        let (sender, events) = mpsc::channel();
        let (learn, elsewhere): (Vec<_>, Vec<_>) = (0..lanes).map(|_| mpsc::channel()).unzip();
        let running: Vec<_> = (0..lanes)
            .zip(elsewhere)
            .map(|(lane, elsewhere)| {
                let settings = Settings {
                    shard: part(settings.shard, lane, lanes),
                    steps: settings.steps.map(|it| it / u64::from(lanes)),
                    begun: begun.get(usize::from(lane)).cloned().unwrap_or_default(),
                    ..settings.clone()
                };
                let (sender, stop) = (sender.clone(), &stop);
                scope.spawn(move || {
                    let _span = info_span!("explore", lane).entered();
                    // The receiver outlives this scope's threads.
                    let bugs = Bugs {
                        known: Vec::new(),
                        elsewhere,
                        report: &mut |finding, bug| {
                            let _ = sender.send((lane, Message::Found(finding, bug)));
                        },
                    };
                    lane::run(driver, settings, bugs, stop, &mut |event| {
                        let _ = sender.send((lane, Message::Event(event)));
                    })
                })
            })
            .collect();
        drop(sender);
        for (lane, message) in events {
            let event = match message {
                Message::Event(event) => event,
                Message::Found(_, bug) if seen.bug_before(lane, &bug) => {
                    on_event(lane, CampaignEvent::Lane(LaneEvent::Found));
                    continue;
                }
                Message::Found(finding, bug) => {
                    let others = (0..lanes).zip(&learn).filter(|(other, _)| *other != lane);
                    for (_, learn) in others {
                        // A lane that has ended learns nothing.
                        let _ = learn.send(bug.clone());
                    }
                    CampaignEvent::Finding(finding)
                }
            };
            let is_finding = matches!(event, CampaignEvent::Finding(_));
            let found = || CampaignEvent::Lane(LaneEvent::Found);
            if seen.before(&event) {
                if is_finding {
                    on_event(lane, found());
                }
                continue;
            }
            match &event {
                CampaignEvent::Finding(finding) => {
                    *outcome.findings.entry(finding.kind).or_default() += 1;
                    // A single process stops by itself and reports its totals.
                    let fails = finding.level == Level::Error;
                    if settings.fail_fast && fails && lanes > 1 {
                        stop.set();
                    }
                }
                CampaignEvent::Alone(alone) => outcome.alone.push(alone.clone()),
                CampaignEvent::Lost(test) => {
                    match lost.iter_mut().find(|(known, _)| known.panic == test.panic) {
                        // The first one says enough.
                        Some((_, tests)) => {
                            *tests += 1;
                            continue;
                        }
                        None => lost.push((test.clone(), 1)),
                    }
                }
                _ => {}
            }
            if let CampaignEvent::Progress(part) = event {
                let stands = LaneEvent::Stands(Box::new(part.clone()));
                on_event(lane, CampaignEvent::Lane(stands));
                progress.insert(lane, part.totals.clone());
                let mut sum = Vec::new();
                for totals in progress.values() {
                    totals::add(&mut sum, totals);
                }
                let shown = CampaignEvent::Progress(Progress {
                    totals: Totals {
                        subjects: sum,
                        elapsed_ms: part.totals.elapsed_ms,
                    },
                    ..part
                });
                on_event(lane, shown);
            } else {
                on_event(lane, event);
                if is_finding {
                    on_event(lane, found());
                }
            }
        }
        running
            .into_iter()
            .map(|lane| {
                lane.join()
                    .unwrap_or_else(|_| Err(CampaignError::Bug("a lane panicked".to_string())))
            })
            .collect::<Vec<_>>()
    });
    let (mut failed, mut worked) = (None, false);
    for (lane, end) in (0..).zip(ends) {
        match end {
            Ok(end) => {
                worked = true;
                totals::add(&mut outcome.totals, &end.totals);
                outcome.deaths += end.deaths;
                outcome.skipped.extend(end.skipped);
            }
            // What it had reported stands.
            Err(error) => {
                if let Some(totals) = progress.get(&lane) {
                    totals::add(&mut outcome.totals, totals);
                }
                let item = format!("the rest of part {} of {lanes} of the tests", lane + 1);
                outcome.skipped.push(Skipped::new(item, error.to_string()));
                failed.get_or_insert(error);
            }
        }
    }
    if let Some(error) = failed.filter(|_| !worked) {
        return Err(error);
    }
    outcome.own_panics = lost.iter().map(|(_, tests)| tests).sum();
    for (mut lost, tests) in lost {
        if tests > 1 {
            lost.lost
                .why
                .push_str(&format!("; {} more tests were lost to the same", tests - 1));
        }
        outcome.skipped.push(lost.lost);
    }
    outcome.elapsed = start.elapsed();
    Ok(outcome)
}

/// The part of one lane: lane k of m of the user's part K/N takes every (N·m)-th test.
pub fn part(shard: Option<(u32, u32)>, lane: u16, lanes: u16) -> Option<(u32, u32)> {
    let (part, parts) = shard.unwrap_or((1, 1));
    match (shard, lanes) {
        (None, 1) => None,
        _ => Some((part + parts * u32::from(lane), parts * u32::from(lanes))),
    }
}

/// What comes from a lane.
enum Message {
    Event(CampaignEvent),
    /// A finding, with what recognises its bug.
    Found(Box<Finding>, KnownBug),
}

/// What has been reported already: two lanes may find the same thing.
#[derive(Default)]
struct Seen {
    findings: BTreeSet<String>,
    /// With the lane that has reported it.
    bugs: Vec<(u16, KnownBug)>,
    /// By type and detail: what fails at one place for one reason is said once. The last call stands for a detail
    /// without a place.
    alone: BTreeSet<(String, String)>,
    notes: BTreeSet<String>,
}

impl Seen {
    /// True if another lane has reported the bug before this one learnt of it.
    fn bug_before(&mut self, lane: u16, bug: &KnownBug) -> bool {
        let known = self.bugs.iter().any(|(of, it)| {
            *of != lane
                && it.subject == bug.subject
                && it.is_shown_by(bug.kind, &bug.locations, &bug.operations)
        });
        if !known {
            self.bugs.push((lane, bug.clone()));
        }
        known
    }

    fn before(&mut self, event: &CampaignEvent) -> bool {
        match event {
            CampaignEvent::Finding(finding) => !self.findings.insert(finding.fingerprint.clone()),
            CampaignEvent::Alone(alone) => {
                let mut note = |of: &str| self.alone.insert((alone.subject.clone(), of.to_owned()));
                let last = alone.calls.last().and_then(|it| it.split('(').next());
                let is_new = note(last.unwrap_or_default());
                let has_place = alone.detail.contains(':');
                !(if has_place {
                    note(&alone.detail)
                } else {
                    is_new
                })
            }
            CampaignEvent::Note(note) => !self.notes.insert(note.clone()),
            CampaignEvent::Progress(_)
            | CampaignEvent::Died(_)
            | CampaignEvent::Lost(_)
            | CampaignEvent::Lane(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_alone_for_one_reason_is_told_once() {
        let alone = |calls: &[&str], detail: &str| {
            CampaignEvent::Alone(Alone {
                subject: "Queue".to_owned(),
                calls: calls.iter().map(|it| (*it).to_owned()).collect(),
                what: contest_data::totals::FailureAlone::Blocks,
                detail: detail.to_owned(),
            })
        };
        let mut seen = Seen::default();
        let waits = "waits on Queue.full, no thread is left to notify it at src/lib.rs:3:4";
        assert!(!seen.before(&alone(&["a.push(1);"], waits)));
        assert!(seen.before(&alone(&["a.fill();", "a.push(1);"], waits)));
        let other = waits.replace(":3:4", ":9:4");
        assert!(!seen.before(&alone(&["a.push(1);"], &other)));
        let anyhow = "until another call lets it go on";
        assert!(seen.before(&alone(&["a.push(1);"], anyhow)));
        assert!(!seen.before(&alone(&["a.pop();"], anyhow)));
        assert!(seen.before(&alone(&["a.push(1);", "a.pop();"], anyhow)));
    }

    #[test]
    fn a_bug_that_two_lanes_find_at_once_is_reported_once() {
        let bug = |operations: &[u16]| KnownBug {
            subject: 0,
            kind: FindingKind::NonLinearizable,
            locations: Vec::new(),
            operations: operations.to_vec(),
            fingerprint: String::new(),
        };
        let mut seen = Seen::default();
        assert!(!seen.bug_before(0, &bug(&[1, 2])));
        // The same in a larger test, before the lane has learnt of it.
        assert!(seen.bug_before(1, &bug(&[1, 2, 2])));
        assert!(!seen.bug_before(1, &bug(&[2, 3])));
        // What one process reports is for that process to tell apart.
        assert!(!seen.bug_before(0, &bug(&[1, 2, 4])));
        let other_type = KnownBug {
            subject: 1,
            ..bug(&[1, 2])
        };
        assert!(!seen.bug_before(1, &other_type));
    }

    #[test]
    fn lanes_divide_the_users_part_without_overlap() {
        assert_eq!(part(None, 0, 1), None);
        assert_eq!(part(Some((2, 3)), 0, 1), Some((2, 3)));
        let taken = |(k, n): (u32, u32)| (1..=60).filter(move |test| test % n == k % n);
        let mut all: Vec<u32> = (0..4)
            .flat_map(|lane| taken(part(Some((2, 3)), lane, 4).unwrap()))
            .collect();
        all.sort_unstable();
        let expected: Vec<u32> = taken((2, 3)).collect();
        assert_eq!(all, expected);
    }
}
