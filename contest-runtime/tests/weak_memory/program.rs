//! Small programs as values, and what their exploration shows.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use contest::sync::atomic::{AtomicU32, fence};
use contest_data::decision::Strategy;
use contest_data::limits::{Limits, MemoryModel};
use contest_data::orderings::{AtomicPlace, OrderingSettings};
use contest_data::trace::{Action, Ending, ExecutionRecord, Writes};
use contest_engine::execution::Engine;
use contest_search::explore::{Explorer, RunOnce};

/// An operation on one of the locations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    /// Load.
    R(usize, Ordering),
    /// Store of this value.
    W(usize, u32, Ordering),
    /// Addition of this value.
    U(usize, u32, Ordering),
    /// Compare-exchange: expected, new, success, failure.
    C(usize, u32, u32, Ordering, Ordering),
    /// The same, and it may fail spuriously.
    Weak(usize, u32, u32, Ordering, Ordering),
    /// Fence.
    F(Ordering),
}

/// Operations by thread.
pub(crate) type Program = Vec<Vec<Op>>;

/// What each thread read, in order, and the last value of each location.
pub(crate) type Outcome = (Vec<Vec<u32>>, Vec<u32>);

/// An event: its thread in the program, and its number among the operations of that thread.
pub(crate) type Name = (usize, usize);

/// Which write each read took (`None`: the initial value), and the order of the writes to each location.
pub(crate) type GraphKey = (Vec<(Name, Option<Name>)>, Vec<Vec<Name>>);

pub(crate) const LOCATIONS: usize = 4;

#[track_caller]
pub(crate) fn perform(operation: Op, memory: &[AtomicU32; LOCATIONS], read: &mut Vec<u32>) {
    match operation {
        Op::R(at, order) => read.push(memory[at].load(order)),
        Op::W(at, value, order) => memory[at].store(value, order),
        Op::U(at, value, order) => read.push(memory[at].fetch_add(value, order)),
        Op::C(at, expected, new, success, failure) => {
            let result = memory[at].compare_exchange(expected, new, success, failure);
            read.push(result.unwrap_or_else(|found| found));
        }
        Op::Weak(at, expected, new, success, failure) => {
            let result = memory[at].compare_exchange_weak(expected, new, success, failure);
            read.push(result.unwrap_or_else(|found| found));
        }
        Op::F(order) => fence(order),
    }
}

/// Each operation is at a place of its own: who reads the same again and again at one place waits in a loop.
fn run_thread(operations: &[Op], memory: &[AtomicU32; LOCATIONS]) -> Vec<u32> {
    let mut read = Vec::new();
    let mut left = operations.iter().copied();
    while let Some(first) = left.next() {
        perform(first, memory, &mut read);
        if let Some(second) = left.next() {
            perform(second, memory, &mut read);
        }
        if let Some(third) = left.next() {
            perform(third, memory, &mut read);
        }
        if let Some(fourth) = left.next() {
            perform(fourth, memory, &mut read);
        }
    }
    read
}

/// Everything that an exploration showed.
#[derive(Debug, Default)]
pub(crate) struct Explored {
    pub(crate) outcomes: BTreeSet<Outcome>,
    /// Each graph once.
    pub(crate) graphs: BTreeSet<GraphKey>,
    /// Executions that came to their end.
    pub(crate) executions: usize,
    pub(crate) given_up: usize,
    pub(crate) exhausted: bool,
    pub(crate) cut: Option<String>,
    /// Operations by place, if they were collected.
    pub(crate) places: Vec<AtomicPlace>,
}

struct Runner<'p> {
    engine: Engine,
    program: &'p Program,
    outcomes: Arc<Mutex<Vec<Outcome>>>,
}

impl RunOnce for Runner<'_> {
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord {
        let (program, outcomes) = (self.program.clone(), self.outcomes.clone());
        self.engine.run(strategy, move || {
            let memory: Arc<[AtomicU32; LOCATIONS]> = Arc::default();
            let threads: Vec<_> = program
                .into_iter()
                .map(|operations| {
                    let memory = memory.clone();
                    contest::thread::spawn(move || run_thread(&operations, &memory))
                })
                .collect();
            let read = threads.into_iter().map(|thread| thread.join().unwrap());
            let read = read.collect();
            let last = Arc::into_inner(memory).unwrap().map(AtomicU32::into_inner);
            outcomes.lock().unwrap().push((read, last.to_vec()));
        })
    }
}

/// The events of the record as the program names them.
fn graph_of(record: &ExecutionRecord) -> GraphKey {
    let name = |event: u32| -> Name {
        let event = &record.events[event as usize];
        // Its first operation is its beginning.
        (usize::from(event.thread.0) - 1, event.index as usize - 1)
    };
    let known = |event: u32| (event != Writes::INITIAL).then(|| name(event));
    let reads = record.writes.reads.iter();
    let mut reads: Vec<_> = reads
        .map(|read| (name(read.event), known(read.from)))
        .collect();
    reads.sort();
    let orders = record.writes.orders.iter();
    let mut orders: Vec<Vec<Name>> = orders
        .map(|order| order.iter().filter_map(|event| known(*event)).collect())
        .filter(|order: &Vec<Name>| !order.is_empty())
        .collect();
    orders.sort();
    (reads, orders)
}

/// Explores the program with the strategy that this gives.
pub(crate) fn explore_with(program: &Program, model: MemoryModel, explorer: Explorer) -> Explored {
    explore_changed(program, model, explorer, OrderingSettings::default())
}

/// As [`explore_with`], with other orderings than those of the source.
pub(crate) fn explore_changed(
    program: &Program,
    model: MemoryModel,
    mut explorer: Explorer,
    settings: OrderingSettings,
) -> Explored {
    let outcomes = Arc::new(Mutex::new(Vec::new()));
    let limits = Limits {
        run_detached: true,
        memory_model: model,
        ..Limits::default()
    };
    let mut runner = Runner {
        engine: Engine::new(limits),
        program,
        outcomes: outcomes.clone(),
    };
    runner.engine.set_orderings(settings);
    let mut explored = Explored::default();
    while let Some(record) = explorer.next(&mut runner) {
        match &record.ending {
            Ending::Finished => {
                explored.executions += 1;
                explored.graphs.insert(graph_of(record));
                let fences = |action| matches!(action, Action::Fence(_));
                assert!(
                    record
                        .events
                        .iter()
                        .all(|event| event.index < 40 || fences(event.action))
                );
            }
            Ending::Abandoned => explored.given_up += 1,
            other => panic!("{program:?} ended with {other:?}"),
        }
    }
    explored.exhausted = explorer.exhausted();
    let gaps = explorer.gaps();
    explored.cut = (!gaps.is_empty()).then(|| gaps.to_string());
    explored.places = runner.engine.atomic_places();
    drop(runner);
    explored.outcomes = outcomes.lock().unwrap().drain(..).collect();
    explored
}
