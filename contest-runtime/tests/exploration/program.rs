//! Small concurrent programs as data, run on the engine's own operations.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_data::trace::{Ending, ExecutionRecord, LockMode, Outcome, ThreadIndex, Update};
use contest_engine::execution::{
    Active, AtomicEffect, AtomicKind, AtomicOperation, Engine, OnceEntry, active,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Read(usize),
    Write(usize, u64),
    Add(usize),
    Exchange(usize, u64, u64),
    Lock(usize),
    Unlock(usize),
    ReadLock(usize),
    ReadUnlock(usize),
    /// Exclusively, as the reader-writer locks of `std`.
    WriteLock(usize),
    /// Takes and gives back if free.
    TryLock(usize),
    /// Under the lock of the same number.
    Wait(usize),
    NotifyOne(usize),
    NotifyAll(usize),
    /// Channels by number: room for one message, unbounded, rendezvous, room for two.
    Send(usize),
    TrySend(usize),
    Receive(usize),
    TryReceive(usize),
    DropSender(usize),
    DropReceiver(usize),
    Park,
    Unpark(u16),
    Barrier,
    TryReadLock(usize),
    /// Runs an initialiser that writes the variable of the same number, and succeeds or not.
    Once(usize, bool),
    OncePeek(usize),
    WaitTimeout(usize),
    ReceiveTimeout(usize),
    ParkTimeout,
    LockTimeout(usize),
    Sleep,
    /// A thread that does this; the handle is kept.
    Fork(&'static [Op]),
    /// Joins the thread forked last.
    Join,
    /// Does this if the variable is not 0.
    If(usize, &'static [Op]),
    /// Goes round until the variable is not 0.
    SpinUntil(usize),
    /// Yields.
    GiveWay,
    /// Writes one of so many values.
    Choose(usize, u16),
    /// Reads this variable without an operation of its type, as far as the engine knows.
    PlainRead(usize),
    /// Writes it.
    PlainWrite(usize),
    /// Copies the first to the second.
    Copy(usize, usize),
    /// The harness begins the call with this number, ...
    CallBegin(u16),
    /// ... and ends it.
    CallEnd,
}

pub type Program = Vec<Vec<Op>>;

/// What is shared, outside of the engine.
#[derive(Default)]
struct World {
    complete: [Cell<bool>; 2],
    /// Senders and receivers.
    endpoints: [Cell<(usize, usize)>; 4],
}

impl World {
    fn fresh() -> Self {
        let world = Self::default();
        world.endpoints.iter().for_each(|ends| ends.set((2, 1)));
        world
    }
}

thread_local! {
    static CELLS: Vec<AtomicU64> = (0..8).map(|_| AtomicU64::new(0)).collect();
    static WORLD: RefCell<Rc<World>> = RefCell::new(Rc::new(World::fresh()));
}

const CAPACITIES: [Option<usize>; 4] = [Some(1), None, Some(0), Some(2)];
const PATIENCE: Option<Duration> = Some(Duration::from_millis(1));

fn atomic(
    active: Active,
    index: usize,
    kind: AtomicKind,
    effect: impl Fn(&AtomicU64) -> AtomicEffect,
) {
    CELLS.with(|cells| {
        let cell = &cells[index];
        let address = std::ptr::from_ref(cell).expose_provenance();
        let operation = AtomicOperation {
            address,
            size: 8,
            kind,
            ordering: SeqCst,
            name: "access",
        };
        // SAFETY: the cell is borrowed, and of that size.
        unsafe { active.atomic(operation, || ((), effect(cell))) };
    });
}

/// Where the function above calls the engine.
const ATOMICS: u32 = line!() - 5;

/// True for the line at which all atomic operations are.
pub fn is_of_atomics(location: &std::panic::Location<'_>) -> bool {
    location.line() == ATOMICS
}

fn run_ops(ops: &[Op]) {
    let mut forked = Vec::new();
    ops.iter().for_each(|op| run_op(*op, &mut forked));
}

fn endpoints(channel: usize, name: &'static str, senders: usize, receivers: usize) {
    let world = WORLD.with(|world| world.borrow().clone());
    let location = std::panic::Location::caller();
    let active = active().expect("inside an execution");
    active.channel_endpoints(0x3000 + channel * 64, name, location, || {
        let (s, r) = world.endpoints[channel].get();
        let left = (s.saturating_sub(senders), r.saturating_sub(receivers));
        world.endpoints[channel].set(left);
        left
    });
}

fn run_op(op: Op, forked: &mut Vec<ThreadIndex>) {
    let active = active().expect("inside an execution");
    let lock_address = |index: usize| 0x1000 + index * 64;
    let condvar_address = |index: usize| 0x2000 + index * 64;
    let channel_address = |index: usize| 0x3000 + index * 64;
    let cell_address =
        |index: usize| CELLS.with(|cells| Some(std::ptr::from_ref(&cells[index]) as usize));
    match op {
        Op::PlainRead(index) => active.contended(cell_address(index), None),
        Op::PlainWrite(index) => active.contended(None, cell_address(index)),
        Op::Copy(from, to) => active.contended(cell_address(from), cell_address(to)),
        Op::CallBegin(number) => active.call_begin(number),
        Op::CallEnd => active.call_end(&Outcome::Returned(None)),
        Op::Read(index) => {
            atomic(active, index, AtomicKind::Load, |cell| {
                AtomicEffect::Read(cell.load(SeqCst))
            });
        }
        Op::Write(index, value) => atomic(active, index, AtomicKind::Store, |cell| {
            cell.store(value, SeqCst);
            AtomicEffect::Wrote(value)
        }),
        Op::Add(index) => atomic(
            active,
            index,
            AtomicKind::Rmw(Update::Conditional),
            |cell| {
                let before = cell.fetch_add(1, SeqCst);
                AtomicEffect::ReadWrote(before, before + 1)
            },
        ),
        Op::Exchange(index, expected, new) => {
            atomic(
                active,
                index,
                AtomicKind::CompareExchange(expected, SeqCst),
                |cell| match cell.compare_exchange(expected, new, SeqCst, SeqCst) {
                    Ok(before) => AtomicEffect::ReadWrote(before, new),
                    Err(before) => AtomicEffect::Read(before),
                },
            );
        }
        Op::Lock(index) => {
            active.lock(
                lock_address(index),
                LockMode::Exclusive,
                "Mutex",
                None,
                || false,
            );
        }
        Op::Unlock(index) => active.unlock(lock_address(index), LockMode::Exclusive, || ()),
        Op::ReadLock(index) => {
            active.lock(lock_address(index), LockMode::Read, "RwLock", None, || {
                false
            });
        }
        Op::WriteLock(index) => active.write(lock_address(index), "RwLock", || false),
        Op::ReadUnlock(index) => active.unlock(lock_address(index), LockMode::Read, || ()),
        Op::TryLock(index) => {
            if active.try_lock(lock_address(index), LockMode::Exclusive, "Mutex", || false) {
                active.unlock(lock_address(index), LockMode::Exclusive, || ());
            }
        }
        Op::Wait(index) => {
            active.wait(condvar_address(index), lock_address(index), None, || ());
        }
        Op::NotifyOne(index) => {
            active.notify(condvar_address(index), false);
        }
        Op::NotifyAll(index) => {
            active.notify(condvar_address(index), true);
        }
        Op::Send(index) => {
            active.channel_send(channel_address(index), CAPACITIES[index], true, || ());
        }
        Op::TrySend(index) => {
            active.channel_send(channel_address(index), CAPACITIES[index], false, || ());
        }
        Op::Receive(index) => {
            active.channel_receive(channel_address(index), true, None);
        }
        Op::TryReceive(index) => {
            active.channel_receive(channel_address(index), false, None);
        }
        Op::ReceiveTimeout(index) => {
            active.channel_receive(channel_address(index), true, PATIENCE);
        }
        Op::DropSender(index) => endpoints(index, "drop", 1, 0),
        Op::DropReceiver(index) => endpoints(index, "drop", 0, 1),
        Op::Park => {
            active.park(None);
        }
        Op::ParkTimeout => {
            active.park(PATIENCE);
        }
        Op::Unpark(thread) => active.unpark(ThreadIndex(thread)),
        Op::Barrier => {
            active.barrier_wait(0x4000, 2);
        }
        Op::TryReadLock(index) => {
            if active.try_lock(lock_address(index), LockMode::Read, "RwLock", || false) {
                active.unlock(lock_address(index), LockMode::Read, || ());
            }
        }
        Op::Once(index, succeeds) => {
            let world = WORLD.with(|world| world.borrow().clone());
            let address = 0x5000 + index * 64;
            let complete = &world.complete[index];
            if active.once_begin(address, "Once", || complete.get()) == OnceEntry::Run {
                run_op(Op::Write(index, 5), forked);
                active.once_ending(address, std::panic::Location::caller());
                complete.set(succeeds);
                active.once_end(address, succeeds);
            }
        }
        Op::OncePeek(index) => {
            let world = WORLD.with(|world| world.borrow().clone());
            let complete = &world.complete[index];
            active.once_peek(0x5000 + index * 64, "Once", || complete.get(), |done| *done);
        }
        Op::WaitTimeout(index) => {
            active.wait(condvar_address(index), lock_address(index), PATIENCE, || ());
        }
        Op::LockTimeout(index) => {
            let (address, mode) = (lock_address(index), LockMode::Exclusive);
            if active.lock(address, mode, "Mutex", PATIENCE, || false) {
                active.unlock(address, mode, || ());
            }
        }
        Op::Sleep => active.sleep(Duration::from_millis(1)),
        Op::Fork(ops) => forked.push(active.spawn_owned(None, move || run_ops(ops))),
        Op::Join => {
            if let Some(thread) = forked.pop() {
                active.join(thread);
            }
        }
        Op::If(index, ops) => {
            let value = Cell::new(0);
            atomic(active, index, AtomicKind::Load, |cell| {
                value.set(cell.load(SeqCst));
                AtomicEffect::Read(value.get())
            });
            let value = value.get();
            if value != 0 {
                ops.iter().for_each(|op| run_op(*op, forked));
            }
        }
        Op::SpinUntil(index) => loop {
            atomic(active, index, AtomicKind::Load, |cell| {
                AtomicEffect::Read(cell.load(SeqCst))
            });
            if CELLS.with(|cells| cells[index].load(SeqCst)) != 0 {
                break;
            }
            active.yield_now("spin_loop");
        },
        Op::GiveWay => active.yield_now("yield_now"),
        Op::Choose(index, of) => {
            let value = active.choose(of);
            run_op(Op::Write(index, u64::from(value)), forked);
        }
    }
}

/// Runs every execution that the strategy requests, within the default limits; `see` gets each record.
pub fn explore(
    program: &Program,
    strategy: &mut dyn Strategy,
    see: impl FnMut(&ExecutionRecord),
) -> u64 {
    explore_within(program, Limits::default(), strategy, see)
}

/// Runs one execution of the program.
pub fn run_once<'e>(
    engine: &'e mut Engine,
    program: &Program,
    strategy: &mut dyn Strategy,
) -> &'e ExecutionRecord {
    CELLS.with(|cells| cells.iter().for_each(|cell| cell.store(0, SeqCst)));
    WORLD.with(|world| *world.borrow_mut() = Rc::new(World::fresh()));
    let record = engine.run(strategy, || {
        let active = active().expect("inside an execution");
        for (channel, capacity) in CAPACITIES.into_iter().enumerate() {
            active.channel_new(0x3000 + channel * 64, capacity);
        }
        let mut threads = Vec::new();
        for ops in program {
            // SAFETY: the program outlives the execution.
            threads.push(unsafe { active.spawn(None, || run_ops(ops)) });
        }
        for thread in threads {
            active.join(thread);
        }
    });
    let refused = matches!(record.ending, Ending::Unsupported(_));
    assert!(!refused, "{:?}", record.ending);
    record
}

/// Runs every execution that the strategy requests; `see` gets each record.
pub fn explore_within(
    program: &Program,
    limits: Limits,
    strategy: &mut dyn Strategy,
    mut see: impl FnMut(&ExecutionRecord),
) -> u64 {
    let mut engine = Engine::new(limits);
    let mut executions = 0;
    while strategy.begin() {
        let record = run_once(&mut engine, program, strategy);
        see(record);
        strategy.end(record);
        executions += 1;
    }
    executions
}
