//! Strategy `pta` on tests of two threads, as AutoConTest explores its tests (Terragni and Cheung, ICSE 2016, section
//! 4.4). Each thread runs alone on an object of its own; from that the orders are predicted
//! that break the atomicity of two calls. Each order is forced in two states: the two calls meet on an object on which
//! one thread alone has made its earlier calls, and on one on which the other has. What is run is thus a smaller test
//! with one call in each thread, and a finding is a finding of that test.
//!
//! Deviations: a smaller test has all of the oracles, not only panics and hangs; an order counts once in a campaign
//! however often it is forced, where the calls are of the same operations and did the same.

use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use super::check_test::{Checker, Goal, explorer, seed_of};
use super::exploration::Exploration;
use super::pool::Paused;
use super::prepared_test::{Preparation, PreparedTest, prepare_unsettled};
use super::subject_counts::End;
use super::subject_run::SubjectRun;
use super::test_runner::Exploring;
use crate::generate::respects_ends;
use contest_data::decision::Strategy as _;
use contest_data::fast_hash::FastHash;
use contest_data::names::pta::{COVERED, DIFFERENT, EXCLUDED, NOT_FORCED, REQUIRED};
use contest_data::settings::{Activity, ModelChoice, Settings};
use contest_data::sorted::SortedMap;
use contest_data::test::{ConcurrentTest, RunnableTest, TestCall};
use contest_data::totals::Progress;
use contest_data::trace::ThreadIndex;
use contest_search::coverage::Role;
use contest_search::explore::{Budget, Explorer, RunOnce as _, pta_patterns};
use contest_search::research::{Pta, Requirement};

/// Executions of a smaller test for each order, should it have to begin anew.
const EXECUTIONS: u64 = 16;

/// True if the test is explored so under these settings.
pub(super) fn applies(settings: &Settings, test: &ConcurrentTest) -> bool {
    pta_patterns(&settings.strategy).is_some()
        && settings.memory_model != ModelChoice::Rc11
        && test.threads.len() == 2
}

/// A call of each thread, and the orders of the two. Threads are numbered as lanes.
struct Meeting {
    calls: [usize; 2],
    requirements: Vec<Requirement>,
    /// What recognises each of them in another test, as a hash.
    known_by: Vec<u64>,
}

/// The same orders in a test that has these threads, by lane.
fn in_threads(requirement: &Requirement, threads: [ThreadIndex; 2]) -> Requirement {
    let mut order = requirement.clone();
    for step in &mut order.steps {
        step.thread = threads[step.thread.index()];
    }
    order
}

impl Checker<'_, '_, '_> {
    /// Explores the test to its end; true if a finding was reported.
    pub(super) fn explore_in_two_states(
        &mut self,
        run: &mut SubjectRun,
        number: u64,
        test: ConcurrentTest,
        progress: &mut dyn FnMut() -> Progress,
    ) -> bool {
        run.cover(&test);
        self.pulse.listener.activity(Activity::Exploring);
        let whole = RunnableTest {
            subject: run.subject,
            test,
            observers: Vec::new(),
            drops: false,
            state: None,
        };
        let meetings = self.predict(run, &whole);
        let mut reported = false;
        let known = run.covered.len();
        let mut covered: HashSet<([usize; 2], usize)> = HashSet::new();
        for meeting in &meetings {
            for state in states(&whole.test, meeting.calls) {
                if !self.pulse.tick(progress) || reported && self.settings.fail_fast {
                    break;
                }
                let forced = Rc::new(RefCell::new(Vec::new()));
                let smaller = ConcurrentTest {
                    prefix: state,
                    threads: lanes(&whole.test, meeting.calls),
                    ..whole.test.clone()
                };
                reported |= self.force(run, number, smaller, meeting, &forced, progress);
                let forced = forced.take();
                run.covered
                    .extend(forced.iter().map(|it| meeting.known_by[*it]));
                covered.extend(forced.into_iter().map(|it| (meeting.calls, it)));
            }
        }
        let all: usize = meetings.iter().map(|it| it.requirements.len()).sum();
        let covered = covered.len() as u64;
        let different = (run.covered.len() - known) as u64;
        run.counts.requirements.add_all(&[
            (REQUIRED, all as u64),
            (COVERED, covered),
            (DIFFERENT, different),
            (NOT_FORCED, (all as u64).saturating_sub(covered)),
        ]);
        let seed = seed_of(self.settings.seed, number);
        let exploration = Exploration::new(explorer(self.settings, seed));
        let strategy = &self.settings.strategy;
        let why = format!("strategy {strategy} does not run every interleaving");
        let prepared = Box::new(PreparedTest::unprepared(whole));
        let over = Paused::new(number, seed, prepared, exploration);
        run.retire(&over, &End::Cut(why));
        self.pulse.listener.over(number, false);
        reported
    }

    /// What the two threads require of each other, by what each does alone.
    fn predict(&mut self, run: &mut SubjectRun, whole: &RunnableTest) -> Vec<Meeting> {
        let Some(patterns) = pta_patterns(&self.settings.strategy) else {
            return Vec::new();
        };
        let mut pta = Pta::predicting(patterns).grouped(self.settings.atomic_sets.clone());
        while pta.begin() {
            let record = Exploring::of(self.runner, whole).run_once(&mut pta).clone();
            pta.end(&record);
        }
        let slot = self.runner.slot();
        let thread = |lane| slot.thread(lane).map(ThreadIndex);
        let Some(other) = thread(1) else {
            return Vec::new();
        };
        let counts = pta.counts();
        let kept = |name: &str| name != COVERED && name != NOT_FORCED && name != REQUIRED;
        let excluded = counts.iter().filter(|(name, _)| *name == EXCLUDED);
        let excluded: u64 = excluded.map(|(_, count)| *count).sum();
        run.counts.requirements.add_all(&[(REQUIRED, excluded)]);
        let others: Vec<_> = counts.into_iter().filter(|(name, _)| kept(name)).collect();
        run.counts.requirements.add_all(&others);
        // The operation, and what it did: the context of an access.
        let lanes = &whole.test.threads;
        let context = |thread: ThreadIndex, call: u16| {
            let lane = usize::from(thread == other);
            let made = lanes[lane].get(usize::from(call))?;
            Some((made.operation, pta.context(thread, call)?))
        };
        // The fewer calls come before, the sooner it is seen what two calls do.
        let mut meetings: SortedMap<(usize, [usize; 2]), Meeting> = SortedMap::new();
        for requirement in pta.requirements() {
            let both = requirement.calls();
            let mut calls = [0; 2];
            for (thread, call) in both {
                calls[usize::from(thread == other)] = usize::from(call);
            }
            let mut order = requirement.clone();
            for step in &mut order.steps {
                step.call = 0;
                step.thread = ThreadIndex(u16::from(step.thread == other));
            }
            let contexts = both.map(|(thread, call)| context(thread, call));
            let key = (calls[0].max(calls[1]), calls);
            let meeting = meetings.get_or_insert_with(key, || Meeting {
                calls,
                requirements: Vec::new(),
                known_by: Vec::new(),
            });
            meeting.known_by.push(hash(&order, contexts));
            meeting.requirements.push(order);
        }
        meetings.into_values().collect()
    }

    /// Forces the orders in the smaller test; true if a finding was reported.
    fn force(
        &mut self,
        run: &mut SubjectRun,
        number: u64,
        smaller: ConcurrentTest,
        meeting: &Meeting,
        forced: &Rc<RefCell<Vec<usize>>>,
        progress: &mut dyn FnMut() -> Progress,
    ) -> bool {
        if !respects_ends(run.subject, &smaller) {
            return false;
        }
        let runnable = run.runnable(smaller);
        let (preparation, trimmed) = prepare_unsettled(self.runner, runnable, self.settings.strict);
        run.leave_out(&trimmed);
        let Preparation::Ready(prepared) = preparation else {
            return false;
        };
        self.note_alone(run, &prepared);
        // Threads that calls start may have other numbers here.
        let slot = self.runner.slot();
        let (Some(own), Some(other)) = (slot.thread(0), slot.thread(1)) else {
            return false;
        };
        let threads = [ThreadIndex(own), ThreadIndex(other)];
        let requirements: Vec<Requirement> = (meeting.requirements.iter())
            .map(|it| in_threads(it, threads))
            .collect();
        let executions = requirements.len() as u64;
        let pta = Pta::forcing(requirements, Rc::clone(forced));
        let explorer = Explorer::by(Box::new(pta), Budget::executions(executions));
        let seed = seed_of(self.settings.seed, number);
        let mut exploration = Exploration::new(explorer);
        if !self.settings.watch_all {
            exploration.watch_share();
        }
        let mut paused = Paused::new(number, seed, prepared, exploration);
        let goal = Goal {
            executions: Some(executions * EXECUTIONS),
            ..Goal::ANY
        };
        let reported = self.explore(run, &mut paused, &goal, progress);
        let counts = paused.exploration.explorer().counts();
        let attempts: Vec<_> = counts
            .into_iter()
            .filter(|(name, _)| name.starts_with("attempts"))
            .collect();
        run.counts.requirements.add_all(&attempts);
        run.note_unreported(&mut paused.exploration);
        reported
    }
}

/// The order with what the two calls are and did, whichever threads they are in.
fn hash(order: &Requirement, contexts: [Option<(u16, u64)>; 2]) -> u64 {
    let mut hasher = FastHash::default();
    contexts.hash(&mut hasher);
    let first = order.steps[0].thread;
    for step in &order.steps {
        let own = step.thread == first;
        (own, step.place, step.role == Role::Write).hash(&mut hasher);
    }
    hasher.finish()
}

/// The calls before the two, of one thread and of the other.
fn states(test: &ConcurrentTest, calls: [usize; 2]) -> Vec<Vec<TestCall>> {
    let after = |lane: usize| [&test.prefix[..], &test.threads[lane][..calls[lane]]].concat();
    let mut states = vec![after(0)];
    if after(1) != states[0] {
        states.push(after(1));
    }
    states
}

/// The two calls.
fn lanes(test: &ConcurrentTest, calls: [usize; 2]) -> Vec<Vec<TestCall>> {
    let lanes = test.threads.iter().zip(calls);
    lanes.map(|(lane, call)| vec![lane[call].clone()]).collect()
}
