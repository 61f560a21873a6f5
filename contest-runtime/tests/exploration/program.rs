//! Small concurrent programs as data, run on the engine's own operations.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use contest::execution::{
    Active, AtomicEffect, AtomicKind, AtomicOperation, Engine, Limits, Strategy, active,
};
use contest::explore::rng::Rng;
use contest::trace::{Action, Ending, Event, ExecutionRecord, LockMode};

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
    /// Takes and gives back if free.
    TryLock(usize),
    /// Under the lock of the same number.
    Wait(usize),
    NotifyOne(usize),
    NotifyAll(usize),
    Send(usize),
    Receive(usize),
    TryReceive(usize),
    Park,
    Unpark(u16),
    Barrier,
}

pub type Program = Vec<Vec<Op>>;

/// Which of two dependent operations, each named by thread and number, came first.
pub type Trace = Vec<(u16, u32, u16, u32)>;

thread_local! {
    static CELLS: Vec<AtomicU64> = (0..8).map(|_| AtomicU64::new(0)).collect();
}

fn atomic(
    active: Active,
    index: usize,
    kind: AtomicKind,
    effect: impl Fn(&AtomicU64) -> AtomicEffect,
) {
    CELLS.with(|cells| {
        let cell = &cells[index];
        let address = std::ptr::from_ref(cell) as usize;
        let operation = AtomicOperation {
            address,
            size: 8,
            kind,
            ordering: SeqCst,
            name: "access",
        };
        active.atomic(operation, || ((), effect(cell)));
    });
}

fn run_op(op: Op) {
    let active = active().expect("inside an execution");
    let lock_address = |index: usize| 0x1000 + index * 64;
    let condvar_address = |index: usize| 0x2000 + index * 64;
    let channel_address = |index: usize| 0x3000 + index * 64;
    match op {
        Op::Read(index) => {
            atomic(active, index, AtomicKind::Load, |cell| {
                AtomicEffect::Read(cell.load(SeqCst))
            });
        }
        Op::Write(index, value) => atomic(active, index, AtomicKind::Store, |cell| {
            cell.store(value, SeqCst);
            AtomicEffect::Wrote(value)
        }),
        Op::Add(index) => atomic(active, index, AtomicKind::Rmw, |cell| {
            let before = cell.fetch_add(1, SeqCst);
            AtomicEffect::ReadWrote(before, before + 1)
        }),
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
        Op::ReadUnlock(index) => active.unlock(lock_address(index), LockMode::Read, || ()),
        Op::TryLock(index) => {
            if active.try_lock(lock_address(index), LockMode::Exclusive, "Mutex", || false) {
                active.unlock(lock_address(index), LockMode::Exclusive, || ());
            }
        }
        Op::Wait(index) => {
            active.wait(condvar_address(index), lock_address(index), None, || ());
        }
        Op::NotifyOne(index) => active.notify(condvar_address(index), false),
        Op::NotifyAll(index) => active.notify(condvar_address(index), true),
        Op::Send(index) => {
            active.channel_send(channel_address(index), Some(1), true, || ());
        }
        Op::Receive(index) => {
            active.channel_receive(channel_address(index), true, None);
        }
        Op::TryReceive(index) => {
            active.channel_receive(channel_address(index), false, None);
        }
        Op::Park => {
            active.park(None);
        }
        Op::Unpark(thread) => active.unpark(contest::trace::ThreadIndex(thread)),
        Op::Barrier => {
            active.barrier_wait(0x4000, 2);
        }
    }
}

/// Runs every execution that the strategy asks for; `see` gets each record.
pub fn explore(
    program: &Program,
    strategy: &mut dyn Strategy,
    mut see: impl FnMut(&ExecutionRecord),
) -> u64 {
    let mut engine = Engine::new(Limits::default());
    let mut executions = 0;
    while strategy.begin() {
        CELLS.with(|cells| cells.iter().for_each(|cell| cell.store(0, SeqCst)));
        let program = program.clone();
        let threads = Rc::new(RefCell::new(Vec::new()));
        let record = engine.run(strategy, move || {
            let active = active().expect("inside an execution");
            for ops in program {
                let thread = active.spawn_owned(None, move || ops.into_iter().for_each(run_op));
                threads.borrow_mut().push(thread);
            }
            let joined = threads.borrow().clone();
            for thread in joined {
                active.join(thread);
            }
        });
        see(record);
        let record = record.clone();
        strategy.end(&record);
        executions += 1;
    }
    executions
}

/// The trace of an execution in a form that does not depend on the order of independent operations: for every pair of dependent
/// operations which came first. Dependence is spelled out here again, from the table and not from the explorer.
pub fn canonical(record: &ExecutionRecord) -> Trace {
    let events: Vec<&Event> = record
        .events
        .iter()
        .filter(|event| event.thread.0 != 0)
        .collect();
    let mut pairs = Vec::new();
    for (i, a) in events.iter().enumerate() {
        for b in &events[i + 1..] {
            if a.thread != b.thread && dependent(a, b) {
                pairs.push((a.thread.0, a.index, b.thread.0, b.index));
            }
        }
    }
    pairs.sort_unstable();
    let blocked = matches!(record.ending, Ending::Deadlock(_));
    pairs.push((u16::from(blocked), record.steps, 0, 0));
    pairs
}

fn touches(event: &Event) -> [contest::trace::ObjectId; 2] {
    [event.object, event.second]
}

fn dependent(a: &Event, b: &Event) -> bool {
    let shared = touches(a)
        .into_iter()
        .any(|object| object != contest::trace::ObjectId::NONE && touches(b).contains(&object));
    if !shared {
        return false;
    }
    let reads = |event: &Event| matches!(event.action, Action::Load(_) | Action::CasFail(_));
    let read_lock = |event: &Event| {
        matches!(
            event.action,
            Action::Acquire(LockMode::Read)
                | Action::Release(LockMode::Read)
                | Action::TryAcquire(LockMode::Read, true)
        )
    };
    let failed = |event: &Event| {
        matches!(
            event.action,
            Action::TryAcquire(_, false) | Action::Receive(false)
        )
    };
    let notify = |event: &Event| matches!(event.action, Action::Notify(_));
    let leave = |event: &Event| matches!(event.action, Action::BarrierLeave(_));
    if reads(a) && reads(b)
        || read_lock(a) && read_lock(b)
        || failed(a) && failed(b)
        || notify(a) && notify(b)
        || leave(a) && leave(b)
    {
        return false;
    }
    // A wake-up is ordered with the notification that caused it only.
    let wake_notify = |wake: &Event, other: &Event| {
        matches!(wake.action, Action::Wake(false))
            && notify(other)
            && other.wrote & (1 << wake.thread.0) == 0
    };
    !(wake_notify(a, b) || wake_notify(b, a))
}

/// A random program of the given shape; locks are taken and given back in pairs, possibly nested in either order.
pub fn random_program(rng: &mut Rng, n_threads: usize, max_ops: u32) -> Program {
    let flavour = rng.below(8);
    (0..n_threads)
        .map(|thread| {
            let mut ops = Vec::new();
            let length = 2 + rng.below(max_ops - 1);
            while (ops.len() as u32) < length {
                let var = rng.below(2) as usize;
                let pick = rng.below(10);
                match (flavour, pick) {
                    (0 | 1, 0..=2) | (_, 0) => ops.push(Op::Read(var)),
                    (0 | 1, 3..=5) | (_, 1) => {
                        ops.push(Op::Write(var, u64::from(1 + rng.below(2))))
                    }
                    (0 | 1, 6 | 7) | (_, 2) => ops.push(Op::Add(var)),
                    (0 | 1, _) => ops.push(Op::Exchange(var, 0, 1)),
                    (2, 3..=6) => {
                        ops.extend([
                            Op::Lock(var),
                            Op::Lock(1 - var),
                            Op::Unlock(1 - var),
                            Op::Unlock(var),
                        ]);
                    }
                    (2 | 3, _) => ops.extend([Op::Lock(var), Op::Write(var, 3), Op::Unlock(var)]),
                    (4, 3..=5) => ops.push(Op::TryLock(var)),
                    (4, _) => ops.extend([Op::ReadLock(var), Op::Read(var), Op::ReadUnlock(var)]),
                    (5, 3..=5) => ops.extend([Op::Lock(0), Op::Wait(0), Op::Unlock(0)]),
                    (5, 6 | 7) => ops.push(Op::NotifyOne(0)),
                    (5, _) => ops.extend([Op::Lock(0), Op::NotifyAll(0), Op::Unlock(0)]),
                    (6, 3 | 4) => ops.push(Op::Send(0)),
                    (6, 5 | 6) => ops.push(Op::Receive(0)),
                    (6, _) => ops.push(Op::TryReceive(0)),
                    (7, 9) => ops.push(Op::Barrier),
                    (_, 3..=5) => ops.push(Op::Park),
                    // Only threads that exist by then: those created earlier, or the thread itself.
                    (_, _) => ops.push(Op::Unpark(
                        1 + thread.saturating_sub(rng.below(2) as usize) as u16,
                    )),
                }
            }
            ops
        })
        .collect()
}
