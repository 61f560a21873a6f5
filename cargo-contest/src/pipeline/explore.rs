//! The campaign: its events as progress events with short paths, and a test file for each finding.

use std::sync::Arc;
use std::time::Instant;

use contest_data::atomic_sets::AtomicSets;
use contest_data::finding::{Finding, FindingKind, InterleavingStep};
use contest_data::settings::{Avoid, Settings};
use contest_data::subject::Probe;
use contest_data::totals::PausedTests;

use super::failure::Failure;
use super::prepare::Prepared;
use super::steer::Steering;
use crate::campaign::{self, CampaignEvent, CampaignOutcome, Interrupt};
use crate::cli::options::{EmitInto, RunOptions};
use crate::discover::subject_catalog::{SubjectCatalog, SubjectEntry};
use crate::emit;
use crate::growth::Growth;
use crate::progress_event::ProgressEvent;
use crate::report::Reporter;
use crate::state::{KnownFinding, Recorder, Standing};

/// Detail of a race if some code is not instrumented.
const PARTLY_SEEN: &str =
    "not all code is instrumented (see the summary): what it does to order threads is not seen";

/// Reports the types under test and their operations.
pub(super) fn announce(catalog: &SubjectCatalog, selected: &[u16], reporter: &mut Reporter) {
    for subject in selected
        .iter()
        .filter_map(|number| catalog.subjects.get(usize::from(*number)))
    {
        reporter.event(&ProgressEvent::Subject {
            name: subject.shown().to_owned(),
            operations: subject.operations.len(),
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
                            budget: settings.budget,
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
                CampaignEvent::Note(note) => ProgressEvent::Warning(note),
                CampaignEvent::Alone(mut alone) => {
                    short.alone(&mut alone);
                    ProgressEvent::Alone(alone)
                }
                CampaignEvent::Finding(mut finding) => {
                    let of_driver = finding.fingerprint.clone();
                    short.finding(&mut finding);
                    name_unsafe_impls(&mut finding, prepared);
                    name_unseen_calls(&mut finding, prepared);
                    lead_to_the_package(&mut finding, prepared);
                    if finding.kind == FindingKind::DataRace
                        && !prepared.driver.uninstrumented.is_empty()
                    {
                        finding.details.push(PARTLY_SEEN.to_owned());
                    }
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
    for alone in &mut outcome.alone {
        short.alone(alone);
    }
    Ok(Explored {
        outcome,
        findings,
        growth,
    })
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

/// A finding should point into the package, not into the lock it uses: the package's locations come first, and if there
/// are none, those of the operations that were called.
fn lead_to_the_package(finding: &mut Finding, prepared: &Prepared) {
    let (base, directory) = (prepared.base(), prepared.package_directory());
    let own = |location: &String| {
        let file = base.join(location.split(':').next().unwrap_or(location));
        file.starts_with(&directory) && file.is_file()
    };
    finding.locations.sort_by_key(|location| !own(location));
    if finding.locations.first().is_some_and(own) {
        return;
    }
    let subjects = &prepared.driver.catalog.subjects;
    let Some(subject) = subjects.get(usize::from(finding.test.subject)) else {
        return;
    };
    let calls = finding.test.threads.iter().flatten();
    let mut declared: Vec<String> = calls
        .filter_map(|call| declared(subject, call.operation, prepared))
        .map(|place| format!("{place}:1"))
        .collect();
    declared.dedup();
    declared.append(&mut finding.locations);
    finding.locations = declared;
}

/// File and line of an operation. Derived and dropping calls are declared nowhere.
fn declared(subject: &SubjectEntry, operation: u16, prepared: &Prepared) -> Option<String> {
    let operation = subject.operations.get(usize::from(operation))?;
    if operation.declared.is_empty() {
        return None;
    }
    let place = prepared.package_directory().join(&operation.declared);
    let base = prepared.base();
    Some(
        place
            .strip_prefix(&base)
            .unwrap_or(&place)
            .display()
            .to_string(),
    )
}

/// A call of which no step has a place, because its code does nothing that others could see, is named with the place of
/// its declaration: what it fails to do may be the bug.
fn name_unseen_calls(finding: &mut Finding, prepared: &Prepared) {
    let subjects = &prepared.driver.catalog.subjects;
    let Some(subject) = subjects.get(usize::from(finding.test.subject)) else {
        return;
    };
    let mut notes = Vec::new();
    for (thread, (calls, texts)) in (1..).zip(finding.test.threads.iter().zip(&finding.threads)) {
        for (number, (call, text)) in (0..).zip(calls.iter().zip(texts)) {
            let own = |it: &&InterleavingStep| it.thread == thread && it.call == Some(number);
            let mut steps = finding.interleaving.iter().filter(own);
            let is_seen = steps.any(|it| it.caller.is_some() || !it.location.is_empty());
            let place = declared(subject, call.operation, prepared);
            if let Some(place) = place.filter(|_| !is_seen) {
                let note = format!("{text} is declared at {place}");
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
        }
    }
    // Without an interleaving no call is seen.
    if !finding.interleaving.is_empty() {
        finding.details.extend(notes);
    }
}

/// What a probe as type argument shows is wrong with an `unsafe impl` of the type: says where these are.
fn name_unsafe_impls(finding: &mut Finding, prepared: &Prepared) {
    let catalog = &prepared.driver.catalog;
    let Some(subject) = catalog.subjects.get(usize::from(finding.test.subject)) else {
        return;
    };
    let memory = finding.kind == FindingKind::WrongThread || finding.kind.needs_memory();
    if !memory || Probe::of_path(&subject.path).is_none() {
        return;
    }
    for written in catalog.unsafe_impls_of(subject) {
        let (base, directory) = (prepared.base(), prepared.package_directory());
        let place = directory.join(&written.location);
        let place = format!(
            "{}:1",
            place.strip_prefix(&base).unwrap_or(&place).display()
        );
        if !finding.locations.contains(&place) {
            let detail = format!("the impl of `{}` is at {place}", written.marker);
            finding.details.push(detail);
            finding.locations.push(place);
        }
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
