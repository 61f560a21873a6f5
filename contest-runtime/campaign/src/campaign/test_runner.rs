//! Runs executions of tests on the engine, for all who need one.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::time::Duration;

use super::final_states::FinalStates;
use crate::generate::body;
use crate::judge::{Clock, History, Interleavings, RunSerially, SerialRun};
use contest_data::decision::Strategy;
use contest_data::limits::DEFAULT_TICK;
use contest_data::limits::Limits;
use contest_data::orderings::{AtomicPlace, OrderingSettings};
use contest_data::test::{RunnableTest, Split, TestShape, TestSlot};
use contest_data::trace::{Ending, ExecutionRecord, Frame, ThreadIndex, Touched, VisibleBytes};
use contest_engine::execution::Engine;
use contest_engine::execution::os_thread::on_another;
use contest_engine::memory::Isolation;
use contest_search::explore::{Budget, Explorer, Focused, RunOnce, Serial};

/// What runs of one subject cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    pub executions: u64,
    pub steps: u64,
    pub decisions: u64,
    /// Executions whose memory accesses were watched.
    pub watched: u64,
    /// Executions whose final state was known and not observed again.
    pub unobserved: u64,
}

/// The engine, and what surrounds each execution.
pub(super) struct TestRunner<'i> {
    engine: Engine,
    slot: Rc<TestSlot>,
    /// No execution can be run on this OS thread any more.
    spoilt: bool,
    /// The code under test reports memory accesses, and they are watched.
    watches: Option<bool>,
    /// Memory that is visible.
    visible: Vec<VisibleBytes>,
    /// What the last execution left in memory, if that was requested.
    left: Result<u64, &'static str>,
    final_states: FinalStates,
    /// Every final state is observed, also one that is known.
    observe_all: bool,
    /// The final state of the last execution, where its hash identifies it.
    reached: Option<u64>,
    /// That state was known: it was not observed.
    unobserved: bool,
    /// Executions note where they allocate: what they show is to be described.
    notes_allocations: bool,
    /// They name their objects; whether they noted where they allocate before that.
    names_objects: Option<bool>,
    isolation: &'i mut dyn Isolation,
    /// How often there were too many interleavings of one order of calls with background threads, by subject.
    too_many: HashMap<&'static str, u32>,
    /// In serial runs background threads go first whenever they can.
    background_first: bool,
    /// In serial runs a wait with a time limit is over before the next call starts.
    times_out: bool,
    /// What the last execution of a body did outside the process, as the ends of sentences.
    outside: Vec<&'static str>,
    /// The last execution of a body has opened descriptors.
    descriptors: bool,
    /// Call stacks whose functions are known. They are kept for good: there are no more than places in the program.
    #[cfg_attr(
        not(all(
            feature = "driver",
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64")
        )),
        expect(dead_code, reason = "nothing reports races there")
    )]
    stacks: HashMap<u32, &'static [Frame]>,
    /// Fields that were looked up, likewise; a block's by the number of the call stack that allocated it.
    #[cfg_attr(
        not(all(
            feature = "driver",
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64")
        )),
        expect(dead_code, reason = "nothing reports races there")
    )]
    fields: HashMap<Touched, Option<&'static str>>,
    /// Names of objects, likewise.
    #[cfg_attr(
        not(all(
            feature = "driver",
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64")
        )),
        expect(dead_code, reason = "nothing reports races there")
    )]
    object_names: HashSet<&'static str>,
    /// Lines and fields of accesses that were symbolised.
    #[cfg(all(
        feature = "driver",
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    symboliser: super::symbolise::Symboliser,
    pub cost: Cost,
}

/// What an execution costs besides its steps, in steps.
pub(super) const EXECUTION_COST: u64 = 50;

impl Cost {
    /// In steps; the same on every machine.
    pub(super) fn in_steps(self) -> u64 {
        self.executions * EXECUTION_COST + self.steps
    }

    /// What came after `before`.
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            executions: self.executions - before.executions,
            steps: self.steps - before.steps,
            decisions: self.decisions - before.decisions,
            watched: self.watched - before.watched,
            unobserved: self.unobserved - before.unobserved,
        }
    }
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, more: Self) {
        self.executions += more.executions;
        self.steps += more.steps;
        self.decisions += more.decisions;
        self.watched += more.watched;
        self.unobserved += more.unobserved;
    }
}

impl<'i> TestRunner<'i> {
    pub(super) fn new(limits: Limits, isolation: &'i mut dyn Isolation) -> Self {
        Self {
            watches: limits.accesses.then_some(true),
            engine: Engine::new(limits),
            slot: Rc::new(TestSlot::default()),
            spoilt: false,
            visible: Vec::new(),
            left: Err("nothing has run"),
            final_states: FinalStates::default(),
            observe_all: false,
            reached: None,
            unobserved: false,
            notes_allocations: false,
            names_objects: None,
            isolation,
            too_many: HashMap::new(),
            background_first: false,
            times_out: false,
            outside: Vec::new(),
            descriptors: false,
            stacks: HashMap::new(),
            fields: HashMap::new(),
            object_names: HashSet::new(),
            #[cfg(all(
                feature = "driver",
                target_os = "linux",
                any(target_arch = "x86_64", target_arch = "aarch64")
            ))]
            symboliser: super::symbolise::Symboliser::default(),
            cost: Cost::default(),
        }
    }

    /// Every final state is observed from here on, or no longer those that are known. Returns what was before.
    pub(super) fn observe_all(&mut self, on: bool) -> bool {
        std::mem::replace(&mut self.observe_all, on)
    }

    /// The final state of the last execution, where its hash identifies it, and whether it was known and therefore
    /// not observed.
    pub(super) fn reached(&self) -> (Option<u64>, bool) {
        (self.reached, self.unobserved)
    }

    /// Orderings other than those of the source, in executions under RC11.
    pub(super) fn set_orderings(&mut self, settings: &OrderingSettings) {
        self.engine.set_orderings(settings.clone());
    }

    /// Atomic operations and fences executed so far, if they are collected.
    pub(super) fn atomic_places(&self) -> Vec<AtomicPlace> {
        self.engine.atomic_places()
    }

    /// Runs one execution of the test, in which accesses of this memory are visible operations.
    pub(super) fn run(
        &mut self,
        test: &RunnableTest,
        strategy: &mut dyn Strategy,
        visible: &[VisibleBytes],
    ) -> &ExecutionRecord {
        self.run_to(Observe::Always, test, strategy, visible)
    }

    /// As [`run`](Self::run); the final state may be left unobserved.
    fn run_to(
        &mut self,
        observe: Observe,
        test: &RunnableTest,
        strategy: &mut dyn Strategy,
        visible: &[VisibleBytes],
    ) -> &ExecutionRecord {
        self.see(visible);
        let Self {
            engine,
            slot,
            isolation,
            spoilt,
            left,
            final_states,
            reached,
            unobserved,
            ..
        } = self;
        *left = Err("it was not computed");
        *reached = None;
        *unobserved = false;
        let lazy = observe == Observe::IfNew
            && !self.observe_all
            && test.drops | !test.observers.is_empty()
            && !test.state
            && test.subject.probe().is_none();
        if test.state {
            engine.clear_stacks();
        }
        if *spoilt {
            // Only where unfinished executions are unwound: not in a driver.
            on_another(|| {
                isolation.begin();
                engine.run(strategy, body(slot, test, |_, _| false));
                isolation.end();
            });
        } else {
            isolation.begin();
            let mut look = final_states.look(test);
            let record = engine.run(
                strategy,
                body(slot, test, |record, knowledge| {
                    *unobserved = lazy && look.is_known(record, knowledge, slot, &mut **isolation);
                    *unobserved
                }),
            );
            *reached = look.reached();
            let regular = record.quiescent && record.ending == Ending::Finished;
            if test.drops && regular && record.panics.is_empty() && !*unobserved {
                let blocks = isolation.unowned();
                engine.set_unowned(&blocks);
            }
            if test.state && slot.state().is_none() {
                *left = isolation.state(&engine.stacks());
            }
            isolation.end();
            *spoilt = engine.spoilt_os_thread();
            if let Some(state) = *reached
                && !*unobserved
            {
                final_states.remember(state, engine.record(), test);
            }
        }
        self.count_and_name()
    }

    /// Counts the last execution, and finds the names of places in it.
    fn count_and_name(&mut self) -> &ExecutionRecord {
        self.symbolise_accesses();
        let record = self.engine.record();
        self.cost.executions += 1;
        self.cost.watched += u64::from(self.watches == Some(true));
        self.cost.unobserved += u64::from(self.unobserved);
        self.cost.steps += u64::from(record.steps);
        self.cost.decisions += record.schedule.decisions.len() as u64;
        let named = record.unowned.is_empty() && record.visible.is_empty();
        // Where futures wait is shown where they wait for ever.
        let waits = !record.places.is_empty() || matches!(record.ending, Ending::Deadlock(_));
        let ends = self.notes_allocations || !matches!(record.ending, Ending::Finished);
        let named =
            named && !(waits && ends) && record.callers.is_empty() && self.names_objects.is_none();
        if named && record.faults.is_empty() && record.contended.is_empty() {
            return self.engine.record();
        }
        self.name_places()
    }

    /// Runs one execution of this body, in which accesses of this memory are visible operations.
    pub(super) fn run_body(
        &mut self,
        body: &dyn Fn(),
        strategy: &mut dyn Strategy,
        visible: &[VisibleBytes],
    ) -> &ExecutionRecord {
        self.see(visible);
        self.isolation.begin();
        let record = self.engine.run(strategy, body);
        let regular = record.quiescent && record.ending == Ending::Finished;
        if regular && record.threads > 1 && record.panics.is_empty() {
            let blocks = self.isolation.unowned();
            self.engine.set_unowned(&blocks);
        }
        self.outside = self.isolation.outside();
        self.descriptors = self.isolation.has_opened_descriptors();
        self.isolation.end();
        self.count_and_name()
    }

    /// What the last execution of a body did outside the process.
    pub(super) fn outside(&self) -> &[&'static str] {
        &self.outside
    }

    /// True if the last execution of a body has opened descriptors.
    pub(super) fn has_opened_descriptors(&self) -> bool {
        self.descriptors
    }

    /// Names of the threads of the last execution, for people.
    pub(super) fn thread_names(&self) -> Vec<String> {
        let threads = self.engine.record().threads;
        let names = (0..threads).map(|number| {
            let given = self.engine.thread_name(ThreadIndex(number));
            match given {
                _ if number == 0 => "the test".to_owned(),
                Some(name) => format!("thread {number} `{name}`"),
                None => format!("thread {number}"),
            }
        });
        names.collect()
    }

    fn see(&mut self, visible: &[VisibleBytes]) {
        if self.visible != visible {
            self.visible = visible.to_vec();
            self.engine.see(visible);
        }
    }

    /// True if the code under test reports its memory accesses.
    pub(super) fn reports_accesses(&self) -> bool {
        self.watches.is_some()
    }

    /// From here on executions note where code under test allocates, or do no longer: a leaked block is reported with
    /// its place. Returns what was before.
    pub(super) fn note_allocations(&mut self, on: bool) -> bool {
        self.notes_allocations = on;
        self.engine.note_allocations(on)
    }

    /// From here on each visible operation of an execution is named by its call stack, or no longer.
    pub(super) fn note_callers(&mut self, on: bool) {
        self.engine.note_callers(on);
    }

    /// From here on executions note where they allocate, and locks, atomics and the like are named by the fields that
    /// they are; or no longer. Looking those up takes long.
    pub(super) fn name_objects(&mut self, on: bool) {
        if on {
            self.names_objects = Some(self.note_allocations(true));
        } else if let Some(noted) = self.names_objects.take() {
            self.note_allocations(noted);
        }
        self.engine.note_objects(on);
    }

    /// Watches memory accesses in the executions to come, or does not, where the code under test reports them. At first
    /// they are watched.
    pub(super) fn watch(&mut self, on: bool) {
        if let Some(watches) = &mut self.watches {
            *watches = on;
            self.engine.watch(on);
        }
    }

    /// In the executions to come, plain accesses are symbolised: line and field, where the code under test reports
    /// them; of those that are not watched, too, once so many calls have begun. Or no longer.
    pub(super) fn symbolise_fields(&mut self, _from_call: Option<usize>) {
        #[cfg(all(
            feature = "driver",
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64")
        ))]
        if self.watches.is_some() {
            self.engine.note_fields(_from_call);
        }
    }

    fn symbolise_accesses(&mut self) {
        #[cfg(all(
            feature = "driver",
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64")
        ))]
        if self.engine.notes_fields() {
            // Where several threads run, only what they share is looked at.
            let alone = self.watches == Some(false);
            self.symboliser
                .symbolise_all(&mut self.engine, self.isolation, !alone);
        }
    }

    /// The record of the last execution.
    pub(super) fn record(&self) -> &ExecutionRecord {
        self.engine.record()
    }

    /// Finds out where the races of the last execution are, and where it allocated what leaked.
    #[cold]
    fn name_places(&mut self) -> &ExecutionRecord {
        #[cfg(all(
            feature = "driver",
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64")
        ))]
        {
            let Self {
                engine,
                stacks,
                fields,
                object_names,
                isolation,
                ..
            } = self;
            engine.name_places(&mut super::symbolise::Named {
                stacks,
                fields,
                kept: object_names,
                isolation: *isolation,
            })
        }
        #[cfg(not(all(
            feature = "driver",
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64")
        )))]
        self.engine.record()
    }

    /// What the last execution left in memory, as a hash; for a test with `state` whose object does not show it.
    pub(super) fn left_in_memory(&self) -> Result<u64, &'static str> {
        self.left
    }

    /// True if the last execution needed larger tables of the engine than those before it.
    pub(super) fn has_grown(&self) -> bool {
        self.engine.has_grown()
    }

    /// Which lane ran where, in the last execution.
    pub(super) fn slot(&self) -> Rc<TestSlot> {
        Rc::clone(&self.slot)
    }
}

impl RunSerially for TestRunner<'_> {
    fn run_beside_tasks(
        &mut self,
        test: &RunnableTest,
        interleavings: Interleavings,
        seen: &mut dyn FnMut(History),
    ) -> bool {
        let all = interleavings == Interleavings::All;
        let too_many = self.too_many.get(test.subject.name);
        if all && too_many.is_some_and(|&times| times >= OFTEN) {
            return false;
        }
        let (strategy, budget) = match interleavings {
            Interleavings::Some => ("portfolio", Budget::executions(SOME_BESIDE_TASKS)),
            Interleavings::All => ("dpor", ALL_BESIDE_TASKS),
        };
        let explorer = Explorer::new(strategy, 0, budget);
        let mut explorer = explorer.expect("there is a strategy of this name");
        let shape = TestShape::of(test);
        let (mut complete, slot) = (true, self.slot());
        loop {
            let mut run = Exploring {
                runner: self,
                test,
                watch: false,
                visible: &[],
                symbolise: false,
                background_first: false,
                observe: Observe::Always,
            };
            let Some(record) = explorer.next(&mut run) else {
                break;
            };
            if record.ending == Ending::Abandoned {
                continue;
            }
            complete &= record.contended.is_empty();
            seen(History::of(record, &shape, &slot));
        }
        let exhausted = explorer.exhausted();
        if all && !exhausted {
            *self.too_many.entry(test.subject.name).or_default() += 1;
        }
        complete && exhausted
    }

    fn set_background_first(&mut self, on: bool) {
        self.background_first = on;
    }

    fn set_times_out(&mut self, on: bool) {
        self.times_out = on;
    }

    fn set_clock(&mut self, clock: Clock) {
        self.engine.set_tick(match clock {
            Clock::Usual => DEFAULT_TICK,
            Clock::Fast => DEFAULT_TICK * 1_009,
        });
    }

    fn run_serially(&mut self, test: &RunnableTest, order: &[u8], split: &Split) -> SerialRun {
        let mut strategy = Serial::new(self.slot())
            .background_first(self.background_first)
            .times_out(self.times_out);
        strategy.set_order(order, split);
        strategy.begin();
        let slot = self.slot();
        let test = &*test.undisturbed();
        // What one call after another does is compared with, not judged.
        self.watch(false);
        self.run_to(Observe::IfNew, test, &mut strategy, &[]);
        self.watch(true);
        if let (Some(state), true) = self.reached() {
            let calls = self.final_states.calls(state, self.engine.record());
            self.engine.add_calls(calls);
        }
        let record = self.engine.record();
        SerialRun {
            order: order.to_vec(),
            history: History::of(record, &TestShape::of(test), &slot),
            overlapped: strategy.overlapped(),
            panics: record
                .panics
                .iter()
                .map(|panic| panic.location.clone())
                .collect(),
        }
    }
}

/// Executions of one order of calls that show what mostly happens beside background threads.
const SOME_BESIDE_TASKS: u64 = 24;
/// What all interleavings of one order of calls with background threads may cost.
const ALL_BESIDE_TASKS: Budget = Budget {
    executions: 5_000,
    time: Duration::from_millis(300),
    minimum: 0,
};
/// They are not tried again for a subject for which they were so often too many.
const OFTEN: u32 = 2;

/// Runs one test again and again.
pub(super) struct Exploring<'a, 'i> {
    pub runner: &'a mut TestRunner<'i>,
    pub test: &'a RunnableTest,
    /// Memory accesses are watched, where the code under test reports them.
    pub watch: bool,
    /// Those of this memory are visible operations.
    pub visible: &'a [VisibleBytes],
    /// They are symbolised, likewise.
    pub symbolise: bool,
    /// Background threads go first whenever they can.
    pub background_first: bool,
    /// Which final states are observed.
    pub observe: Observe,
}

/// Which final states are observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Observe {
    /// All.
    Always,
    /// Those that no execution of the test has reached before.
    IfNew,
}

impl RunOnce for Exploring<'_, '_> {
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord {
        let slot = self.runner.slot();
        self.runner.watch(self.watch);
        let symbolise = self.symbolise && self.watch;
        self.runner.symbolise_fields(symbolise.then_some(0));
        let strategy = &mut Focused::new(strategy, slot).background_first(self.background_first);
        self.runner
            .run_to(self.observe, self.test, strategy, self.visible);
        self.runner.symbolise_fields(None);
        self.runner.watch(true);
        self.runner.engine.record()
    }
}
