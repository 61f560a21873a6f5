//! A campaign that goes on where an earlier run stopped: its state, and the findings of earlier runs.

use std::hash::Hasher;
use std::path::Path;
use std::time::{Duration, Instant};

use contest_data::finding::Finding;
use contest_data::token::Token;
use fnv::FnvHasher;

use super::explore::{EmittedFinding, emit_test};
use super::failure::Failure;
use super::prepare::Prepared;
use super::replay;
use super::steer::Steering;
use crate::cli::exit_code::ExitCode;
use crate::cli::options::RunOptions;
use crate::state::{KnownFinding, Plan, Recorder, Selected, Standing, State, StateError};
use contest_catalog::progress_event::ProgressEvent;
use contest_catalog::subject_catalog::SubjectEntry;
use contest_drive::campaign::{self, Interrupt, ReplayEnd};
use contest_report::Reporter;

/// Least time for replaying findings of earlier runs; else a quarter of the budget.
const LEAST_TIME: Duration = Duration::from_secs(5);

impl From<StateError> for Failure {
    fn from(error: StateError) -> Self {
        Self::new(ExitCode::Usage, error.to_string())
    }
}

/// Opens the state, if one is to be kept. Early: a directory that cannot be used is reported before any slow step, and
/// a killed run's black box is removed when the next driver is built.
pub(super) fn open(options: &RunOptions, package: &str) -> Result<Option<State>, Failure> {
    let directory = options.state.as_deref();
    let state = directory.map(|directory| State::open(directory, package));
    Ok(state.transpose()?)
}

/// Begins a run of the campaign that the state is of.
pub(super) fn begin(
    state: State,
    prepared: &Prepared,
    options: &RunOptions,
    selected: &[u16],
    steering: &Steering,
) -> Recorder {
    let subjects = &prepared.driver.catalog.subjects;
    let sources = sources_of(&prepared.package_directory());
    let selected = selected.iter().filter_map(|number| {
        let subject = subjects.get(usize::from(*number))?;
        Some(Selected {
            number: *number,
            name: subject.shown().into_owned(),
            // Without an analysis any edit of the package may concern any type.
            code: steering.code_of(subject).unwrap_or_default(),
            sources: sources.clone(),
        })
    });
    let shards = (0..options.jobs)
        .map(|lane| campaign::part(options.settings.shard, lane, options.jobs).unwrap_or((1, 1)));
    state.begin(Plan {
        key: key(options, prepared),
        shards: shards.collect(),
        selected: selected.collect(),
    })
}

/// The settings on which depends which tests there are, in which order, and how they are explored.
fn key(options: &RunOptions, prepared: &Prepared) -> String {
    let settings = &options.settings;
    let unseen = prepared.driver.uninstrumented.len();
    format!(
        "{} seed={} generator={} strategy={} model={:?} size={:?} prunings={:?} strict={} watch={} unseen={unseen}",
        env!("CARGO_PKG_VERSION"),
        settings.seed,
        settings.generator,
        settings.strategy,
        settings.memory_model,
        settings.size,
        settings.prunings,
        settings.strict,
        prepared.watch_all,
    )
}

/// A hash of all Rust sources and the manifest of the package, for when the analysis cannot say what an edit concerns.
fn sources_of(directory: &Path) -> String {
    let mut hasher = FnvHasher::default();
    let mut waiting = vec![directory.to_owned()];
    let mut files = Vec::new();
    while let Some(directory) = waiting.pop() {
        for path in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = path.path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if path.is_dir() && !path.is_symlink() {
                if name != "target" && !name.starts_with('.') {
                    waiting.push(path);
                }
            } else if name == "Cargo.toml" || name == "Cargo.lock" || name.ends_with(".rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    for path in files {
        hasher.write(path.to_string_lossy().as_bytes());
        hasher.write(&std::fs::read(path).unwrap_or_default());
    }
    format!("{:016x}", hasher.finish())
}

/// Runs the schedules of the findings of earlier runs, for a quarter of the budget. Those that still show are reported
/// and returned, with those for which there was no time.
pub(super) fn replay_known(
    recorder: &mut Recorder,
    prepared: &Prepared,
    options: &RunOptions,
    selected: &[u16],
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<Vec<EmittedFinding>, Failure> {
    let mut order: Vec<usize> = (0..recorder.known().len()).collect();
    order.sort_by_key(|at| recorder.known()[*at].standing == Standing::Mended);
    if !order.is_empty() {
        let step = format!("replaying {} findings of earlier runs", order.len());
        reporter.event(&ProgressEvent::Step(step));
    }
    let end = Instant::now() + LEAST_TIME.max(options.settings.budget / 4);
    let mut shown = Vec::new();
    for at in order {
        let known = recorder.known()[at].clone();
        let subjects = &prepared.driver.catalog.subjects;
        let of = |subject: &SubjectEntry| subject.shown() == known.finding.subject;
        if prepared.others.contains(&known.finding.subject) {
            continue;
        }
        let Some(number) = subjects.iter().position(of) else {
            recorder.stands(at, Standing::Unclear, "its type is not under test any more");
            continue;
        };
        if !selected.iter().any(|it| usize::from(*it) == number) {
            continue;
        }
        if Instant::now() >= end || interrupt.is_set() {
            recorder.not_replayed();
            if known.standing == Standing::Open {
                let since = format!(
                    "found in run {} of this campaign; there was no time to replay it",
                    known.first_run
                );
                reporter.event(&ProgressEvent::Finding {
                    finding: Box::new(known.finding.clone()),
                    emitted: None,
                    known: Some(since),
                });
                shown.push((known.finding.clone(), None));
            }
            continue;
        }
        let finding = match one(prepared, &known, interrupt)? {
            Again::Shows(finding) => finding,
            Again::Not(standing, why) => {
                recorder.stands(at, standing, &why);
                continue;
            }
        };
        recorder.stands(at, Standing::Open, "");
        let emitted = emit_test(prepared, &options.emit, &finding)?;
        reporter.event(&ProgressEvent::Finding {
            finding: finding.clone(),
            emitted: emitted.clone(),
            known: Some(format!("found in run {} of this campaign", known.first_run)),
        });
        shown.push((*finding, emitted));
    }
    Ok(shown)
}

enum Again {
    Shows(Box<Finding>),
    Not(Standing, String),
}

fn one(prepared: &Prepared, known: &KnownFinding, interrupt: &Interrupt) -> Result<Again, Failure> {
    let unclear = |why: String| Ok(Again::Not(Standing::Unclear, why));
    let Ok(mut token) = Token::decode(&known.finding.schedule) else {
        return unclear("its schedule cannot be read".to_owned());
    };
    // Another version of the package is the same code until the replay shows otherwise.
    token.package.1.clone_from(&prepared.package().version);
    let end = match replay::one(prepared, &token.encode(), interrupt) {
        Ok(end) => end,
        Err(failure) if failure.code == ExitCode::Usage => {
            return unclear("the calls of its test are not there any more".to_owned());
        }
        // A bug of the tool says nothing of the finding.
        Err(failure) if failure.code == ExitCode::ToolFailed => return unclear(failure.message),
        Err(failure) => return Err(failure),
    };
    Ok(match end {
        ReplayEnd::Interrupted => Again::Shows(Box::new(known.finding.clone())),
        // It ends the process, as it did before or in a worse way.
        ReplayEnd::Died(_) => Again::Shows(Box::new(known.finding.clone())),
        ReplayEnd::Replayed(replayed) => match (replayed.finding, replayed.diverged) {
            (Some(finding), _) => {
                let before = &known.finding;
                Again::Shows(Box::new(Finding {
                    fingerprint: before.fingerprint.clone(),
                    executions: before.executions,
                    elapsed_ms: before.elapsed_ms,
                    ..finding
                }))
            }
            (None, None) => Again::Not(Standing::Mended, String::new()),
            (None, Some(at)) => {
                let why = format!("the code no longer does what its schedule recorded ({at})");
                Again::Not(Standing::Unclear, why)
            }
        },
    })
}
