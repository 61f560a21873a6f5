//! Small programs of drop-in types, as data, and random ones.

use contest_data::rng::Rng;

/// Variables of a program; also its locks, condition variables and counts.
pub const EACH: usize = 2;

/// What a thread does. Numbers name a variable, a lock with its condition variable, a count, or a thread with its
/// channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    Load(usize),
    Store(usize, u8),
    Add(usize),
    Exchange(usize, u8, u8),
    /// Does this if the variable is not 0.
    If(usize, Vec<Op>),
    /// Holds the lock meanwhile.
    Locked(usize, Vec<Op>),
    /// The same, if the lock is free.
    TryLocked(usize, Vec<Op>),
    /// On the condition variable of the lock that is held; `true`: for some time.
    Wait(usize, bool),
    NotifyOne(usize),
    NotifyAll(usize),
    IsPoisoned(usize),
    ClearPoison(usize),
    /// To the channel of this thread: those of even numbers have room for all, others for one.
    Send(usize, u8),
    TrySend(usize, u8),
    Receive,
    TryReceive,
    ReceiveForSomeTime,
    Park,
    ParkForSomeTime,
    Unpark(usize),
    Sleep,
    /// Goes round until the variable is not 0, `true`: and yields.
    Spin(usize, bool),
    /// As many times at most.
    Tries(usize, u8, bool),
    /// Gives up a reference: the last one that does stores 7 in the variable of this number.
    Release(usize),
}

/// The threads, and whether the locks are poisoned at the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub threads: Vec<Vec<Op>>,
    pub poisoned: bool,
}

/// What programs of a family are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    Atomics,
    Loops,
    Locks,
    Waits,
    Timeouts,
    Channels,
    Counts,
    Poison,
    Everything,
}

pub const FAMILIES: [About; 9] = [
    About::Atomics,
    About::Loops,
    About::Locks,
    About::Waits,
    About::Timeouts,
    About::Channels,
    About::Counts,
    About::Poison,
    About::Everything,
];

impl About {
    /// A random program of two or three threads.
    pub fn program(self, rng: &mut Rng) -> Program {
        let threads = 2 + usize::from(rng.below(4) == 0);
        let most = if threads == 2 { 4 } else { 2 };
        let mut draw = Draw {
            rng,
            threads,
            own: 0,
        };
        let threads = (0..threads)
            .map(|own| {
                draw.own = own;
                let length = 1 + draw.rng.below(most);
                (0..length).map(|_| draw.op(self)).collect()
            })
            .collect();
        Program {
            threads,
            poisoned: self == Self::Poison,
        }
    }
}

struct Draw<'r> {
    rng: &'r mut Rng,
    threads: usize,
    own: usize,
}

impl Draw<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.rng.below(bound as u32) as usize
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn other(&mut self) -> usize {
        let other = self.below(self.threads - 1);
        other + usize::from(other >= self.own)
    }

    fn atomic(&mut self) -> Op {
        let var = self.below(EACH);
        match self.below(6) {
            0 | 1 => Op::Load(var),
            2 | 3 => Op::Store(var, 1 + self.below(2) as u8),
            4 => Op::Add(var),
            _ => Op::Exchange(var, self.below(2) as u8, 2),
        }
    }

    fn timed_wait(&mut self) -> Op {
        let timed = self.coin();
        Op::Locked(0, vec![Op::Wait(0, timed), Op::Load(0)])
    }

    fn op(&mut self, about: About) -> Op {
        let var = self.below(EACH);
        match about {
            About::Atomics => match self.below(5) {
                0 => Op::If(var, vec![self.atomic()]),
                _ => self.atomic(),
            },
            About::Loops => match self.below(6) {
                0 => Op::Spin(var, self.coin()),
                1 | 2 => Op::Tries(var, 2 + self.below(6) as u8, self.coin()),
                _ => self.atomic(),
            },
            About::Locks => match self.below(5) {
                0 | 1 => Op::Locked(var, vec![self.atomic()]),
                2 => Op::Locked(var, vec![Op::Locked(1 - var, vec![Op::Add(0)])]),
                3 => Op::TryLocked(var, vec![self.atomic()]),
                _ => self.atomic(),
            },
            About::Waits => match self.below(6) {
                0 | 1 => Op::Locked(0, vec![Op::Wait(0, false), Op::Load(0)]),
                2 => Op::Locked(0, vec![Op::Store(0, 1), Op::NotifyOne(0)]),
                3 => Op::NotifyAll(0),
                4 => Op::Unpark(self.other()),
                _ => Op::Park,
            },
            About::Timeouts => match self.below(8) {
                0 | 1 => self.timed_wait(),
                2 => Op::Sleep,
                3 => Op::ParkForSomeTime,
                4 => Op::ReceiveForSomeTime,
                5 => Op::Unpark(self.other()),
                6 => Op::Locked(0, vec![Op::Store(0, 1), Op::NotifyOne(0)]),
                _ => Op::Send(self.other(), 3),
            },
            About::Channels => match self.below(7) {
                0 | 1 => Op::Send(self.other(), 1 + self.below(2) as u8),
                2 => Op::TrySend(self.other(), 3),
                3 | 4 => Op::Receive,
                5 => Op::TryReceive,
                _ => self.atomic(),
            },
            About::Counts => match self.below(4) {
                0 | 1 => Op::Release(var),
                _ => Op::Load(var),
            },
            About::Poison => match self.below(5) {
                0 => Op::ClearPoison(var),
                1 => Op::IsPoisoned(var),
                2 => Op::TryLocked(var, vec![Op::Load(0)]),
                3 => Op::Store(0, 1),
                _ => Op::Locked(var, vec![Op::Add(0)]),
            },
            About::Everything => {
                let which = FAMILIES[self.below(FAMILIES.len() - 1)];
                self.op(which)
            }
        }
    }
}
