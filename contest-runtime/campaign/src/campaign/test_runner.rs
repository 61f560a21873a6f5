//! Runs executions of tests on the engine, for all who need one.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use crate::generate::body;
use crate::judge::Clock;
use crate::judge::name_of;
use crate::judge::{History, RunSerially, SerialRun};
use contest_data::decision::Strategy;
use contest_data::limits::DEFAULT_TICK;
use contest_data::limits::Limits;
use contest_data::test::{RunnableTest, Split, TestShape, TestSlot};
use contest_data::trace::{Ending, ExecutionRecord, Frame, Outcome, Touched, VisibleBytes};
use contest_engine::execution::Engine;
use contest_engine::execution::os_thread::on_another;
use contest_engine::memory::Isolation;
use contest_search::explore::{Focused, RunOnce, Serial};

/// What runs of one subject cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    pub executions: u64,
    pub steps: u64,
    pub decisions: u64,
    /// Executions whose memory accesses were watched.
    pub watched: u64,
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
    isolation: &'i mut dyn Isolation,
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
        }
    }
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, more: Self) {
        self.executions += more.executions;
        self.steps += more.steps;
        self.decisions += more.decisions;
        self.watched += more.watched;
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
            isolation,
            stacks: HashMap::new(),
            fields: HashMap::new(),
            #[cfg(all(
                feature = "driver",
                target_os = "linux",
                any(target_arch = "x86_64", target_arch = "aarch64")
            ))]
            symboliser: super::symbolise::Symboliser::default(),
            cost: Cost::default(),
        }
    }

    /// Runs one execution of the test, in which accesses of this memory are visible operations.
    pub(super) fn run(
        &mut self,
        test: &RunnableTest,
        strategy: &mut dyn Strategy,
        visible: &[VisibleBytes],
    ) -> &ExecutionRecord {
        if self.visible != visible {
            self.visible = visible.to_vec();
            self.engine.see(visible);
        }
        let Self {
            engine,
            slot,
            isolation,
            spoilt,
            left,
            ..
        } = self;
        *left = Err("not asked for");
        if *spoilt {
            // Only where unfinished executions are unwound: not in a driver.
            on_another(|| {
                isolation.begin();
                engine.run(strategy, body(slot, test));
                isolation.end();
            });
        } else {
            isolation.begin();
            let record = engine.run(strategy, body(slot, test));
            let regular = record.quiescent && record.ending == Ending::Finished;
            if test.drops && regular && record.panics.is_empty() {
                let blocks = isolation.unowned();
                engine.set_unowned(&blocks);
            }
            if test.state && slot.state().is_none() {
                *left = isolation.state();
            }
            isolation.end();
            *spoilt = engine.spoilt_os_thread();
        }
        self.symbolise_accesses();
        let record = self.engine.record();
        self.cost.executions += 1;
        self.cost.watched += u64::from(self.watches == Some(true));
        self.cost.steps += u64::from(record.steps);
        self.cost.decisions += record.schedule.decisions.len() as u64;
        let named = record.unowned.is_empty() && record.visible.is_empty();
        if named && record.faults.is_empty() && record.contended.is_empty() {
            return self.engine.record();
        }
        self.name_places()
    }

    /// True if the code under test reports its memory accesses.
    pub(super) fn reports_accesses(&self) -> bool {
        self.watches.is_some()
    }

    /// From here on executions note where code under test allocates, or do no longer: a leaked block is reported with
    /// its place. Returns what was before.
    pub(super) fn note_allocations(&mut self, on: bool) -> bool {
        self.engine.note_allocations(on)
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
                isolation,
                ..
            } = self;
            engine.name_places(&mut super::symbolise::Named {
                stacks,
                fields,
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

    /// Which lane ran where, in the last execution.
    pub(super) fn slot(&self) -> Rc<TestSlot> {
        Rc::clone(&self.slot)
    }
}

impl RunSerially for TestRunner<'_> {
    fn set_clock(&mut self, clock: Clock) {
        self.engine.set_tick(match clock {
            Clock::Usual => DEFAULT_TICK,
            Clock::Fast => DEFAULT_TICK * 1_009,
        });
    }

    fn run_serially(&mut self, test: &RunnableTest, order: &[u8], split: &Split) -> SerialRun {
        let mut strategy = Serial::new(self.slot());
        strategy.set_order(order, split);
        strategy.begin();
        let slot = self.slot();
        // What one call after another does is compared with, not judged.
        self.watch(false);
        self.run(test, &mut strategy, &[]);
        self.watch(true);
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
}

impl RunOnce for Exploring<'_, '_> {
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord {
        let slot = self.runner.slot();
        self.runner.watch(self.watch);
        let symbolise = self.symbolise && self.watch;
        self.runner.symbolise_fields(symbolise.then_some(0));
        self.runner
            .run(self.test, &mut Focused::new(strategy, slot), self.visible);
        self.runner.symbolise_fields(None);
        self.runner.watch(true);
        self.runner.engine.record()
    }
}

/// A hash of all that the judge looks at: results, how it ended, and which calls came after which.
pub(super) fn outcome_key(record: &ExecutionRecord, slot: &TestSlot) -> u64 {
    let mut hasher = DefaultHasher::new();
    // Calls are recorded in order of their beginning; their sum is the same in any order.
    let mut calls = 0_u64;
    let mut panicked = false;
    for call in &record.calls {
        let mut one = DefaultHasher::new();
        let name = name_of(call.thread, call.call, slot);
        (name, call.blocked, call.waited_out).hash(&mut one);
        match &call.outcome {
            // The message may hold values.
            Outcome::Panicked(..) => panicked = true,
            outcome => outcome.hash(&mut one),
        }
        // Which calls had ended before this one began.
        if call.thread != contest_data::trace::ThreadIndex::MAIN {
            for other in &record.calls {
                if other.ended < call.began
                    && other.thread != contest_data::trace::ThreadIndex::MAIN
                {
                    name_of(other.thread, other.call, slot).hash(&mut one);
                }
            }
        }
        calls = calls.wrapping_add(one.finish());
    }
    calls.hash(&mut hasher);
    if panicked || !record.panics.is_empty() {
        for panic in &record.panics {
            (&panic.location, panic.thread, panic.call).hash(&mut hasher);
        }
    }
    (record.early_timeout, record.background_steps).hash(&mut hasher);
    let mut unowned: Vec<usize> = record.unowned.iter().map(|block| block.size).collect();
    unowned.sort_unstable();
    unowned.hash(&mut hasher);
    for fault in &record.faults {
        for (deed, at) in fault.deeds() {
            (at.place, deed).hash(&mut hasher);
        }
    }
    match &record.ending {
        Ending::Finished => 0_u8.hash(&mut hasher),
        Ending::Deadlock(blocked) | Ending::Livelock(blocked) => {
            matches!(record.ending, Ending::Deadlock(_)).hash(&mut hasher);
            for thread in blocked {
                (thread.thread, thread.call, &thread.location).hash(&mut hasher);
            }
        }
        Ending::StepLimit(_) => 3_u8.hash(&mut hasher),
        Ending::MemoryLimit(_) => 4_u8.hash(&mut hasher),
        Ending::Abandoned => 5_u8.hash(&mut hasher),
        Ending::Panicked(_) => 6_u8.hash(&mut hasher),
        Ending::Exit(text) | Ending::Unsupported(text) => text.hash(&mut hasher),
    }
    hasher.finish()
}
