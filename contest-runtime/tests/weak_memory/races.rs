//! What sequentially consistent executions say of others: where they say that there are none, RC11 shows none.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::{Arc, Mutex as StdMutex};

use contest::sync::atomic::AtomicU32;
use contest::sync::{Mutex, MutexGuard};
use contest_data::decision::Strategy;
use contest_data::limits::{Limits, MemoryModel};
use contest_data::rng::Rng;
use contest_data::trace::{Ending, ExecutionRecord};
use contest_engine::execution::Engine;
use contest_search::explore::{Budget, Explorer, RunOnce, WeakRaces};

use crate::program::{LOCATIONS, Op, perform};
use crate::random_programs::one_of;

/// A thread of at most four operations. It ends before an operation that has a value, unless it has read that last.
#[derive(Clone, Debug)]
struct Thread {
    /// The operation before which it takes the lock, until it ends, or tries to: it goes on only if that fails.
    locks: Option<(usize, Locks)>,
    operations: Vec<(Option<u32>, Op)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Locks {
    Takes,
    Tries,
}

type Outcome = (Vec<Vec<u32>>, Vec<u32>);

#[derive(Default)]
struct Shared {
    lock: Mutex<()>,
    memory: [AtomicU32; LOCATIONS],
}

impl Thread {
    fn run(&self, shared: &Shared) -> Vec<u32> {
        let (mut held, mut read) = (None, Vec::new());
        // Each operation is at a place of its own.
        let _ = self.step(0, shared, &mut held, &mut read)
            && self.step(1, shared, &mut held, &mut read)
            && self.step(2, shared, &mut held, &mut read)
            && self.step(3, shared, &mut held, &mut read);
        read
    }

    /// True if the thread goes on after this operation.
    #[track_caller]
    fn step<'s>(
        &self,
        number: usize,
        shared: &'s Shared,
        held: &mut Option<MutexGuard<'s, ()>>,
        read: &mut Vec<u32>,
    ) -> bool {
        match self.locks.filter(|(at, _)| *at == number) {
            Some((_, Locks::Takes)) => *held = Some(shared.lock.lock().unwrap()),
            Some((_, Locks::Tries)) if shared.lock.try_lock().is_ok() => return false,
            _ => {}
        }
        let next = self.operations.get(number);
        let next = next.filter(|(only, _)| only.is_none_or(|only| read.last() == Some(&only)));
        if let Some((_, operation)) = next {
            perform(*operation, &shared.memory, read);
        }
        next.is_some()
    }
}

/// A program, with what its executions show.
struct Runner<'p> {
    engine: Engine,
    program: &'p [Thread],
    outcomes: Arc<StdMutex<BTreeSet<Outcome>>>,
}

impl RunOnce for Runner<'_> {
    fn run_once(&mut self, strategy: &mut dyn Strategy) -> &ExecutionRecord {
        let (program, outcomes) = (self.program.to_vec(), self.outcomes.clone());
        self.engine.run(strategy, move || {
            let shared = Arc::new(Shared::default());
            let threads = program.into_iter().map(|thread| {
                let shared = shared.clone();
                contest::thread::spawn(move || thread.run(&shared))
            });
            let threads: Vec<_> = threads.collect();
            let read = threads.into_iter().map(|it| it.join().unwrap());
            let read = read.collect();
            let last = shared.memory.iter().map(|it| it.load(SeqCst)).collect();
            outcomes.lock().unwrap().insert((read, last));
        })
    }
}

/// All outcomes under a model, and whether another model may make a difference if this one is sequential consistency.
fn explore(program: &[Thread], memory_model: MemoryModel) -> (BTreeSet<Outcome>, bool) {
    let budget = Budget::executions(1_000_000);
    let explorer = match memory_model {
        MemoryModel::Sc => Explorer::new("dpor", 1, budget),
        MemoryModel::Rc11 => Explorer::weak("dpor", 1, budget),
    };
    let limits = Limits {
        run_detached: true,
        memory_model,
        ..Limits::default()
    };
    let outcomes = Arc::default();
    let mut runner = Runner {
        engine: Engine::new(limits),
        program,
        outcomes: Arc::clone(&outcomes),
    };
    let (mut explorer, mut races) = (explorer.unwrap(), WeakRaces::default());
    while let Some(record) = explorer.next(&mut runner) {
        let ended = matches!(record.ending, Ending::Finished | Ending::Abandoned);
        assert!(ended, "{program:?} ended with {:?}", record.ending);
        races.see(record);
    }
    assert!(explorer.exhausted(), "{program:?}: {}", explorer.gaps());
    drop(runner);
    let outcomes = std::mem::take(&mut *outcomes.lock().unwrap());
    (outcomes, races.make_a_difference())
}

fn random_program(rng: &mut Rng) -> Vec<Thread> {
    // Most programs of every kind of operation have races that matter: some have few kinds, or few locations.
    let kinds: &[u32] = one_of(
        rng,
        &[
            &[0, 1, 2, 3],
            &[2],
            &[2, 2, 2, 0],
            &[2, 2, 3],
            &[0, 0, 0, 1],
            &[0, 0, 2],
        ],
    );
    let orders: &[Ordering] = one_of(
        rng,
        &[
            &[Relaxed, Acquire, Release, AcqRel, SeqCst],
            &[Acquire, Release, AcqRel],
            &[Relaxed, SeqCst, SeqCst],
        ],
    );
    let locations = 1 + rng.below(3);
    let locked = rng.below(4);
    let operation = |rng: &mut Rng| {
        let at = rng.below(locations) as usize;
        let order = |rng: &mut Rng, fits: &[Ordering]| loop {
            let order = one_of(rng, orders);
            if fits.contains(&order) {
                break order;
            }
            if !orders.iter().any(|order| fits.contains(order)) {
                break SeqCst;
            }
        };
        let load = order(rng, &[Relaxed, Acquire, SeqCst]);
        let store = order(rng, &[Relaxed, Release, SeqCst]);
        let update = order(rng, &[Relaxed, Acquire, Release, AcqRel, SeqCst]);
        match one_of(rng, kinds) {
            0 => Op::R(at, load),
            1 => Op::W(at, 1 + rng.below(2), store),
            2 => Op::U(at, 1, update),
            _ if rng.coin() => Op::Weak(at, rng.below(2), 2, update, load),
            _ => Op::C(at, rng.below(2), 2, update, load),
        }
    };
    (0..one_of(rng, &[2, 2, 3]))
        .map(|_| Thread {
            locks: (locked == 0 || rng.below(4) < locked).then(|| {
                let locks = one_of(rng, &[Locks::Takes, Locks::Takes, Locks::Tries]);
                (rng.below(2) as usize, locks)
            }),
            operations: (0..1 + rng.below(3))
                .map(|number| {
                    let only = (number > 0 && rng.coin()).then(|| rng.below(3));
                    (only, operation(rng))
                })
                .collect(),
        })
        .collect()
}

/// How many programs have none but sequentially consistent outcomes, and of how many that was said.
fn compare(seed: u64, programs: u32) -> (u32, u32) {
    let mut rng = Rng::new(seed);
    let (mut consistent, mut said) = (0, 0);
    for _ in 0..programs {
        let program = random_program(&mut rng);
        let (sc, may_differ) = explore(&program, MemoryModel::Sc);
        let (rc11, _) = explore(&program, MemoryModel::Rc11);
        assert!(sc.is_subset(&rc11), "{program:?}");
        assert!(
            may_differ || sc == rc11,
            "{program:?} shows {:?}",
            rc11.difference(&sc)
        );
        consistent += u32::from(sc == rc11);
        said += u32::from(!may_differ && has_weak(&program));
    }
    println!("{programs} programs, {consistent} sequentially consistent, {said} said so");
    (consistent, said)
}

fn has_weak(program: &[Thread]) -> bool {
    let mut operations = program.iter().flat_map(|thread| &thread.operations);
    operations.any(|(_, operation)| match *operation {
        Op::R(_, order) | Op::W(_, _, order) | Op::U(_, _, order) => order != SeqCst,
        _ => true,
    })
}

#[test]
fn where_nothing_races_that_matters_rc11_shows_nothing_else() {
    let (consistent, said) = compare(1, 3_000);
    assert!(
        said >= 1_000,
        "of {consistent} programs only {said} were said to be consistent"
    );
}

#[test]
#[ignore = "a longer variant of the test above"]
fn where_nothing_races_that_matters_in_thirty_thousand_programs() {
    compare(2, 30_000);
}

/// In each, a relaxed count is seen, and what was done before it is not; no sequentially consistent execution has the
/// other order.
#[test]
fn counts_that_order_nothing_make_a_difference_for_what_they_do_not_order() {
    let counts = Op::U(1, 1, Relaxed);
    for (first, second) in [
        // A read that would order itself after the store is not ordered by that.
        (Op::W(0, 1, Release), Op::R(0, Acquire)),
        // All others are sequentially consistent.
        (Op::W(0, 1, SeqCst), Op::R(0, SeqCst)),
        // An exchange fails on the older value.
        (Op::U(0, 1, Relaxed), Op::C(0, 1, 2, Relaxed, Relaxed)),
    ] {
        let thread = |operations: [(Option<u32>, Op); 2]| Thread {
            locks: None,
            operations: operations.to_vec(),
        };
        let program = [
            thread([(None, first), (None, counts)]),
            thread([(None, counts), (Some(1), second)]),
        ];
        let (sc, may_differ) = explore(&program, MemoryModel::Sc);
        let (rc11, _) = explore(&program, MemoryModel::Rc11);
        assert_ne!(sc, rc11, "{program:?}");
        assert!(may_differ, "{program:?}");
    }
}

/// To try a lock in vain orders nothing, whatever was done before it was taken.
#[test]
fn a_try_in_vain_makes_a_difference_for_what_it_does_not_order() {
    let thread = |locks, operations: [(Option<u32>, Op); 2]| Thread {
        locks: Some((1, locks)),
        operations: operations.to_vec(),
    };
    let program = [
        thread(
            Locks::Takes,
            [(None, Op::W(0, 1, SeqCst)), (None, Op::R(2, SeqCst))],
        ),
        thread(
            Locks::Tries,
            [(None, Op::R(1, SeqCst)), (None, Op::R(0, SeqCst))],
        ),
    ];
    let (sc, may_differ) = explore(&program, MemoryModel::Sc);
    let (rc11, _) = explore(&program, MemoryModel::Rc11);
    assert_ne!(sc, rc11, "{program:?}");
    assert!(may_differ, "{program:?}");
}
