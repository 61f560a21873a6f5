//! Runs a model under one interleaving after another.

use super::builder::Search;
use super::determinism::Repetitions;
use super::smallest::{Shown, smallest};
use super::watch::Watch;
use super::{Builder, Detached, Finding, FindingKind, Report, search};
use contest_campaign::judge::difference;
use contest_campaign::judge::of_model::{self, Failure, finding};
use contest_data::decision::Strategy;
use contest_data::gap::{Cut, Gap};
use contest_data::limits::MemoryModel;
use contest_data::trace::{Ending, ExecutionRecord, Schedule, ThreadIndex};
use contest_engine::execution::os_thread::on_another;
use contest_engine::execution::{Engine, active};
use contest_search::explore::{Replay, RunOnce};

/// A model and the engine that runs it.
pub(super) struct Running<'f> {
    engine: Engine,
    body: &'f dyn Fn(),
    /// No execution can be run on this OS thread any more.
    spoilt: bool,
    runs: u64,
    watch: Watch,
    /// Threads that wait for ever after the main one has ended are no deadlock.
    pub(super) may_block: bool,
}

impl RunOnce for Running<'_> {
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord {
        self.run_one(strategy)
    }
}

impl Running<'_> {
    pub(super) fn run_one(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord {
        self.runs += 1;
        self.watch.tick();
        if self.spoilt {
            let (engine, body, watch) = (&mut self.engine, self.body, &self.watch);
            return on_another(|| {
                watch.here();
                engine.run(strategy, body)
            });
        }
        self.engine.run(strategy, self.body);
        self.spoilt = self.engine.spoilt_os_thread();
        self.engine.record()
    }

    /// Names of the threads of the last execution, for people.
    pub(super) fn names(&self, threads: u16) -> Vec<String> {
        (0..threads)
            .map(
                |number| match self.engine.thread_name(ThreadIndex(number)) {
                    _ if number == 0 => "main thread".to_owned(),
                    Some(name) => format!("thread {number} `{name}`"),
                    None => format!("thread {number}"),
                },
            )
            .collect()
    }

    /// What is wrong with an execution of it.
    pub(super) fn failure(&self, record: &ExecutionRecord, names: &[String]) -> Option<Failure> {
        of_model::failure(record, names, self.may_block)
    }

    /// Runs the schedule again.
    fn replay(&mut self, schedule: &Schedule) -> (ExecutionRecord, Option<String>) {
        let mut strategy = Replay::new(schedule.clone());
        strategy.begin();
        let record = self.run_one(&mut strategy).clone();
        strategy.end(&record);
        let diverged = strategy
            .divergence()
            .map(|at| format!("decision {}: {}", at.decision + 1, at.what));
        (record, diverged)
    }

    /// The execution with this schedule, if it fails as it should.
    pub(super) fn replayed(&mut self, schedule: &Schedule, wanted: &Failure) -> Option<Shown> {
        let (record, _) = self.replay(schedule);
        let names = self.names(record.threads);
        let failure = self.failure(&record, &names)?;
        failure.is_like(wanted).then_some(Shown {
            record,
            names,
            failure,
        })
    }
}

impl Running<'_> {
    /// The same execution once more, with objects and memory called by the fields of annotated types that they are.
    fn with_fields(&mut self, shown: Shown) -> Shown {
        self.engine.note_objects(true);
        let (_, diverged) = self.replay(&shown.record.schedule);
        let record = self.engine.name_fields().clone();
        self.engine.note_objects(false);
        let failure = self.failure(&record, &shown.names);
        match failure.filter(|it| diverged.is_none() && it.is_like(&shown.failure)) {
            Some(failure) => Shown {
                record,
                failure,
                ..shown
            },
            None => shown,
        }
    }
}

/// One run of a model, as the builder describes it.
struct Session<'f> {
    builder: Builder,
    running: Running<'f>,
    report: Report,
    /// Kinds and locations of findings before they were made smaller: what distinguishes failures.
    known: Vec<(FindingKind, Vec<String>)>,
}

#[track_caller]
pub(super) fn run(mut builder: Builder, body: &dyn Fn()) -> Report {
    if active().is_some() {
        panic!(
            "contest: a model cannot be run inside another one; call `model` and `Builder::run` outside of the closure of a model"
        );
    }
    let mut explorer = None;
    let mut schedule = None;
    let mut repetitions = Repetitions::none();
    match super::environment::replay().or_else(|| builder.replay_token()) {
        Some(token) => schedule = Some(search::schedule(&token)),
        None => {
            let (due, found) = search::explorer(&mut builder);
            (repetitions, explorer) = (due, Some(found));
        }
    }
    let mut session = Session {
        running: Running {
            engine: Engine::new(builder.limits.clone()),
            body,
            spoilt: false,
            runs: 0,
            may_block: builder.detached == Detached::MayBlock,
            watch: Watch::start(builder.hang_limit),
        },
        builder,
        report: Report::default(),
        known: Vec::new(),
    };
    on_another(|| {
        session.running.watch.here();
        if let Some(schedule) = schedule {
            session.run_replay(&schedule);
        } else if let Some(mut explorer) = explorer {
            session.explore(&mut explorer, repetitions);
        }
    });
    session.report.conclude();
    session.report.runs = session.running.runs;
    session.report.given_up = session.running.engine.given_up();
    session.report
}

impl Session<'_> {
    fn explore(
        &mut self,
        explorer: &mut contest_search::explore::Explorer,
        mut repetitions: Repetitions,
    ) {
        let may_block = self.running.may_block;
        while let Some(record) = explorer.next(&mut self.running) {
            let weak = self.builder.limits.memory_model != MemoryModel::Sc;
            if weak && record.ending == Ending::Abandoned {
                // No graph.
                continue;
            }
            self.report.count(record);
            let explored = self.report.executions;
            if record.ending == Ending::Abandoned {
                continue;
            }
            self.report.traces += 1;
            let failing = of_model::failure(record, &[], may_block).is_some();
            let repeat = repetitions.is_due(explored);
            if !failing && !repeat {
                continue;
            }
            let record = record.clone();
            if self.examine(record, failing, repeat) {
                self.report.gaps.add(Gap::Cut(Cut::Finding));
                return;
            }
        }
        self.report.held_back = explorer.traces().map_or(0, |traces| traces.held_back);
        // Keys of hashers are those of the process: each execution has others. What depends on them is seen to differ.
        self.report.gaps.join(&explorer.gaps_of_draw());
        if explorer.exhausted()
            && self.builder.limits.memory_model != MemoryModel::Sc
            && let Some(traces) = explorer.traces()
        {
            // Those before a loop was found, with which the exploration began anew, do not count.
            self.report.traces = traces.traces;
        }
        if self.report.cut_executions > 0 {
            let why = format!("{} executions reached a limit", self.report.cut_executions);
            self.report.gaps.add(Gap::Cut(Cut::Execution(why)));
        }
    }

    /// Looks closer at an execution; true if the run ends with it.
    fn examine(&mut self, record: ExecutionRecord, failing: bool, repeat: bool) -> bool {
        let number = self.report.executions;
        let names = self.running.names(record.threads);
        let failure = failing
            .then(|| self.running.failure(&record, &names))
            .flatten()
            .filter(|failure| !self.is_tolerated(failure));
        let known = failure.as_ref().is_some_and(|failure| {
            let mut known = self.known.iter();
            known.any(|(kind, locations)| *kind == failure.kind && *locations == failure.locations)
        });
        if known || (failure.is_none() && !repeat) {
            return false;
        }
        let (again, diverged) = self.running.replay(&record.schedule);
        self.report.repeated += u64::from(repeat);
        if let Some(what) = difference(&record, &again).or(diverged) {
            self.not_deterministic(&record, &names, failure, &what);
            return true;
        }
        let Some(failure) = failure else {
            return false;
        };
        self.known.push((failure.kind, failure.locations.clone()));
        let shown = Shown {
            record,
            names,
            failure,
        };
        let shown = if is_of_schedule(shown.failure.kind) {
            smallest(&mut self.running, shown)
        } else {
            shown
        };
        let shown = self.running.with_fields(shown);
        let finding = finding(shown.failure, &shown.record, &shown.names, number);
        self.add(finding, &shown.record);
        self.report.findings.len() >= self.builder.max_findings
    }

    fn add(&mut self, finding: Finding, record: &ExecutionRecord) {
        if self.report.findings.is_empty() && finding.kind == FindingKind::Deadlock {
            self.report.needs_other_thread = of_model::needs_other_thread(record);
        }
        self.report.findings.push(finding);
    }

    fn is_tolerated(&mut self, failure: &Failure) -> bool {
        let tolerated = self.builder.tolerated.contains(&failure.kind);
        if tolerated {
            self.report.tolerated += 1;
            if failure.kind == FindingKind::Limit {
                self.report.cut_executions += 1;
            }
        }
        tolerated
    }

    fn not_deterministic(
        &mut self,
        record: &ExecutionRecord,
        names: &[String],
        failure: Option<Failure>,
        what: &str,
    ) {
        let mut failure_of_model = Failure::plain(
            FindingKind::Nondeterministic,
            format!(
                "the model is not deterministic: the same decisions did not lead to the same operations: {what}"
            ),
        );
        failure_of_model.details.push(
            "random numbers, the clock, addresses, hash maps with random seeds, real threads, and state that outlives an execution (a \
             captured counter, a `static` of `std`) must not decide what the model does; `contest::sync` types and \
             `contest::thread_local!` start afresh in each execution"
                .to_owned(),
        );
        if let Some(failure) = failure {
            failure_of_model.details.push(format!(
                "the first time it also failed, with a {}: {}",
                failure.kind.words(),
                failure.message
            ));
        }
        let number = self.report.executions;
        let finding = finding(failure_of_model, record, names, number);
        self.report.findings.push(finding);
    }

    /// Runs one schedule only.
    fn run_replay(&mut self, schedule: &Schedule) {
        let (record, diverged) = self.running.replay(schedule);
        self.report.count(&record);
        self.report.traces += 1;
        self.report.replay = true;
        let names = self.running.names(record.threads);
        let mut failure = self.running.failure(&record, &names);
        if let Some(what) = diverged {
            let why = format!("the schedule does not fit the model any more: {what}");
            self.report.gaps.add(Gap::Cut(Cut::Execution(why)));
            if failure.is_none() {
                failure = Some(Failure::plain(
                    FindingKind::Nondeterministic,
                    format!("the schedule to replay does not fit the model any more: {what}"),
                ));
            }
        } else {
            self.report.gaps.add(Gap::Cut(Cut::Replayed));
        }
        if let Some(failure) = failure {
            let finding = finding(failure, &record, &names, 1);
            self.add(finding, &record);
        }
    }
}

impl Builder {
    fn replay_token(&self) -> Option<String> {
        match &self.search {
            Search::Replay(token) => Some(token.clone()),
            _ => None,
        }
    }
}

/// True if another schedule may show it with less.
fn is_of_schedule(kind: FindingKind) -> bool {
    matches!(
        kind,
        FindingKind::Deadlock
            | FindingKind::Livelock
            | FindingKind::Panic
            | FindingKind::DataRace
            | FindingKind::Exit
    )
}
