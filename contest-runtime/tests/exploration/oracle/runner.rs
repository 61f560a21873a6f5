//! Runs a program on drop-in types, in every execution that DPOR asks for.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{OnceLock, PoisonError};
use std::time::Duration;

use super::interpreter::Outcome;
use super::program::{EACH, Op, Program};
use super::references;
use crate::brute_force::MainFirst;
use contest::hint;
use contest::sync::atomic::{AtomicU8, AtomicUsize};
use contest::sync::mpsc::{self, Receiver, Sender, SyncSender};
use contest::sync::{Condvar, Mutex, MutexGuard, TryLockError};
use contest::thread::{self, Thread};
use contest_data::decision::Strategy;
use contest_data::gap::{Cut, Gap, Gaps};
use contest_data::limits::{Limits, Timeouts};
use contest_data::trace::Ending;
use contest_engine::execution::Engine;
use contest_search::explore::Dpor;

const SOME_TIME: Duration = Duration::from_millis(3);

enum Sends {
    Any(Sender<u8>),
    One(SyncSender<u8>),
}

/// What threads share.
struct World {
    variables: [AtomicU8; EACH],
    locks: [Mutex<()>; EACH],
    condvars: [Condvar; EACH],
    counts: [AtomicUsize; EACH],
    senders: Vec<Sends>,
    threads: OnceLock<Vec<Thread>>,
}

/// What threads have done, outside of the engine.
type Notes = std::sync::Arc<std::sync::Mutex<Outcome>>;

/// What an execution has made.
type Kept = std::sync::Arc<(
    std::sync::Mutex<Option<std::sync::Arc<World>>>,
    std::sync::Mutex<Vec<Receiver<u8>>>,
)>;

struct Runs<'w> {
    world: &'w World,
    receiver: Receiver<u8>,
    own: usize,
    notes: Notes,
}

impl Runs<'_> {
    fn note(&self, note: u8) {
        self.notes.lock().unwrap().notes[self.own].push(note);
    }

    /// The variables are looked at outside of the engine.
    fn show(&self, var: usize, value: u8) {
        self.notes.lock().unwrap().variables[var] = value;
    }

    fn all(&self, ops: &[Op]) {
        ops.iter().for_each(|op| self.op(op));
    }

    fn wait<'g>(&self, timed: bool, lock: usize, guard: MutexGuard<'g, ()>) -> MutexGuard<'g, ()> {
        let condvar = &self.world.condvars[lock];
        if timed {
            let woken = condvar.wait_timeout(guard, SOME_TIME);
            let (guard, result) = woken.unwrap_or_else(PoisonError::into_inner);
            self.note(u8::from(result.timed_out()));
            return guard;
        }
        let guard = condvar.wait(guard).unwrap_or_else(PoisonError::into_inner);
        self.note(0);
        guard
    }

    fn hold(&self, lock: usize, mut guard: MutexGuard<'_, ()>, ops: &[Op]) {
        for op in ops {
            if let Op::Wait(_, timed) = op {
                guard = self.wait(*timed, lock, guard);
            } else {
                self.op(op);
            }
        }
        drop(guard);
    }

    fn op(&self, op: &Op) {
        let world = self.world;
        match op {
            Op::Load(var) => self.note(world.variables[*var].load(SeqCst)),
            Op::Store(var, value) => {
                world.variables[*var].store(*value, SeqCst);
                self.show(*var, *value);
            }
            Op::Add(var) => {
                let before = world.variables[*var].fetch_add(1, SeqCst);
                self.show(*var, before + 1);
                self.note(before);
            }
            Op::Exchange(var, old, new) => {
                let result = world.variables[*var].compare_exchange(*old, *new, SeqCst, SeqCst);
                if result.is_ok() {
                    self.show(*var, *new);
                }
                self.note(result.unwrap_or_else(|now| now));
            }
            Op::If(var, ops) => {
                if world.variables[*var].load(SeqCst) != 0 {
                    self.all(ops);
                }
            }
            Op::Locked(lock, ops) => {
                let (guard, poisoned) = match world.locks[*lock].lock() {
                    Ok(guard) => (guard, 0),
                    Err(error) => (error.into_inner(), 1),
                };
                self.note(poisoned);
                self.hold(*lock, guard, ops);
            }
            Op::TryLocked(lock, ops) => {
                let (guard, poisoned) = match world.locks[*lock].try_lock() {
                    Ok(guard) => (guard, 0),
                    Err(TryLockError::Poisoned(error)) => (error.into_inner(), 1),
                    Err(TryLockError::WouldBlock) => return self.note(9),
                };
                self.note(poisoned);
                self.hold(*lock, guard, ops);
            }
            Op::Wait(..) => unreachable!("waits while it holds the lock"),
            Op::NotifyOne(lock) => world.condvars[*lock].notify_one(),
            Op::NotifyAll(lock) => world.condvars[*lock].notify_all(),
            Op::IsPoisoned(lock) => self.note(u8::from(world.locks[*lock].is_poisoned())),
            Op::ClearPoison(lock) => world.locks[*lock].clear_poison(),
            Op::Send(to, value) => match &world.senders[*to] {
                Sends::Any(sender) => sender.send(*value).expect("there is a receiver"),
                Sends::One(sender) => sender.send(*value).expect("there is a receiver"),
            },
            Op::TrySend(to, value) => match &world.senders[*to] {
                Sends::Any(sender) => sender.send(*value).expect("there is a receiver"),
                Sends::One(sender) => {
                    if sender.try_send(*value).is_err() {
                        self.note(9);
                    }
                }
            },
            Op::Receive => self.note(self.receiver.recv().expect("there is a sender")),
            Op::TryReceive => self.note(self.receiver.try_recv().unwrap_or(9)),
            Op::ReceiveForSomeTime => {
                self.note(self.receiver.recv_timeout(SOME_TIME).unwrap_or(9));
            }
            Op::Park => thread::park(),
            Op::ParkForSomeTime => thread::park_timeout(SOME_TIME),
            Op::Unpark(thread) => {
                let threads = world.threads.get().expect("the main thread goes first");
                threads[*thread].unpark();
            }
            Op::Sleep => thread::sleep(SOME_TIME),
            Op::Spin(var, yields) => {
                while world.variables[*var].load(SeqCst) == 0 {
                    if *yields {
                        thread::yield_now();
                    }
                }
            }
            Op::Tries(var, most, yields) => {
                for tried in 0..*most {
                    if world.variables[*var].load(SeqCst) != 0 {
                        return self.note(tried);
                    }
                    if *yields {
                        hint::spin_loop();
                    }
                }
                self.note(*most);
            }
            Op::Release(count) => {
                if world.counts[*count].fetch_sub(1, SeqCst) == 1 {
                    world.variables[*count].store(7, SeqCst);
                    self.show(*count, 7);
                }
            }
        }
    }
}

/// One execution. What it makes is kept until it is over, so that nothing is dropped in it.
fn run(program: &Program, notes: &Notes, kept: &Kept) {
    let count = program.threads.len();
    let (senders, receivers): (Vec<Sends>, Vec<Receiver<u8>>) = (0..count).map(channel).unzip();
    let world = std::sync::Arc::new(World {
        variables: std::array::from_fn(|_| AtomicU8::new(0)),
        locks: std::array::from_fn(|_| Mutex::new(())),
        condvars: std::array::from_fn(|_| Condvar::new()),
        counts: std::array::from_fn(|number| {
            AtomicUsize::new(usize::from(references(program, number)))
        }),
        senders,
        threads: OnceLock::new(),
    });
    *kept.0.lock().unwrap() = Some(world.clone());
    if program.poisoned {
        let poison = world.clone();
        let panicked = thread::spawn(move || {
            let _guards: Vec<_> = poison.locks.iter().map(Mutex::lock).collect();
            std::panic::resume_unwind(Box::new(()));
        });
        panicked.join().unwrap_err();
    }
    let start = |(own, receiver): (usize, Receiver<u8>)| {
        let (world, ops) = (world.clone(), program.threads[own].clone());
        let (notes, kept) = (notes.clone(), kept.clone());
        thread::spawn(move || {
            let runs = Runs {
                world: &world,
                receiver,
                own,
                notes,
            };
            runs.all(&ops);
            runs.notes.lock().unwrap().ended[own] = true;
            kept.1.lock().unwrap().push(runs.receiver);
        })
    };
    let started: Vec<_> = receivers.into_iter().enumerate().map(start).collect();
    let threads = started.iter().map(|it| it.thread().clone()).collect();
    world.threads.set(threads).expect("set once");
    for started in started {
        started.join().unwrap();
    }
}

fn channel(number: usize) -> (Sends, Receiver<u8>) {
    if number.is_multiple_of(2) {
        let (sender, receiver) = mpsc::channel();
        (Sends::Any(sender), receiver)
    } else {
        let (sender, receiver) = mpsc::sync_channel(1);
        (Sends::One(sender), receiver)
    }
}

/// All outcomes that DPOR shows, and why there may be others.
pub fn explore(program: &Program, most: u64) -> (BTreeSet<Outcome>, Gaps) {
    let mut strategy = MainFirst(Dpor::new());
    let mut engine = Engine::new(Limits {
        timeouts: Timeouts::Few,
        spin_iterations: 200,
        steps: 2_000,
        run_detached: true,
        ..Limits::default()
    });
    let mut outcomes = BTreeSet::new();
    let mut executions = 0;
    let mut gaps = Gaps::NONE;
    while strategy.begin() {
        executions += 1;
        if executions > most {
            return (outcomes, Gap::Cut(Cut::Executions(most)).into());
        }
        let notes = Notes::new(std::sync::Mutex::new(Outcome {
            notes: vec![Vec::new(); program.threads.len()],
            ended: vec![false; program.threads.len()],
            variables: [0; EACH],
        }));
        let kept = Kept::default();
        let record = engine.run(&mut strategy, || run(program, &notes, &kept));
        strategy.end(record);
        gaps.join(&record.gaps);
        let outcome = notes.lock().unwrap().clone();
        match &record.ending {
            Ending::Finished | Ending::Deadlock(_) => _ = outcomes.insert(outcome),
            // In a loop that nothing ends a thread is as stuck as anywhere.
            Ending::Livelock(_) => _ = outcomes.insert(outcome),
            Ending::Abandoned | Ending::StepLimit(_) => {}
            other => panic!("{program:?}: {other:?}"),
        }
    }
    gaps.join(strategy.0.gaps());
    (outcomes, gaps)
}
