//! What a campaign keeps for each subject.

mod totals;

use std::rc::Rc;
use std::time::{Duration, Instant};

use super::addresses::Addresses;
use super::cost::Cost;
use super::coverage_shown::Shows;
use super::exploration::Exploration;
use super::failing_calls::FailingCalls;
use super::known_bugs::{Fingerprints, KnownBugs};
use super::observers::Observers;
use super::pool::{Paused, Pool};
use super::prepared_test::Trimmed;
use super::sequence_runner::SequenceRunner;
use super::subject_counts::{End, SubjectCounts};
use super::test_runner::TestRunner;
use super::text_form::TextForm;
use crate::campaign::behaviour::Behaviour;
use crate::generate::{DependencyTable, Look, TestSource, TraceTable};
use contest_data::dependencies::Dependencies;
use contest_data::fast_hash::FastSet;
use contest_data::finding::{Allowed, FindingKind};
use contest_data::observed::Sampled;
use contest_data::settings::{Avoid, Listener, Settings};
use contest_data::subject::Subject;
use contest_data::test::{ConcurrentTest, RunnableTest};
use contest_data::totals::{NOT_FINISHED, PausedTest, PausedTests, Reasons};
use contest_search::coverage::{Contents, MapCoverage, MethodPairs};

/// A type with fewer operations has no less time than one with so many.
const FEWEST_OPERATIONS: u64 = 4;
/// A type with more operations has no more time than one with so many.
const MOST_OPERATIONS: u64 = 16;
/// Part of the paths of types beside a flag of their caller.
const BESIDE_FLAG: &str = "<Callers";

/// Searches for a test that may panic, before no further one is looked for.
const MOST_LOST: u32 = 20;

/// Why a test is left out that was not found.
const SEARCH_PANICKED: &str = "the search for it panicked: a bug of cargo-contest";

/// Most paused tests of a subject that are reported.
const MOST_REPORTED: usize = 500;

/// Why a test is cut whose exploration gave way to others.
const NO_ROOM: &str = "paused tests that yield more took its place";

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
    pub counts: SubjectCounts,
    pub failing: FailingCalls,
    /// Access patterns and pairs of operations shown.
    pub coverage: Shows,
    /// Orders that strategy `pta` has covered, by hash.
    pub covered: FastSet<u64>,
    /// Its complete tests sampled.
    pub sampled: Sampled,
    pub cost: Cost,
    pub spent: Duration,
    /// Tests whose explorations are paused.
    pub pool: Pool,
    /// Why those are cut that are still paused at the end.
    pub unfinished: &'static str,
    /// There are no further tests.
    pub no_more_tests: bool,
    /// Searches for a test that panicked.
    pub(super) lost_searches: u32,
    /// What first visits to tests cost, generating the tests included, and what later ones did; in steps.
    first_visits: u64,
    later_visits: u64,
    observers: Observers,
    pub addresses: Addresses,
    /// It is known which further operations observe, and which texts they take.
    measured: bool,
    text_form: TextForm,
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
            counts: SubjectCounts::new(subject, pairs.clone()),
            failing: FailingCalls::default(),
            coverage: Shows {
                patterns: MapCoverage::new(Contents::Counted).grouped(settings.atomic_sets.clone()),
                pairs,
                behaviour: settings.behaviour.then(Behaviour::default),
            },
            covered: FastSet::default(),
            sampled: Sampled::default(),
            cost: Cost::default(),
            spent: Duration::ZERO,
            pool: Pool::default(),
            unfinished: NOT_FINISHED,
            no_more_tests: false,
            lost_searches: 0,
            first_visits: 0,
            later_visits: 0,
            observers,
            addresses: Addresses::default(),
            measured: false,
            text_form: TextForm::default(),
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
            failing: &mut self.failing,
            traces: &mut self.traces,
            states: &mut self.states,
            text_form: self.text_form,
        };
        if !std::mem::replace(&mut self.measured, true) {
            self.text_form = run.measure_text_form();
            run.text_form = self.text_form;
            let measured = run.measure_observers();
            for untried in self.observers.add(measured) {
                self.counts.skipped.add(&untried);
            }
        }
        let mut look = self.source.look(&mut run);
        if let Look::Test(test) = &mut look {
            self.text_form.write_test(self.subject, test);
        }
        let cost = runner.cost.since(before);
        self.cost += cost;
        self.first_visits += cost.in_steps();
        self.spent += began.elapsed();
        look
    }

    /// The search for the next test panicked: its number is used up. `counted`: it was one of this process.
    pub(super) fn lose_test(&mut self, counted: bool) {
        self.begun += 1;
        self.lost_searches += 1;
        self.no_more_tests |= self.lost_searches >= MOST_LOST;
        if counted {
            self.counts.left_out.add(SEARCH_PANICKED);
        }
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
            self.counts.skipped.add(&left_out);
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
            self.retire(&left, &End::Unfinished(NO_ROOM.to_owned()));
        }
    }

    /// Counts a test that is over.
    pub(super) fn retire(&mut self, paused: &Paused, end: &End) {
        self.counts.retire(&self.source, paused, end);
    }

    /// Counts outcomes that were not judged, or looked wrong and were not.
    pub(super) fn note_unreported(&mut self, exploration: &mut Exploration) {
        for (reason, count) in std::mem::take(&mut exploration.notes) {
            let reason = format!("outcome not reported: {reason}");
            for _ in 0..count {
                self.counts.skipped.add(&reason);
            }
        }
    }

    /// Counts a test that is not run.
    pub(super) fn leave_out_test(&mut self, test: &ConcurrentTest, reason: &str) {
        self.counts.leave_out_test(&self.source, test, reason);
    }

    /// The same for a test that counts as begun.
    pub(super) fn give_up_test(&mut self, test: &ConcurrentTest, reason: &str) {
        self.counts.give_up_test(&self.source, test, reason);
    }

    /// Counts what a test covers.
    pub(super) fn cover(&mut self, test: &ConcurrentTest) {
        self.counts.cover(&self.source, test);
    }

    /// Goes on with a test that an earlier run has paused before a visit of so many executions.
    pub(super) fn take_up(&mut self, paused: Paused, quota: u64) {
        self.cover(&paused.prepared.test.test);
        self.pause(paused.taken_up(quota));
    }

    /// The paused tests that promise most, by rung; first those of none, even if there are none. Those that count as
    /// whole when the campaign ends are not among them.
    pub(super) fn paused(&self, turn: u16, subjects: u64) -> Vec<PausedTests> {
        let of_none = PausedTests {
            turn,
            ..PausedTests::default()
        };
        let mut by_rung: Vec<(Option<usize>, PausedTests)> = vec![(None, of_none)];
        let ladder = self.source.ladder();
        let unfinished = self.pool.by_worth().filter(|it| !it.is_whole());
        for paused in unfinished.take(MOST_REPORTED) {
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
            self.retire(&paused, &End::Unfinished(self.unfinished.to_owned()));
        }
    }

    /// What it cost in steps, as it counts when turns are given: a second instance of a type shows what it can show
    /// soon. What a type shows beside a flag of its caller no other subject shows, and takes longer. Of more operations
    /// there are more pairs, of which each needs a test.
    pub(super) fn charged(&self) -> u64 {
        let weight = match self.subject.path {
            path if path.contains(BESIDE_FLAG) => 2,
            _ if self.subject.is_further() => 8,
            _ => 1,
        };
        let operations = self.subject.operations.len() as u64;
        self.work() * weight * MOST_OPERATIONS
            / operations.clamp(FEWEST_OPERATIONS, MOST_OPERATIONS)
    }

    /// What its visits cost in steps.
    pub(super) fn work(&self) -> u64 {
        self.first_visits + self.later_visits
    }
}
