//! Races of random programs, as the engine finds them in random executions, against happens-before by its definition:
//! the transitive closure over the whole execution of program order, creation, joining, and synchronises-with of
//! atomics and fences.

use std::sync::Arc;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

use contest::sync::atomic::{AtomicU64, fence};
use contest::thread;
use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_data::trace::{
    AccessKind, Action, ExecutionRecord, FaultyAccess, MemoryFault, ObjectId,
};
use contest_engine::execution::{Engine, active};
use contest_search::explore::Random;

const ATOMICS: usize = 2;
const PLACES: usize = ATOMICS + 2;

/// What a thread does at one place: first come the atomics, then memory that is only accessed plainly.
#[derive(Clone, Copy, Debug)]
enum Op {
    Load(usize, Ordering),
    Store(usize, Ordering),
    Rmw(usize, Ordering),
    Fence(Ordering),
    Read(usize),
    Write(usize),
}

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    /// Now and then an atomic is accessed plainly: only then can an atomic operation race.
    fn op(&mut self) -> Op {
        let atomic = self.below(ATOMICS);
        let rare = self.below(6) == 0;
        let plain = if rare {
            atomic
        } else {
            ATOMICS + self.below(2)
        };
        match self.below(12) {
            0..3 => Op::Load(atomic, [Relaxed, Acquire, SeqCst][self.below(3)]),
            3..5 => Op::Store(atomic, [Relaxed, Release, SeqCst][self.below(3)]),
            5..7 => Op::Rmw(atomic, [Relaxed, Acquire, Release, AcqRel][self.below(4)]),
            7 => Op::Fence([Acquire, Release, SeqCst][self.below(3)]),
            8..10 => Op::Read(plain),
            _ => Op::Write(plain),
        }
    }
}

fn perform(op: Op, atomics: &[AtomicU64; ATOMICS], addresses: &[usize; PLACES]) {
    match op {
        Op::Load(at, order) => drop(atomics[at].load(order)),
        Op::Store(at, order) => atomics[at].store(1, order),
        Op::Rmw(at, order) => drop(atomics[at].fetch_add(1, order)),
        Op::Fence(order) => fence(order),
        Op::Read(at) => active().unwrap().plain_read(addresses[at], 8),
        Op::Write(at) => active().unwrap().plain_write(addresses[at], 8),
    }
}

/// The main thread looks at every atomic once, so that it is known which object is which, and creates and joins the
/// others.
fn run(
    threads: &Arc<Vec<Vec<Op>>>,
    memory: &Arc<[u64; 2]>,
    addresses_of_run: &std::cell::Cell<[usize; PLACES]>,
) {
    let atomics: Arc<[AtomicU64; ATOMICS]> = Arc::default();
    let address = |at: usize| (&raw const atomics[at]).addr();
    let plain = |at: usize| (&raw const memory[at]).addr();
    let addresses = [address(0), address(1), plain(0), plain(1)];
    addresses_of_run.set(addresses);
    for atomic in atomics.iter() {
        atomic.load(Relaxed);
    }
    let started: Vec<_> = (0..threads.len())
        .map(|number| {
            let (threads, atomics) = (Arc::clone(threads), Arc::clone(&atomics));
            thread::spawn(move || {
                for op in &threads[number] {
                    perform(*op, &atomics, &addresses);
                }
            })
        })
        .collect();
    for thread in started {
        thread.join().unwrap();
    }
}

/// One operation or access of an execution.
#[derive(Clone, Copy, Debug)]
struct Step {
    thread: u16,
    /// Operations before it; an atomic operation counts itself, as in a race.
    step: u32,
    action: Option<Action>,
    object: ObjectId,
    access: Option<(AccessKind, usize)>,
}

fn steps_of(record: &ExecutionRecord, addresses: &[usize; PLACES]) -> Vec<Step> {
    let loads = record
        .events
        .iter()
        .filter(|event| matches!(event.action, Action::Load(_)));
    let objects: Vec<ObjectId> = loads.map(|event| event.object).take(ATOMICS).collect();
    let mut steps = Vec::new();
    let mut plain = record.plain.list.iter().peekable();
    for number in 0..=record.events.len() {
        while let Some(access) = plain.next_if(|access| access.step as usize == number) {
            let place = addresses.iter().position(|known| *known == access.location);
            let kind = if access.writes {
                AccessKind::Write
            } else {
                AccessKind::Read
            };
            steps.push(Step {
                thread: access.thread.0,
                step: access.step,
                action: None,
                object: ObjectId::NONE,
                access: Some((kind, place.expect("a known place"))),
            });
        }
        let Some(event) = record.events.get(number) else {
            break;
        };
        let kind = match event.action {
            Action::Load(_) => Some(AccessKind::AtomicRead),
            Action::Store(_) | Action::Rmw(..) => Some(AccessKind::AtomicWrite),
            _ => None,
        };
        let place = objects.iter().position(|object| *object == event.object);
        steps.push(Step {
            thread: event.thread.0,
            step: number as u32 + 1,
            action: Some(event.action),
            object: event.object,
            access: kind.map(|kind| (kind, place.expect("a known atomic"))),
        });
    }
    steps
}

fn acquires(order: Ordering) -> bool {
    matches!(order, Acquire | AcqRel | SeqCst)
}

fn releases(order: Ordering) -> bool {
    matches!(order, Release | AcqRel | SeqCst)
}

/// True if the write at `write`, or a fence before it, releases what `from` has done.
fn releases_by(steps: &[Step], from: usize, write: usize) -> bool {
    let (Some(Action::Store(order)) | Some(Action::Rmw(order, _))) = steps[write].action else {
        return false;
    };
    let fenced = from < write
        && steps[from].thread == steps[write].thread
        && matches!(steps[from].action, Some(Action::Fence(order)) if releases(order));
    (from == write && releases(order)) || fenced
}

/// True if what `into` does is after what the read at `read` acquires.
fn acquires_by(steps: &[Step], read: usize, into: usize) -> bool {
    let (Some(Action::Load(order)) | Some(Action::Rmw(order, _))) = steps[read].action else {
        return false;
    };
    let fenced = read < into
        && steps[read].thread == steps[into].thread
        && matches!(steps[into].action, Some(Action::Fence(order)) if acquires(order));
    (into == read && acquires(order)) || fenced
}

fn synchronises(steps: &[Step], from: usize, into: usize) -> bool {
    (from + 1..=into)
        .filter(|&read| acquires_by(steps, read, into))
        .any(|read| {
            // The write that is read, and those before it as long as only read-modify-writes are between.
            for write in (from..read)
                .rev()
                .filter(|&write| steps[write].object == steps[read].object)
            {
                if releases_by(steps, from, write) {
                    return true;
                }
                if matches!(steps[write].action, Some(Action::Store(_))) {
                    return false;
                }
            }
            false
        })
}

/// For each step those that happen before it, as bits.
fn pasts(steps: &[Step]) -> Vec<u128> {
    let mut pasts: Vec<u128> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let directly = |before: &usize| {
            let other = &steps[*before];
            other.thread == step.thread
                || matches!(other.action, Some(Action::Spawn(new)) if new.0 == step.thread)
                || matches!(step.action, Some(Action::Join(joined)) if joined.0 == other.thread)
                || synchronises(steps, *before, at)
        };
        let past = (0..at)
            .filter(directly)
            .fold(0, |past, before| past | pasts[before] | 1 << before);
        pasts.push(past);
    }
    pasts
}

/// Holds the races of the record against the definition; returns whether there are any.
fn compare(record: &ExecutionRecord, addresses: &[usize; PLACES]) -> bool {
    let steps = steps_of(record, addresses);
    assert!(steps.len() <= 128);
    let pasts = pasts(&steps);
    let races = |first: usize, second: usize| {
        let (Some((a, here)), Some((b, there))) = (steps[first].access, steps[second].access)
        else {
            return false;
        };
        here == there && a.conflicts(b) && pasts[second] & (1 << first) == 0
    };
    let is = |step: &Step, access: &FaultyAccess| {
        (step.thread, step.step) == (access.at.thread.0, access.at.step)
            && step.access.is_some_and(|(kind, _)| kind == access.kind)
    };
    let pairs: Vec<(usize, usize)> = (0..steps.len())
        .flat_map(|second| (0..second).map(move |first| (first, second)))
        .filter(|&(first, second)| races(first, second))
        .collect();
    let races_found: Vec<(FaultyAccess, FaultyAccess)> = (record.faults.iter())
        .map(|fault| match fault {
            MemoryFault::Race { first, second, .. } => (*first, *second),
            other => panic!("no race: {other:?}"),
        })
        .collect();
    let is_found = |race: &(FaultyAccess, FaultyAccess), (first, second): (usize, usize)| {
        is(&steps[first], &race.0) && is(&steps[second], &race.1)
    };
    for race in &races_found {
        let real = pairs.iter().any(|pair| is_found(race, *pair));
        assert!(real, "no race: {race:?}\n{steps:#?}");
    }
    // The first race of a place is found, or an earlier one between accesses of the same kinds: all are made at the
    // same lines.
    for place in 0..PLACES {
        let of_place = |pair: &&(usize, usize)| steps[pair.1].access.unwrap().1 == place;
        let Some(&(_, second)) = pairs.iter().find(of_place) else {
            continue;
        };
        let found = races_found.iter().any(|race| {
            pairs
                .iter()
                .filter(|pair| pair.1 == second)
                .any(|&(first, second)| {
                    let kinds = |a: AccessKind, b: AccessKind| (a.min(b), a.max(b));
                    let of = |at: usize| steps[at].access.unwrap().0;
                    is_found(race, (first, second))
                        || kinds(race.0.kind, race.1.kind) == kinds(of(first), of(second))
                })
        });
        assert!(
            found,
            "missed at step {second}: {:?}\n{steps:#?}",
            races_found
        );
    }
    !pairs.is_empty()
}

#[test]
fn races_of_random_programs_are_those_of_the_definition() {
    const PROGRAMS: usize = 400;
    const EXECUTIONS: u64 = 20;
    let mut numbers = Numbers(17);
    let mut engine = Engine::new(Limits::default());
    let mut racy = 0;
    for seed in 0..PROGRAMS {
        let count = 2 + numbers.below(if seed % 10 == 0 { 5 } else { 2 });
        let threads: Vec<Vec<Op>> = (0..count)
            .map(|_| (0..2 + numbers.below(6)).map(|_| numbers.op()).collect())
            .collect();
        let (threads, memory) = (Arc::new(threads), Arc::new([0; 2]));
        let addresses_of_run = std::cell::Cell::default();
        let mut strategy = Random::new(seed as u64, EXECUTIONS);
        while strategy.begin() {
            let record = engine.run(&mut strategy, || run(&threads, &memory, &addresses_of_run));
            racy += usize::from(compare(record, &addresses_of_run.get()));
            strategy.end(record);
        }
    }
    // Both sides must be there for the agreement to mean anything.
    let all = PROGRAMS * EXECUTIONS as usize;
    assert!(racy > all / 5 && racy < all * 9 / 10, "{racy} of {all}");
}
