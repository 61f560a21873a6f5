//! Families of random programs, one for each group of primitives.

use contest_data::limits::{Limits, Timeouts};
use contest_data::rng::Rng;

use crate::program::{Op, Program};

/// A family: what it is about, how its executions are limited, and how an operation of a thread is drawn.
pub struct Family {
    pub name: &'static str,
    pub timeouts: Timeouts,
    pub spurious: u32,
    draw: fn(&mut Rng, u16, &mut Vec<Op>),
}

impl Family {
    pub fn limits(&self) -> Limits {
        Limits {
            timeouts: self.timeouts,
            spurious_wakeups: self.spurious,
            steps: 500,
            run_detached: true,
            ..Limits::default()
        }
    }

    /// A random program of so many threads, each with two operations or more, up to about so many.
    pub fn program(&self, rng: &mut Rng, threads: u16, most: u32) -> Program {
        (1..=threads)
            .map(|thread| {
                let mut ops = Vec::new();
                let length = 2 + rng.below(most - 1);
                while (ops.len() as u32) < length {
                    (self.draw)(rng, thread, &mut ops);
                }
                ops
            })
            .collect()
    }
}

const fn family(name: &'static str, draw: fn(&mut Rng, u16, &mut Vec<Op>)) -> Family {
    Family {
        name,
        timeouts: Timeouts::LastResort,
        spurious: 0,
        draw,
    }
}

const fn timed(name: &'static str, times: u32, draw: fn(&mut Rng, u16, &mut Vec<Op>)) -> Family {
    Family {
        timeouts: Timeouts::Choice(times),
        ..family(name, draw)
    }
}

const fn spurious(name: &'static str, times: u32, draw: fn(&mut Rng, u16, &mut Vec<Op>)) -> Family {
    Family {
        spurious: times,
        ..family(name, draw)
    }
}

pub const FAMILIES: [Family; 30] = [
    family("loads, stores", |rng, _, ops| {
        let var = rng.below(2) as usize;
        ops.push(match rng.below(2) {
            0 => Op::Read(var),
            _ => Op::Write(var, 1 + u64::from(rng.below(2))),
        });
    }),
    family("contended memory", |rng, _, ops| {
        let var = rng.below(3) as usize;
        ops.push(match rng.below(5) {
            0 => Op::PlainRead(var),
            1 => Op::PlainWrite(var),
            2 => Op::Copy(var, (var + 1) % 3),
            3 => Op::Read(var),
            _ => Op::Write(var, 1),
        });
    }),
    family("read-modify-write", |rng, _, ops| atomic(rng, ops)),
    family("compare-exchange", |rng, _, ops| {
        let var = rng.below(2) as usize;
        ops.push(match rng.below(4) {
            0 => Op::Write(var, u64::from(rng.below(2))),
            1 => Op::Read(var),
            _ => Op::Exchange(var, u64::from(rng.below(2)), u64::from(rng.below(3))),
        });
    }),
    family("control that depends on data", |rng, _, ops| {
        let var = rng.below(2) as usize;
        ops.push(match rng.below(3) {
            0 => Op::Write(var, 1),
            1 => Op::If(var, &[Op::Write(1, 2), Op::Add(0)]),
            _ => Op::If(var, &[Op::Exchange(0, 1, 0)]),
        });
    }),
    family("mutex", |rng, _, ops| {
        let var = rng.below(2) as usize;
        match rng.below(3) {
            0 => ops.push(Op::Read(var)),
            _ => ops.extend([Op::Lock(var), Op::Add(var), Op::Unlock(var)]),
        }
    }),
    family("nested locks in either order (ABBA)", |rng, _, ops| {
        let var = rng.below(2) as usize;
        match rng.below(3) {
            0 => ops.push(Op::Add(var)),
            _ => ops.extend([
                Op::Lock(var),
                Op::Lock(1 - var),
                Op::Unlock(1 - var),
                Op::Unlock(var),
            ]),
        }
    }),
    family("try-lock", |rng, _, ops| {
        let var = rng.below(2) as usize;
        match rng.below(4) {
            0 => ops.push(Op::Add(var)),
            1 => ops.extend([Op::Lock(var), Op::Unlock(var)]),
            _ => ops.push(Op::TryLock(var)),
        }
    }),
    family("reader-writer lock", |rng, _, ops| {
        let var = rng.below(2) as usize;
        match rng.below(5) {
            0 | 1 => ops.extend([Op::ReadLock(var), Op::ReadUnlock(var)]),
            2 => ops.extend([Op::Lock(var), Op::Unlock(var)]),
            3 => ops.push(Op::TryReadLock(var)),
            _ => ops.push(Op::TryLock(var)),
        }
    }),
    family("writers that keep new readers out", |rng, _, ops| {
        let var = rng.below(2) as usize;
        match rng.below(6) {
            0 | 1 => ops.extend([Op::ReadLock(var), Op::Add(var), Op::ReadUnlock(var)]),
            2 | 3 => ops.extend([Op::WriteLock(var), Op::Unlock(var)]),
            4 => ops.push(Op::TryReadLock(var)),
            _ => ops.push(Op::TryLock(var)),
        }
    }),
    family(
        "writers beside read lock inside read lock",
        |rng, _, ops| match rng.below(4) {
            0 | 1 => ops.extend([Op::WriteLock(0), Op::Unlock(0)]),
            2 => ops.extend([Op::ReadLock(0), Op::ReadUnlock(0)]),
            _ => ops.extend([
                Op::ReadLock(0),
                Op::ReadLock(0),
                Op::ReadUnlock(0),
                Op::ReadUnlock(0),
            ]),
        },
    ),
    family("read lock inside read lock", |rng, _, ops| {
        match rng.below(3) {
            0 => ops.extend([Op::Lock(0), Op::Unlock(0)]),
            1 => ops.extend([Op::ReadLock(0), Op::ReadUnlock(0)]),
            _ => ops.extend([
                Op::ReadLock(0),
                Op::ReadLock(1),
                Op::ReadUnlock(1),
                Op::ReadUnlock(0),
            ]),
        }
    }),
    family("condition variable", |rng, _, ops| {
        condvar(rng, ops, Op::Wait(0))
    }),
    family(
        "condition variable, notified outside of the lock",
        |rng, _, ops| match rng.below(4) {
            0 | 1 => ops.extend([Op::Lock(0), Op::Wait(0), Op::Unlock(0)]),
            2 => ops.push(Op::NotifyOne(0)),
            _ => ops.push(Op::NotifyAll(0)),
        },
    ),
    family("bounded channel", |rng, _, ops| channel(rng, ops, 0)),
    family("unbounded channel", |rng, _, ops| channel(rng, ops, 1)),
    family("rendezvous channel", |rng, _, ops| channel(rng, ops, 2)),
    family("channel with room for two", |rng, _, ops| {
        channel(rng, ops, 3)
    }),
    family("bounded channel whose receiver goes", |rng, thread, ops| {
        closing(rng, thread, ops, 0)
    }),
    family(
        "rendezvous channel whose receiver goes",
        |rng, thread, ops| closing(rng, thread, ops, 2),
    ),
    family("park, unpark", |rng, thread, ops| {
        park(rng, thread, ops, Op::Park)
    }),
    family("once", |rng, _, ops| {
        let var = rng.below(2) as usize;
        ops.push(match rng.below(5) {
            0 => Op::OncePeek(var),
            1 => Op::Read(var),
            2 => Op::Once(var, false),
            _ => Op::Once(var, true),
        });
    }),
    family("barrier", |rng, _, ops| {
        ops.push(match rng.below(2) {
            0 => Op::Barrier,
            _ => Op::Add(rng.below(2) as usize),
        });
    }),
    family("threads that start threads", |rng, _, ops| {
        let var = rng.below(2) as usize;
        match rng.below(4) {
            0 => ops.extend([Op::Fork(&[Op::Add(0), Op::Read(1)]), Op::Write(0, 3)]),
            1 => ops.extend([Op::Fork(&[Op::Write(1, 1)]), Op::Join, Op::Read(1)]),
            2 => ops.push(Op::Read(var)),
            _ => ops.push(Op::Add(var)),
        }
    }),
    family("spinning", |rng, _, ops| {
        let var = rng.below(2) as usize;
        ops.push(match rng.below(4) {
            0 => Op::SpinUntil(var),
            1 => Op::Read(var),
            _ => Op::Write(var, u64::from(rng.below(3))),
        });
    }),
    family("timeouts of last resort", |rng, thread, ops| {
        match rng.below(7) {
            0 => ops.push(Op::ReceiveTimeout(0)),
            1 => ops.push(Op::TrySend(0)),
            2 => ops.push(Op::Sleep),
            3 => ops.push(Op::LockTimeout(1)),
            4 => ops.extend([Op::Lock(1), Op::Add(0), Op::Unlock(1)]),
            5 => condvar(rng, ops, Op::WaitTimeout(0)),
            _ => park(rng, thread, ops, Op::ParkTimeout),
        }
    }),
    timed(
        "timed channel and lock, one timeout by choice",
        1,
        |rng, _, ops| match rng.below(6) {
            0 | 1 => ops.push(Op::ReceiveTimeout(0)),
            2 => ops.push(Op::TrySend(0)),
            3 => ops.push(Op::LockTimeout(0)),
            4 => ops.extend([Op::Lock(0), Op::Add(0), Op::Unlock(0)]),
            _ => ops.push(Op::Sleep),
        },
    ),
    timed(
        "timed waits and parks, two timeouts by choice",
        2,
        |rng, thread, ops| match rng.below(2) {
            0 => condvar(rng, ops, Op::WaitTimeout(0)),
            _ => park(rng, thread, ops, Op::ParkTimeout),
        },
    ),
    spurious("one spurious wake-up", 1, |rng, thread, ops| {
        match rng.below(2) {
            0 => condvar(rng, ops, Op::Wait(0)),
            _ => park(rng, thread, ops, Op::Park),
        }
    }),
    family("choices of a value", |rng, _, ops| {
        let var = rng.below(2) as usize;
        ops.push(match rng.below(4) {
            0 => Op::Choose(var, 2 + rng.below(2) as u16),
            1 => Op::Add(var),
            _ => Op::Read(var),
        });
    }),
];

fn atomic(rng: &mut Rng, ops: &mut Vec<Op>) {
    let var = rng.below(2) as usize;
    ops.push(match rng.below(4) {
        0 => Op::Read(var),
        1 => Op::Write(var, 1 + u64::from(rng.below(2))),
        _ => Op::Add(var),
    });
}

fn condvar(rng: &mut Rng, ops: &mut Vec<Op>, wait: Op) {
    match rng.below(6) {
        0 | 1 => ops.extend([Op::Lock(0), wait, Op::Unlock(0)]),
        2 => ops.push(Op::NotifyOne(0)),
        3 => ops.extend([Op::Lock(0), Op::NotifyOne(0), Op::Unlock(0)]),
        4 => ops.extend([Op::Lock(0), Op::NotifyAll(0), Op::Unlock(0)]),
        _ => ops.push(Op::Add(0)),
    }
}

/// Any thread sends and receives; one that has dropped its sender sends no more.
fn channel(rng: &mut Rng, ops: &mut Vec<Op>, channel: usize) {
    let op = match rng.below(8) {
        0..=2 => Op::Send(channel),
        3 | 4 => Op::Receive(channel),
        5 => Op::TrySend(channel),
        6 => Op::TryReceive(channel),
        _ => Op::DropSender(channel),
    };
    let sends = matches!(op, Op::Send(_) | Op::TrySend(_) | Op::DropSender(_));
    if !(sends && ops.contains(&Op::DropSender(channel))) {
        ops.push(op);
    } else {
        ops.push(Op::TryReceive(channel));
    }
}

/// The first thread receives until it drops the receiver; the others send.
fn closing(rng: &mut Rng, thread: u16, ops: &mut Vec<Op>, channel: usize) {
    let gone = ops.contains(&Op::DropReceiver(channel));
    ops.push(match rng.below(4) {
        _ if gone => Op::Add(0),
        0 if thread == 1 => Op::Receive(channel),
        1 if thread == 1 => Op::TryReceive(channel),
        _ if thread == 1 => Op::DropReceiver(channel),
        0 => Op::TrySend(channel),
        1 => Op::Add(0),
        _ => Op::Send(channel),
    });
}

fn park(rng: &mut Rng, thread: u16, ops: &mut Vec<Op>, park: Op) {
    ops.push(match rng.below(4) {
        0 | 1 => park,
        // Only threads that exist by then: those created earlier, or the thread itself.
        2 => Op::Unpark((thread - rng.below(2) as u16).max(1)),
        _ => Op::Add(rng.below(2) as usize),
    });
}
