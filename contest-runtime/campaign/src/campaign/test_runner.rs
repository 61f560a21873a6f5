//! Runs executions of tests on the engine, for all who need one.

mod serially;

use std::collections::HashMap;
use std::rc::Rc;

use super::cost::Cost;
use super::final_states::FinalStates;
use super::place_names::PlaceNames;
use crate::generate::body;
use contest_data::contact::{Shared, Uses};
use contest_data::decision::Strategy;
use contest_data::gap::{Gap, Gaps};
use contest_data::limits::Limits;
use contest_data::orderings::{AtomicPlace, OrderingSettings};
use contest_data::test::{RunnableTest, TestSlot};
use contest_data::trace::{
    Ending, ExecutionRecord, ObjectId, ThreadIndex, Touched, VisibleBytes, Within,
};
use contest_engine::execution::Engine;
use contest_engine::execution::os_thread::on_another;
use contest_engine::memory::{Isolation, Turn};
use contest_search::explore::{Focused, RunOnce, Waits};

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
    names: PlaceNames,
    isolation: &'i mut dyn Isolation,
    /// How often there were too many interleavings of one order of calls with background threads, by subject.
    too_many: HashMap<&'static str, u32>,
    /// In serial runs background threads go first whenever they can.
    background_first: bool,
    /// What in serial runs becomes of calls that wait for time.
    waits: Waits,
    /// By how much what is compared with may take longer than by default, see
    /// [`Settings::patience`](contest_data::settings::Settings::patience).
    patience: u32,
    /// Where memory of executions lies, see [`Isolation::scatter`]; 0 for the usual places.
    places: u64,
    /// What the last execution of a body did outside the process, as the ends of sentences.
    outside: Vec<&'static str>,
    /// The last execution of a body has opened descriptors.
    descriptors: bool,
    /// A sequence of calls runs for a generator.
    pub in_sequence: bool,
    pub cost: Cost,
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
            names: PlaceNames::default(),
            isolation,
            too_many: HashMap::new(),
            background_first: false,
            waits: Waits::Meet,
            patience: 1,
            places: 0,
            outside: Vec::new(),
            descriptors: false,
            in_sequence: false,
            cost: Cost::default(),
        }
    }

    /// Says where the stacks of virtual threads are, for a debugger.
    #[cfg(feature = "driver")]
    pub(super) fn show_to_debugger(&self) {
        self.engine.show_to_debugger();
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

    pub(super) fn set_patience(&mut self, patience: u32) {
        self.patience = patience;
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
            places,
            ..
        } = self;
        *left = Err("it was not computed");
        *reached = None;
        *unobserved = false;
        let lazy = observe == Observe::IfNew
            && !self.observe_all
            && test.drops | !test.observers.is_empty()
            && test.state.is_none()
            && test.subject.probe().is_none();
        if test.state.is_some() {
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
            if *places != 0 {
                isolation.scatter(*places);
            }
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
            if test.state.is_some() && slot.state().is_none() {
                *left = isolation.state(&engine.stacks());
            }
            engine.note_gaps(&outside(&isolation.outside()));
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
        // Where several threads run, only what they share is looked at.
        let shared_only = self.watches != Some(false);
        (self.names).symbolise_accesses(&mut self.engine, self.isolation, shared_only);
        let record = self.engine.record();
        self.cost.executions += 1;
        self.cost.watched += u64::from(self.watches == Some(true));
        self.cost.unobserved += u64::from(self.unobserved);
        self.cost.steps += u64::from(record.steps);
        self.cost.decisions += record.schedule.decisions.len() as u64;
        if !self.names.are_wanted(record) {
            return self.engine.record();
        }
        self.names.name(&mut self.engine, self.isolation)
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
        self.engine.note_gaps(&outside(&self.outside));
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

    /// True if the code under test could report its memory accesses and does not.
    pub(super) fn misses_accesses(&self) -> bool {
        self.watches.is_none() && self.isolation.sees_accesses()
    }

    /// From here on executions note where code under test allocates, or do no longer: a leaked block is reported with
    /// its place. Returns what was before.
    pub(super) fn note_allocations(&mut self, on: bool) -> bool {
        self.names.note_allocations(&mut self.engine, on)
    }

    /// From here on each visible operation of an execution is named by its call stack, or no longer.
    pub(super) fn note_callers(&mut self, on: bool) {
        self.engine.note_callers(on);
    }

    /// From here on executions wait longer for what background threads may do late, or no longer.
    pub(super) fn wait_longer(&mut self, on: bool) {
        self.engine.wait_longer(on);
    }

    /// From here on executions note where they allocate, and locks, atomics and the like are named by the fields that
    /// they are; or no longer. Looking those up takes long.
    pub(super) fn name_objects(&mut self, on: bool) {
        self.names.note_objects(&mut self.engine, on);
    }

    /// Objects of the last execution that lie in static memory, with their addresses, if they were to get names.
    pub(super) fn static_objects(&self) -> Vec<(ObjectId, usize)> {
        self.engine.static_objects()
    }

    /// The executions to come are alone, or not, among those of other processes.
    pub(super) fn take_turns(&mut self, turn: Turn) {
        self.isolation.take_turns(turn);
    }

    /// True if the last execution could meet others outside the process.
    pub(super) fn meets_others(&mut self) -> bool {
        self.isolation.meets_others()
    }

    /// From here on it is noted what code under test shares with others: objects in static memory, plain accesses of
    /// it, and what is no memory; or no longer.
    pub(super) fn note_contacts(&mut self, on: bool) {
        self.name_objects(on);
        self.engine.note_statics(on);
        self.isolation.note_contacts(on);
    }

    /// What the last execution shared beside memory, if that was to be noted.
    pub(super) fn contacts(&mut self) -> Vec<(Shared, Uses)> {
        self.isolation.contacts()
    }

    /// Addresses in static memory that the last execution accessed without synchronisation, if that was to be noted,
    /// and whether it wrote there.
    pub(super) fn accessed_statics(&mut self) -> Vec<(usize, bool)> {
        self.engine.accessed_statics()
    }

    /// What the static at this address is called, if debug information tells.
    pub(super) fn static_at(&mut self, address: usize) -> Option<String> {
        let touched = Touched {
            size: 1,
            within: Within::Address(address),
            field: None,
        };
        self.isolation.name_field(&touched, &[])
    }

    /// In the executions to come so many waits end spuriously, when the strategy says so; returns how many did.
    pub(super) fn set_spurious_wakeups(&mut self, times: u32) -> u32 {
        self.engine.set_spurious_wakeups(times)
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

    /// The record of the last execution.
    pub(super) fn record(&self) -> &ExecutionRecord {
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

impl<'a, 'i> Exploring<'a, 'i> {
    /// Executions that observe every final state and note nothing more.
    pub(super) fn of(runner: &'a mut TestRunner<'i>, test: &'a RunnableTest) -> Self {
        Self {
            runner,
            test,
            watch: false,
            visible: &[],
            symbolise: false,
            background_first: false,
            observe: Observe::Always,
        }
    }
}

/// Which final states are observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Observe {
    /// All.
    Always,
    /// Those that no execution of the test has reached before.
    IfNew,
}

/// What an execution did outside the process, as a gap.
fn outside(deeds: &[&str]) -> Gaps {
    match deeds {
        [] => Gaps::NONE,
        deeds => Gap::Outside(deeds.join(" and ")).into(),
    }
}

impl RunOnce for Exploring<'_, '_> {
    /// A claim about every interleaving includes data races, so memory is watched in the executions it rests on.
    fn exhaustive(&mut self, is: bool) {
        self.watch |= is;
    }

    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord {
        let slot = self.runner.slot();
        self.runner.watch(self.watch);
        let symbolise = self.symbolise && self.watch;
        self.runner.symbolise_fields(symbolise.then_some(0));
        let strategy = &mut Focused::new(strategy, slot).background_first(self.background_first);
        self.runner
            .run_to(self.observe, self.test, strategy, self.visible);
        let not_chosen = strategy.not_chosen(self.runner.engine.record());
        self.runner.engine.note_gaps(&not_chosen);
        self.runner.symbolise_fields(None);
        self.runner.watch(true);
        self.runner.engine.record()
    }
}
