//! The campaign: its events as progress events with short paths, and a test file for each finding.

use std::sync::Arc;
use std::time::Instant;

use contest_data::atomic_sets::AtomicSets;
use contest_data::finding::Finding;
use contest_data::settings::{Avoid, Settings};
use contest_data::totals::PausedTests;

use super::failure::Failure;
use super::finish::Finisher;
use super::prepare::Prepared;
use super::steer::Steering;
use crate::cli::options::{EmitInto, RunOptions};
use crate::emit;
use crate::state::{KnownFinding, Recorder, Standing};
use contest_catalog::growth::Growth;
use contest_catalog::progress_event::ProgressEvent;
use contest_catalog::subject_catalog::SubjectCatalog;
use contest_drive::campaign::{self, CampaignEvent, CampaignOutcome, Interrupt, LostTest};
use contest_report::Reporter;
use contest_report::short_locations::ShortLocations;

/// Reports the types under test and their operations.
pub(super) fn announce(catalog: &SubjectCatalog, selected: &[u16], reporter: &mut Reporter) {
    for subject in selected
        .iter()
        .filter_map(|number| catalog.subjects.get(usize::from(*number)))
    {
        reporter.event(&ProgressEvent::Subject {
            name: subject.shown().into_owned(),
            operations: subject.called().count(),
            left_out: subject.left_out.clone(),
        });
    }
}

/// A finding and the path of its test, if one was written.
pub(super) type EmittedFinding = (Finding, Option<String>);

/// What a campaign has shown.
pub(super) struct Explored {
    pub(super) outcome: CampaignOutcome,
    pub(super) findings: Vec<EmittedFinding>,
    pub(super) growth: Growth,
}

/// Runs the campaign, which goes on where its state says.
pub(super) fn explore(
    prepared: &Prepared,
    options: &RunOptions,
    selected: &[u16],
    steering: &Steering,
    mut recorder: Option<&mut Recorder>,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<Explored, Failure> {
    let before = recorder.as_deref().map(before).unwrap_or_default();
    let settings = Settings {
        go_on: before.go_on,
        later: before.later,
        report_paused: recorder.is_some(),
        known: before.known,
        avoid: before.avoid,
        ..settings(prepared, options, selected, steering)
    };
    let short = prepared.short_locations();
    let finisher = Finisher::of(prepared);
    let earlier = recorder.as_deref().map(Recorder::before);
    let mut growth = Growth::after(earlier.unwrap_or_default(), settings.shard.is_some());
    let begin = Instant::now();
    let mut findings = Vec::new();
    let mut not_emitted = None;
    let mut outcome = campaign::run(
        &prepared.driver,
        &settings,
        options.jobs,
        &before.begun,
        interrupt,
        &mut |lane, event| {
            let event = match event {
                CampaignEvent::Progress(progress) => {
                    let elapsed = begin.elapsed();
                    let is_first = growth.points().is_empty() && !progress.smallest.is_empty();
                    growth.add(elapsed, &progress);
                    if is_first {
                        reporter.event(&ProgressEvent::Ahead {
                            budget: options.budget(),
                            shapes: Growth::ahead(&progress.smallest),
                        });
                    }
                    ProgressEvent::Exploring {
                        progress,
                        elapsed,
                        left: growth.left(),
                    }
                }
                CampaignEvent::Died(why) => ProgressEvent::DriverDied(short.text(&why)),
                CampaignEvent::Lost(test) => lost(&test, &short),
                CampaignEvent::Note(note) => ProgressEvent::Warning(note),
                CampaignEvent::Alone(mut alone) => {
                    short.alone(&mut alone);
                    ProgressEvent::Alone(alone)
                }
                CampaignEvent::Finding(mut finding) => {
                    let of_driver = finding.fingerprint.clone();
                    finisher.finish(&mut finding);
                    if let Some(recorder) = &mut recorder {
                        let new = recorder.found(&finding, &of_driver);
                        if !new {
                            return;
                        }
                    }
                    // A finding is shown although its test cannot be written.
                    let emitted =
                        emit_test(prepared, &options.emit, &finding).unwrap_or_else(|failure| {
                            not_emitted = Some(failure);
                            None
                        });
                    findings.push(((*finding).clone(), emitted.clone()));
                    ProgressEvent::Finding {
                        finding,
                        emitted,
                        known: None,
                    }
                }
                CampaignEvent::Lane(event) => {
                    if let Some(recorder) = &mut recorder {
                        recorder.event(lane, &event);
                    }
                    return;
                }
            };
            reporter.event(&event);
        },
    )?;
    if let Some(failure) = not_emitted {
        reporter.event(&ProgressEvent::Warning(failure.message));
    }
    for subject in &mut outcome.totals {
        let left_out = subject.left_out.iter_mut().chain(&mut subject.skipped);
        for (reason, _) in left_out.chain(&mut subject.cut) {
            *reason = short.text(reason);
        }
        short.fields(&mut subject.coverage.fields);
    }
    for lost in &mut outcome.skipped {
        lost.why = short.text(&lost.why);
    }
    for alone in &mut outcome.alone {
        short.alone(alone);
    }
    Ok(Explored {
        outcome,
        findings,
        growth,
    })
}

/// A test that is lost to a bug of the tool: said at once, for the summary is long.
pub(super) fn lost(test: &LostTest, short: &ShortLocations) -> ProgressEvent {
    let LostTest { lost, .. } = test;
    ProgressEvent::Warning(short.text(&format!("{}: {}", lost.item, lost.why)))
}

/// Of a campaign that begins.
pub(super) fn settings(
    prepared: &Prepared,
    options: &RunOptions,
    selected: &[u16],
    steering: &Steering,
) -> Settings {
    Settings {
        subjects: selected.to_vec(),
        dependencies: steering.dependencies.clone(),
        atomic_sets: Arc::new(AtomicSets::new(&steering.atomic_sets)),
        unseen_order: steering.unseen_order.clone(),
        watch_all: prepared.watch_all,
        ..options.settings.clone()
    }
}

/// What earlier runs have done.
#[derive(Default)]
struct Before {
    begun: Vec<Vec<u64>>,
    go_on: Vec<PausedTests>,
    later: Vec<u16>,
    known: Vec<String>,
    avoid: Vec<Avoid>,
}

fn before(recorder: &Recorder) -> Before {
    // What was mended, or may have been, is reported when it is found again.
    let open = |known: &&KnownFinding| known.standing == Standing::Open;
    let known = recorder.known().iter().filter(open);
    Before {
        begun: recorder.begun().to_vec(),
        go_on: recorder.go_on(),
        later: recorder.later(),
        known: known.map(|it| it.of_driver.clone()).collect(),
        avoid: recorder.avoid(),
    }
}

/// Writes the test of a finding, if it is to be written, and says where it is, as seen from the working directory.
pub(super) fn emit_test(
    prepared: &Prepared,
    into: &EmitInto,
    finding: &Finding,
) -> Result<Option<String>, Failure> {
    let directory = match into {
        EmitInto::Nowhere => return Ok(None),
        EmitInto::TargetDirectory => prepared.emitted_directory(),
        EmitInto::Directory(directory) => prepared.package_directory().join(directory),
    };
    let catalog = &prepared.driver.catalog;
    let Some(subject) = catalog.subjects.get(usize::from(finding.test.subject)) else {
        return Ok(None);
    };
    let path = emit::emit(
        finding,
        subject,
        &catalog.support_items,
        &prepared.name(),
        emit::Libraries {
            contest: prepared.runtime_of(subject),
            tokio: prepared.package().tokio.as_ref(),
        },
        &directory,
    )?;
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(&here).unwrap_or(&path);
    Ok(Some(path.display().to_string()))
}
