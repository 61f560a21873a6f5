//! What a campaign keeps for each subject.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::coverage_shown::Shows;
use super::known_bugs::{Fingerprints, KnownBugs};
use super::observers::Observers;
use super::pool::{Paused, Pool};
use super::prepared_test::Trimmed;
use super::rung_counts::{Fate, RungCounts};
use super::sequence_runner::SequenceRunner;
use super::test_runner::{Cost, TestRunner};
use crate::campaign::behaviour::Behaviour;
use crate::generate::{DependencyTable, Look, TestSource, TraceTable};
use contest_data::dependencies::Dependencies;
use contest_data::finding::{Allowed, FindingKind};
use contest_data::observed::Observed;
use contest_data::settings::Pruning;
use contest_data::settings::{Avoid, Listener, Settings};
use contest_data::subject::Subject;
use contest_data::test::{ConcurrentTest, RunnableTest};
use contest_data::totals::FailureAlone;
use contest_data::totals::{
    Generation, NOT_FINISHED, PausedTest, PausedTests, Reasons, SubjectTotals,
};
use contest_search::coverage::{Contents, MapCoverage, MethodPairs};

/// Strategies that run every interleaving that can make a difference before they count as exhausted.
const EXHAUSTIVE: [&str; 2] = ["auto", "dpor"];
/// Tests in which an operation only panicked alone, after which it is left out.
const MOST_FAILURES: u32 = 12;

/// Most paused tests of a subject that are reported.
const MOST_REPORTED: usize = 500;

/// Why a test is cut whose exploration gave way to others.
const NO_ROOM: &str = "paused tests that yield more took its place";

/// What became of a test.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Exhausted,
    Nondeterministic(String),
    Cut(String),
}

/// Whether a test had a visit before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VisitKind {
    First,
    Later,
}

/// A subject under test.
#[derive(Debug)]
pub(super) struct SubjectRun {
    pub subject: &'static Subject,
    pub source: TestSource,
    pub index: u16,
    traces: TraceTable,
    states: Reasons,
    /// Its tests so far, those that were not run included.
    pub begun: u64,
    /// Nothing new can be generated.
    pub done: bool,
    pub bugs: KnownBugs,
    pub tests: u64,
    pub exhausted: u64,
    /// Tests in which accesses of contended memory were scheduling points.
    pub contended: u64,
    /// Calls in all tests.
    calls: u64,
    pub cut: Reasons,
    pub skipped: Reasons,
    pub requirements: Reasons,
    rungs: RungCounts,
    /// The strategy, if it counts as exhausted before every interleaving was run that can make a difference.
    bounded: Option<String>,
    /// Access patterns and pairs of operations shown.
    pub coverage: Shows,
    pub cost: Cost,
    pub spent: Duration,
    /// Tests whose explorations are paused.
    pub pool: Pool,
    /// Why those are cut that are still paused at the end.
    pub unfinished: &'static str,
    /// There are no further tests.
    pub no_more_tests: bool,
    /// What first visits to tests cost, generating the tests included, and what later ones did; in steps.
    first_visits: u64,
    later_visits: u64,
    observers: Observers,
    operations: u64,
    used: HashSet<u16>,
    pairs: MethodPairs,
    /// Ways in which operations failed alone that were reported.
    reported_alone: HashSet<(Option<u16>, FailureAlone)>,
    /// Operations that returned at least once.
    returned: HashSet<u16>,
    failures: HashMap<u16, u32>,
    /// The same of constructors; 0 if one did not panic once.
    constructor_failures: HashMap<u16, u32>,
    /// Operations that only ever panicked.
    useless: HashSet<u16>,
}

impl SubjectRun {
    /// # Errors
    /// The name of the generator, if there is none of that name.
    pub(super) fn new(
        subject: &'static Subject,
        index: u16,
        settings: &Settings,
        known: &Fingerprints,
    ) -> Result<Self, String> {
        let unknown = Dependencies::default();
        let mut dependencies = settings.dependencies.iter();
        let dependencies = dependencies
            .find(|of_subject| of_subject.subject == index)
            .unwrap_or(&unknown);
        let observers = Observers::new(subject, DependencyTable::new(dependencies));
        let mut source = TestSource::new(
            &settings.generator,
            subject,
            index,
            settings.size,
            settings.seed,
            dependencies,
            settings.prunings,
        )?;
        if !Allowed::everywhere(&settings.allow, FindingKind::Futurelock) {
            source.keep_futures();
        }
        let pairs = MethodPairs::of(source.pairs().iter().copied());
        Ok(Self {
            subject,
            done: source.pairs().is_empty() || subject.constructors.is_empty(),
            source,
            index,
            traces: TraceTable::default(),
            states: Reasons::default(),
            begun: 0,
            bugs: KnownBugs::new(Rc::clone(known)),
            tests: 0,
            exhausted: 0,
            contended: 0,
            calls: 0,
            cut: Reasons::default(),
            skipped: Reasons::default(),
            requirements: Reasons::default(),
            rungs: RungCounts::default(),
            bounded: (!EXHAUSTIVE.contains(&&*settings.strategy))
                .then(|| settings.strategy.clone()),
            coverage: Shows {
                patterns: MapCoverage::new(Contents::Counted).grouped(settings.atomic_sets.clone()),
                pairs: pairs.clone(),
                behaviour: settings.behaviour.then(Behaviour::default),
            },
            cost: Cost::default(),
            spent: Duration::ZERO,
            pool: Pool::default(),
            unfinished: NOT_FINISHED,
            no_more_tests: false,
            first_visits: 0,
            later_visits: 0,
            observers,
            operations: subject
                .operations
                .iter()
                .filter(|operation| operation.runs_beside_others())
                .count() as u64,
            used: HashSet::new(),
            pairs,
            reported_alone: HashSet::new(),
            returned: HashSet::new(),
            failures: HashMap::new(),
            constructor_failures: HashMap::new(),
            useless: HashSet::new(),
        })
    }

    /// Looks for the next test. What that costs is counted as the subject's.
    pub(super) fn next_test(
        &mut self,
        runner: &mut TestRunner<'_>,
        listener: &mut dyn Listener,
        number: u64,
        avoid: &[Avoid],
    ) -> Look {
        let began = Instant::now();
        let before = runner.cost;
        let mut run = SequenceRunner {
            runner,
            listener,
            subject: self.subject,
            index: self.index,
            number,
            avoid,
            traces: &mut self.traces,
            states: &mut self.states,
        };
        let look = self.source.look(&mut run);
        let cost = runner.cost.since(before);
        self.cost += cost;
        self.first_visits += cost.in_steps();
        self.spent += began.elapsed();
        look
    }

    /// The test with the observers of each of its objects.
    pub(super) fn runnable(&self, test: ConcurrentTest) -> RunnableTest {
        self.observers.runnable(test)
    }

    pub(super) fn observers(&self) -> &Observers {
        &self.observers
    }

    /// What was taken out of one test is not used again.
    pub(super) fn leave_out(&mut self, trimmed: &Trimmed) {
        for left_out in self.observers.leave_out(trimmed) {
            self.skipped.add(&left_out);
        }
    }

    /// The paused test that goes on now; `None` if it is the turn of a new one. Each half of what the subject costs
    /// goes to first visits, as long as there are tests.
    pub(super) fn next_paused(&mut self) -> Option<Paused> {
        if self.no_more_tests || self.later_visits < self.first_visits {
            return self.pool.take_best();
        }
        None
    }

    /// True if nothing is left to be done.
    pub(super) fn is_done(&self) -> bool {
        self.done || self.no_more_tests && self.pool.is_empty()
    }

    /// Counts what a visit cost in steps.
    pub(super) fn charge(&mut self, visit: VisitKind, steps: u64) {
        match visit {
            VisitKind::First => self.first_visits += steps,
            VisitKind::Later => self.later_visits += steps,
        }
    }

    /// Keeps a paused test; what there is no room for is cut.
    pub(super) fn pause(&mut self, paused: Paused) {
        for left in self.pool.put(paused) {
            self.retire(&left, &End::Cut(NO_ROOM.to_owned()));
        }
    }

    /// Counts a test that is over.
    pub(super) fn retire(&mut self, paused: &Paused, end: &End) {
        let exploration = &paused.exploration;
        self.contended += u64::from(exploration.sees_contended());
        self.requirements.add_all(&exploration.explorer().counts());
        let fate = match (end, self.lacks(paused)) {
            (End::Exhausted, None) => Fate::Complete,
            (End::Exhausted, Some(reason)) => Fate::Partly(reason),
            (End::Nondeterministic(first), _) => {
                Fate::LeftOut(format!("nondeterministic: {first}"))
            }
            (End::Cut(reason), _) => Fate::Cut(reason.clone()),
        };
        let test = &paused.prepared.test.test;
        self.rungs.end(&self.source, test, fate);
        match end {
            End::Exhausted => self.exhausted += 1,
            End::Nondeterministic(first) => {
                self.skipped.add(&format!("nondeterministic: {first}"));
            }
            End::Cut(reason) => self.cut.add(reason),
        }
    }

    /// Why an exhausted exploration has not shown everything that its test can do, if so.
    fn lacks(&self, paused: &Paused) -> Option<String> {
        if let Some(strategy) = &self.bounded {
            Some(format!("within the bounds of strategy {strategy}"))
        } else if !paused.prepared.outcomes.complete {
            Some("too many orders of its calls to judge results".to_owned())
        } else if let Some(reason) = paused.exploration.unjudged() {
            Some(format!("outcome not judged: {reason}"))
        } else if paused.unsettled > 0 {
            Some("looked like a bug and did not show again".to_owned())
        } else if !paused.exploration.all_watched() {
            Some("memory not watched in all executions".to_owned())
        } else {
            None
        }
    }

    /// Counts a test that is not run, for its rung of the ladder.
    pub(super) fn leave_out_test(&mut self, test: &ConcurrentTest, reason: &str) {
        let fate = Fate::LeftOut(reason.to_owned());
        self.rungs.begin(&self.source, test);
        self.rungs.end(&self.source, test, fate);
    }

    /// The same for a test that its rung counts as begun.
    pub(super) fn give_up_test(&mut self, test: &ConcurrentTest, reason: &str) {
        let fate = Fate::LeftOut(reason.to_owned());
        self.rungs.end(&self.source, test, fate);
    }

    /// Goes on with a test that an earlier run has paused before a visit of so many executions.
    pub(super) fn take_up(&mut self, paused: Paused, quota: u64) {
        self.cover(&paused.prepared.test.test);
        self.pause(paused.taken_up(quota));
    }

    /// The paused tests that promise most, by rung; first those of none, even if there are none.
    pub(super) fn paused(&self, turn: u16, subjects: u64) -> Vec<PausedTests> {
        let of_none = PausedTests {
            turn,
            ..PausedTests::default()
        };
        let mut by_rung: Vec<(Option<usize>, PausedTests)> = vec![(None, of_none)];
        let ladder = self.source.ladder();
        for paused in self.pool.by_worth().take(MOST_REPORTED) {
            let test = &paused.prepared.test.test;
            let number = ladder.and_then(|ladder| ladder.rung_of(test));
            let at = (by_rung.iter())
                .position(|(known, _)| *known == number)
                .unwrap_or_else(|| {
                    let rung = number
                        .zip(ladder)
                        .and_then(|(number, ladder)| ladder.steps().get(number))
                        .map(|step| (*step.rung).clone());
                    let tests = Vec::new();
                    by_rung.push((number, PausedTests { turn, rung, tests }));
                    by_rung.len() - 1
                });
            by_rung[at].1.tests.push(PausedTest {
                place: paused.number / subjects,
                executions: paused.quota,
                checksum: ladder.map_or(0, |ladder| ladder.part_of_checksum(test)),
            });
        }
        by_rung.into_iter().map(|(_, tests)| tests).collect()
    }

    /// Counts the tests that are still paused at the end of the campaign.
    pub(super) fn finish(&mut self) {
        while let Some(paused) = self.pool.take_best() {
            self.retire(&paused, &End::Cut(self.unfinished.to_owned()));
        }
    }

    /// Counts what a test covers.
    pub(super) fn cover(&mut self, test: &ConcurrentTest) {
        self.tests += 1;
        self.rungs.begin(&self.source, test);
        let lanes = test.threads.iter().map(Vec::len).sum::<usize>();
        self.calls += (test.objects.len() + test.prefix.len() + lanes) as u64;
        for (lane, calls) in test.threads.iter().enumerate() {
            for call in calls {
                if self.subject.operations[usize::from(call.operation)].runs_beside_others() {
                    self.used.insert(call.operation);
                }
                for other in test.threads[lane + 1..].iter().flatten() {
                    self.pairs.add(call.operation, other.operation);
                }
            }
        }
    }

    /// True if this operation was not yet reported to fail alone in this way.
    pub(super) fn report_alone(&mut self, operation: Option<u16>, how: FailureAlone) -> bool {
        self.reported_alone.insert((operation, how))
    }

    /// Notes that the operation panicked alone in a test; one that never did anything else is left out after a while.
    /// Many operations fail on a fresh object only.
    pub(super) fn note_failure(&mut self, operation: u16, test: &ConcurrentTest) {
        if test.prefix.is_empty() {
            return;
        }
        let failures = self.failures.entry(operation).or_default();
        *failures += 1;
        if *failures >= MOST_FAILURES && !self.returned.contains(&operation) {
            self.useless.insert(operation);
        }
    }

    /// Notes that objects of a test were made, or that making this one panicked. A constructor that never did anything
    /// else is left out after a while.
    pub(super) fn note_made(&mut self, test: &ConcurrentTest, failed: Option<usize>) {
        let failed = failed.and_then(|index| test.objects.get(index));
        match failed.map(|object| object.constructor) {
            Some(constructor) => {
                let failures = self.constructor_failures.entry(constructor);
                failures
                    .and_modify(|it| *it += u32::from(*it > 0))
                    .or_insert(1);
            }
            None => {
                for object in &test.objects {
                    self.constructor_failures.insert(object.constructor, 0);
                }
            }
        }
    }

    /// Why a test is not run although it has its number: the stream must not depend on what was seen.
    pub(super) fn not_worth(&self, test: &ConcurrentTest) -> Option<String> {
        let constructor = test.objects.iter().map(|object| object.constructor);
        let panics = |constructor: &u16| {
            let failures = self.constructor_failures.get(constructor);
            failures.is_some_and(|&failures| failures >= MOST_FAILURES)
        };
        if let Some(constructor) = constructor.clone().find(panics) {
            let text = self.subject.constructors[usize::from(constructor)].text;
            return Some(format!("made by `{text}`, which always panics"));
        }
        let mut calls = test.prefix.iter().chain(test.threads.iter().flatten());
        let call = calls.find(|call| self.useless.contains(&call.operation))?;
        let name = self.subject.operations[usize::from(call.operation)].name;
        Some(format!("calls `{name}`, which always panics"))
    }

    pub(super) fn note_returned(&mut self, operation: u16) {
        self.returned.insert(operation);
    }

    /// What it cost in steps, as it counts when turns are given: a second instance of a type shows what it can show
    /// soon.
    pub(super) fn charged(&self) -> u64 {
        let weight = if self.subject.is_further() { 8 } else { 1 };
        (self.first_visits + self.later_visits) * weight
    }

    pub(super) fn totals(&self) -> SubjectTotals {
        let mut skipped = self.skipped.list();
        for (reason, count) in self.source.left_out() {
            skipped.push((reason.to_owned(), count));
        }
        let repeats = self.bugs.repeats();
        if repeats > 0 {
            skipped.push(("shows a bug that was already reported".to_owned(), repeats));
        }
        let mut cut = self.cut.clone();
        cut.add_all(&[(self.unfinished, self.pool.len() as u64)]);
        SubjectTotals {
            name: self.subject.name.to_owned(),
            operations: self.operations,
            operations_used: self.used.len() as u64,
            pairs: (self.pairs.covered() as u64, self.pairs.all() as u64),
            pairs_pruned: self.source.pruned() as u64,
            tests: self.tests,
            exhausted: self.exhausted,
            cut: cut.list(),
            skipped,
            executions: self.cost.executions,
            watched: self.cost.watched,
            unobserved: self.cost.unobserved,
            contended: self.contended,
            steps: self.cost.steps,
            decisions: self.cost.decisions,
            findings: self.bugs.reported(),
            requirements: self.requirements.list(),
            generation: self.generation(),
            overlapped: self.coverage.pairs.covered() as u64,
            coverage: self.coverage.patterns.counts(),
            ladder: self.rungs.totals(&self.source),
            approximate: approximate(self.subject),
            not_cancelled: not_cancelled(self.subject),
            behaviour: Observed::default(),
            places: Vec::new(),
        }
    }

    /// With what the operations were seen to do, which is too much to be sent often.
    pub(super) fn last_totals(&self) -> SubjectTotals {
        let mut totals = self.totals();
        (totals.coverage.fields, totals.coverage.more_fields) = self.coverage.patterns.fields();
        if let Some(behaviour) = &self.coverage.behaviour {
            totals.behaviour = Observed {
                alone: behaviour.alone(),
                together: behaviour.together(),
                dropped: behaviour.dropped(),
            };
        }
        totals
    }
}

impl SubjectRun {
    fn generation(&self) -> Generation {
        let searches = self.source.searches();
        Generation {
            calls: self.calls,
            sequence_runs: searches.runs,
            sequences: searches.kept,
            traces_covered: searches.covered,
            first_search: (
                searches.first.time.as_micros() as u64,
                searches.first.runs,
                searches.first.covered,
            ),
            traces_seen: self.traces.len() as u64,
            states: self.states.list(),
            pruned: [
                (Pruning::Failed, searches.pruned.failed),
                (Pruning::Unchanged, searches.pruned.unchanged),
                (Pruning::RedundantChild, searches.pruned.redundant_child),
                (
                    Pruning::GainWithoutChange,
                    searches.pruned.gain_without_change,
                ),
                (Pruning::Redundant, searches.pruned.redundant),
            ]
            .map(|(pruning, count)| (pruning.name().to_owned(), count))
            .to_vec(),
        }
    }
}

/// Operations whose futures are not dropped, because their documentation says that they are not cancel safe, by name.
fn not_cancelled(subject: &Subject) -> Vec<String> {
    let operations = subject.operations.iter();
    let unsafe_to_cancel = operations.filter(|operation| operation.contract.not_cancel_safe);
    unsafe_to_cancel
        .map(|operation| operation.name.to_owned())
        .collect()
}

/// Operations whose results are approximate, by name.
fn approximate(subject: &Subject) -> Vec<String> {
    let operations = subject.operations.iter();
    let approximate = operations.filter(|operation| operation.contract.approximate);
    approximate
        .map(|operation| operation.name.to_owned())
        .collect()
}
