//! Numbers of execution graphs, held against those that GenMC publishes for its own tests.
//!
//! The names and the numbers are those of `tests/correct` of GenMC 0.11 (github.com/MPI-SWS/genmc):
//! `expected.rc11.mo.in` and `expected.sc.mo.in`. The programs are written anew from the shapes of those tests. As
//! there, an execution in which an assumption fails, or a thread waits for ever, does not count. The column of
//! sequential consistency is the same program with `SeqCst` for every ordering.

mod families;
mod locks;
mod long;
mod loops;
mod queues;
mod structures;
mod three_threads;
mod two_threads;
mod unwritten;

use std::collections::BTreeSet;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use contest::sync::Mutex;
use contest::sync::atomic::{AtomicI32, fence};
use contest_data::decision::Strategy;
use contest_data::limits::{Limits, MemoryModel};
use contest_data::trace::{Ending, ExecutionRecord};
use contest_engine::execution::Engine;
use contest_search::explore::{Budget, Explorer, RunOnce};
use unwritten::{OTHERWISE, UNWRITTEN};

/// Programs in the collection.
const ALL: usize = 291;

/// A location.
struct Var {
    value: AtomicI32,
    /// Every access is sequentially consistent.
    sc: bool,
}

macro_rules! accesses {
    ($($load:ident: $load_order:ident;)* | $($store:ident: $store_order:ident;)* | $($add:ident: $add_order:ident;)*) => {
        impl Var {
            $(#[track_caller]
            fn $load(&self) -> i32 {
                self.value.load(self.order(Ordering::$load_order))
            })*
            $(#[track_caller]
            fn $store(&self, value: i32) {
                self.value.store(value, self.order(Ordering::$store_order));
            })*
            $(#[track_caller]
            fn $add(&self, value: i32) -> i32 {
                self.value.fetch_add(value, self.order(Ordering::$add_order))
            })*
        }
    };
}

accesses! {
    r: Relaxed; ra: Acquire; rs: SeqCst; |
    w: Relaxed; wr: Release; ws: SeqCst; |
    add: Relaxed; adda: Acquire; addr: Release; addx: AcqRel; adds: SeqCst;
}

impl Var {
    fn order(&self, order: Ordering) -> Ordering {
        if self.sc { Ordering::SeqCst } else { order }
    }

    #[track_caller]
    fn load(&self, order: Ordering) -> i32 {
        self.value.load(self.order(order))
    }

    #[track_caller]
    fn store(&self, value: i32, order: Ordering) {
        self.value.store(value, self.order(order));
    }

    #[track_caller]
    fn exchange(
        &self,
        expected: i32,
        new: i32,
        success: Ordering,
        failure: Ordering,
    ) -> Result<i32, i32> {
        let (success, failure) = (self.order(success), self.order(failure));
        self.value.compare_exchange(expected, new, success, failure)
    }

    /// Compare-exchange, relaxed; true if it wrote.
    #[track_caller]
    fn cas(&self, expected: i32, new: i32) -> bool {
        let result = self.exchange(expected, new, Ordering::Relaxed, Ordering::Relaxed);
        result.is_ok()
    }

    /// Compare-exchange, sequentially consistent; true if it wrote.
    #[track_caller]
    fn cass(&self, expected: i32, new: i32) -> bool {
        let result = self.exchange(expected, new, Ordering::SeqCst, Ordering::SeqCst);
        result.is_ok()
    }

    #[track_caller]
    fn swap(&self, value: i32, order: Ordering) -> i32 {
        self.value.swap(value, self.order(order))
    }
}

/// What the threads of a program share.
struct Memory {
    x: Var,
    y: Var,
    z: Var,
    u: Var,
    array: Vec<Var>,
    locks: [Mutex<()>; 3],
    /// An assumption failed.
    failed: AtomicBool,
}

impl Memory {
    fn new(sc: bool) -> Self {
        let var = || Var {
            value: AtomicI32::new(0),
            sc,
        };
        Self {
            x: var(),
            y: var(),
            z: var(),
            u: var(),
            array: (0..40).map(|_| var()).collect(),
            locks: Default::default(),
            failed: AtomicBool::new(false),
        }
    }

    #[track_caller]
    fn fence(&self, order: Ordering) {
        fence(order);
    }

    /// What holds in every execution that counts; the thread ends if not.
    fn assume(&self, holds: bool) -> Option<()> {
        if !holds {
            self.failed.store(true, Ordering::Relaxed);
        }
        holds.then_some(())
    }
}

type Thread = Arc<dyn Fn(&Memory) -> Option<()> + Send + Sync>;

/// Threads that end at the first assumption that fails.
macro_rules! threads {
    ($(|$memory:ident| $body:block)+) => {
        vec![$($crate::litmus::thread(move |$memory: &$crate::litmus::Memory| {
            $body
            Some(())
        })),+]
    };
}
use threads;

fn thread(body: impl Fn(&Memory) -> Option<()> + Send + Sync + 'static) -> Thread {
    Arc::new(body)
}

/// A program with the numbers that are published; SC where there is one.
struct Case {
    rc11: usize,
    sc: Option<usize>,
    /// What the main thread does before the others begin.
    before: Option<Thread>,
    threads: Vec<Thread>,
}

/// A row of the collection: a name, and a program or a series of them.
struct Row {
    family: &'static str,
    name: &'static str,
    cases: Vec<Case>,
}

/// Rows under construction.
struct Rows {
    family: &'static str,
    rows: Vec<Row>,
}

impl Rows {
    fn new(family: &'static str) -> Self {
        Self {
            family,
            rows: Vec::new(),
        }
    }

    fn one(
        &mut self,
        name: &'static str,
        rc11: usize,
        sc: impl Into<Option<usize>>,
        threads: Vec<Thread>,
    ) {
        self.series(name, &[(0, rc11)], sc.into().as_slice(), |_| {
            threads.clone()
        });
    }

    fn begun(
        &mut self,
        name: &'static str,
        (rc11, sc): (usize, usize),
        before: Vec<Thread>,
        threads: Vec<Thread>,
    ) {
        self.one(name, rc11, sc, threads);
        let case = &mut self.rows.last_mut().expect("it was added").cases[0];
        case.before = before.into_iter().next();
    }

    /// For each size a number.
    fn series(
        &mut self,
        name: &'static str,
        rc11: &[(usize, usize)],
        sc: &[usize],
        threads: impl Fn(usize) -> Vec<Thread>,
    ) {
        let cases = rc11.iter().enumerate().map(|(at, &(size, rc11))| Case {
            rc11,
            sc: sc.get(at).copied(),
            before: None,
            threads: threads(size),
        });
        self.rows.push(Row {
            family: self.family,
            name,
            cases: cases.collect(),
        });
    }

    /// A series with the same numbers under sequential consistency.
    fn both(
        &mut self,
        name: &'static str,
        numbers: &[(usize, usize)],
        threads: impl Fn(usize) -> Vec<Thread>,
    ) {
        let sc: Vec<usize> = numbers.iter().map(|(_, number)| *number).collect();
        self.series(name, numbers, &sc, threads);
    }
}

struct Runner {
    engine: Engine,
    before: Option<Thread>,
    threads: Vec<Thread>,
    sc: bool,
    failed: Arc<AtomicUsize>,
}

impl RunOnce for Runner {
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord {
        let (threads, sc, failed) = (self.threads.clone(), self.sc, self.failed.clone());
        let before = self.before.clone();
        self.engine.run(strategy, move || {
            let memory = Arc::new(Memory::new(sc));
            if let Some(before) = before {
                before(&memory);
            }
            let threads: Vec<_> = threads
                .into_iter()
                .map(|body| {
                    let memory = memory.clone();
                    contest::thread::spawn(move || body(&memory))
                })
                .collect();
            for thread in threads {
                thread.join().unwrap();
            }
            failed.fetch_add(
                usize::from(memory.failed.load(Ordering::Relaxed)),
                Ordering::Relaxed,
            );
        })
    }
}

/// What the exploration of a program came to: the number of executions that count, of all, and why it is not whole.
fn count(case: &Case, sc: bool) -> (usize, usize, Option<String>) {
    let mut explorer = Explorer::weak("dpor", 1, Budget::executions(2_000_000)).unwrap();
    let limits = Limits {
        memory_model: MemoryModel::Rc11,
        spin_iterations: 8,
        ..Limits::default()
    };
    let failed = Arc::new(AtomicUsize::new(0));
    let mut runner = Runner {
        engine: Engine::new(limits),
        before: case.before.clone(),
        threads: case.threads.clone(),
        sc,
        failed: failed.clone(),
    };
    let (mut finished, mut all, mut before) = (0, 0, 0);
    while let Some(record) = explorer.next(&mut runner) {
        let ended = usize::from(record.ending == Ending::Finished);
        let traces = explorer.traces().unwrap_or_default();
        if traces.traces + traces.redundant < before {
            // A loop was found, with which the exploration began anew.
            finished = 0;
            failed.store(0, Ordering::Relaxed);
        }
        before = traces.traces + traces.redundant;
        all += 1;
        finished += ended;
    }
    let gaps = explorer.gaps();
    let missing = (!gaps.is_empty()).then(|| gaps.to_string());
    (finished - failed.load(Ordering::Relaxed), all, missing)
}

/// Explores every program of the rows and compares.
#[track_caller]
fn check(rows: Vec<Row>) {
    let mut wrong = Vec::new();
    for row in rows {
        for (at, case) in row.cases.iter().enumerate() {
            let models = [(false, Some(case.rc11)), (true, case.sc)];
            for (sc, expected) in models {
                let Some(expected) = expected else { continue };
                let (found, all, missing) = count(case, sc);
                let model = if sc { "sc" } else { "rc11" };
                let line = format!(
                    "{} {} {at} {model}: {found} of {expected}, {all} executions",
                    row.family, row.name
                );
                println!("{line}");
                if found != expected || missing.is_some() {
                    wrong.push(format!("{line} {missing:?}"));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}:\n{}",
        Location::caller(),
        wrong.join("\n")
    );
}

fn all_rows() -> Vec<Row> {
    [
        two_threads::rows(),
        three_threads::rows(),
        families::rows(),
        loops::rows(),
        locks::rows(),
        long::rows(),
        structures::rows(),
        queues::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[test]
fn programs_of_two_threads_have_the_published_numbers() {
    check(two_threads::rows());
}

#[test]
fn programs_of_three_threads_have_the_published_numbers() {
    check(three_threads::rows());
}

#[test]
fn families_of_programs_have_the_published_numbers() {
    check(families::rows());
}

#[test]
fn programs_that_wait_have_the_published_numbers() {
    check(loops::rows());
}

#[test]
fn programs_with_many_events_have_the_published_numbers() {
    check(long::many_events());
}

#[test]
fn programs_with_many_graphs_have_the_published_numbers() {
    check(long::many_graphs());
}

#[test]
fn programs_with_locks_have_the_published_numbers() {
    check(locks::rows());
}

#[test]
fn data_structures_have_the_published_numbers() {
    check(structures::rows());
    check(queues::rows());
    check(structures::rows_of_miri());
}

#[test]
fn every_program_is_written_or_has_a_reason() {
    let mut names = BTreeSet::new();
    let rows = all_rows();
    for row in &rows {
        assert!(
            names.insert((row.family, row.name)),
            "{} {} twice",
            row.family,
            row.name
        );
    }
    for &(family, name, reason) in UNWRITTEN {
        println!("{family} {name}: {reason}");
        assert!(names.insert((family, name)), "{family} {name} twice");
    }
    let otherwise = OTHERWISE.iter().filter(|name| names.contains(*name));
    let as_published = rows.len() - otherwise.count();
    println!("{as_published} of {ALL} have the published number");
    assert_eq!(names.len(), ALL);
    assert!(as_published >= 211);
}
