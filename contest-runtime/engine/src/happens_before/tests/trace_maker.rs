//! Random traces that an execution could produce: every operation is one that was enabled.

use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

use super::Step;
use crate::happens_before::ChannelEnds;
use contest_data::trace::{AccessKind, Action, Blocking, LockMode, ThreadIndex, Update};

const LOCKS: [u32; 2] = [10, 11];
const CONDVAR: u32 = 15;
const ATOMICS: [u32; 3] = [20, 21, 22];
const ONCE: u32 = 30;
const CHANNELS: [(u32, Option<usize>); 3] = [(40, None), (41, Some(2)), (42, Some(0))];
const BARRIER: u32 = 50;
const TOKENS: u32 = 60;
const ENDS: u32 = 70;

/// Plain memory of a trace: a few granules.
pub(super) const MEMORY: usize = 0x10_0000;
pub(super) const MEMORY_SIZE: usize = 24;

/// SplitMix64.
#[derive(Debug)]
pub(super) struct Random(pub u64);

impl Random {
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((bits ^ (bits >> 31)) >> 16) as usize % limit
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Lock {
    owner: Option<u16>,
    readers: u32,
}

#[derive(Debug, Default)]
struct Channel {
    put: u64,
    taken: u64,
    ends: ChannelEnds,
    withdrawn: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Waits {
    #[default]
    No,
    /// At the condition variable; notified or not.
    Notification(bool),
    Barrier,
    /// For a rendezvous message to be taken.
    Taken(u64),
    Ended,
}

#[derive(Debug)]
pub(super) struct Maker<'r> {
    random: &'r mut Random,
    trace: Vec<Step>,
    waits: Vec<Waits>,
    locks: [Lock; 2],
    held: Vec<[Option<LockMode>; 2]>,
    tokens: Vec<bool>,
    once: (Option<u16>, bool),
    channels: [Channel; 3],
    most_threads: usize,
    /// Operations that this trace prefers, so that traces differ in kind.
    taste: [usize; 3],
}

impl<'r> Maker<'r> {
    pub(super) fn new(random: &'r mut Random) -> Self {
        let taste = std::array::from_fn(|_| random.below(KINDS));
        let most_threads = 2 + random.below(5);
        let channels = CHANNELS.map(|(_, capacity)| Channel {
            ends: ChannelEnds {
                capacity,
                senders: 1,
                receivers: 1,
            },
            ..Channel::default()
        });
        Self {
            random,
            trace: Vec::new(),
            waits: vec![Waits::No],
            locks: [Lock::default(); 2],
            held: vec![[None; 2]],
            tokens: vec![false],
            once: (None, false),
            channels,
            most_threads,
            taste,
        }
    }

    pub(super) fn make(mut self, length: usize) -> Vec<Step> {
        for _ in 1..2 + self.random.below(self.most_threads - 1) {
            self.spawn(0);
        }
        for _ in 0..length * 20 {
            if self.trace.len() >= length {
                break;
            }
            let thread = self.random.below(self.waits.len()) as u16;
            self.go_on(thread);
        }
        self.trace
    }

    fn go_on(&mut self, thread: u16) {
        match self.waits[usize::from(thread)] {
            Waits::No => {
                let kind = if self.random.below(3) > 0 {
                    self.random.pick(&self.taste)
                } else {
                    self.random.below(KINDS)
                };
                if self.random.below(3) == 0 {
                    self.plain(thread);
                } else {
                    self.operate(thread, kind);
                }
            }
            Waits::Notification(true) if self.free(0, LockMode::Exclusive) => {
                self.waits[usize::from(thread)] = Waits::No;
                self.take(thread, 0, LockMode::Exclusive);
                let mut step = Step::operation(thread, Action::Wake(false), CONDVAR);
                step.second = Some(LOCKS[0]);
                self.trace.push(step);
            }
            Waits::Taken(number) if self.channels[2].taken > number => {
                self.waits[usize::from(thread)] = Waits::No;
                self.on_channel(thread, 2, Action::SendTaken(true), number);
            }
            _ => {}
        }
    }

    fn act(&mut self, thread: u16, action: Action, object: u32) {
        self.trace.push(Step::operation(thread, action, object));
    }

    fn plain(&mut self, thread: u16) {
        use AccessKind::{Free, Read, Write};
        let kind = self
            .random
            .pick(&[Read, Read, Read, Write, Write, Write, Write, Free]);
        let (offset, size) = if kind == Free {
            (0, MEMORY_SIZE)
        } else if self.random.below(3) == 0 {
            let offset = self.random.below(MEMORY_SIZE);
            (offset, 1 + self.random.below(MEMORY_SIZE - offset))
        } else {
            (self.random.below(3) * 8, 8)
        };
        if kind == Free && self.random.below(4) > 0 {
            return;
        }
        self.trace
            .push(Step::access(thread, kind, MEMORY + offset, size));
    }

    fn operate(&mut self, thread: u16, kind: usize) {
        let me = usize::from(thread);
        match kind {
            0 | 1 => self.lock_or_unlock(thread),
            2..=6 => self.atomic(thread),
            7 => {
                let order = self.random.pick(&[Acquire, Release, AcqRel, SeqCst]);
                self.act(thread, Action::Fence(order), u32::MAX);
            }
            8 if self.waits.len() < self.most_threads => self.spawn(thread),
            9 if thread != 0 && self.held[me] == [None; 2] && self.once.0 != Some(thread) => {
                self.act(thread, Action::End, ENDS + u32::from(thread));
                self.waits[me] = Waits::Ended;
            }
            10 | 11 => {
                let other = self.random.below(self.waits.len());
                let ended = self.waits[other] == Waits::Ended;
                let end = ENDS + other as u32;
                if self.random.below(3) == 0 {
                    self.act(thread, Action::OncePeek(ended), end);
                } else if ended {
                    self.act(thread, Action::Join(ThreadIndex(other as u16)), end);
                }
            }
            12 => {
                let other = self.random.below(self.waits.len());
                self.tokens[other] = true;
                self.act(thread, Action::Unpark, TOKENS + other as u32);
            }
            13 => {
                let token = std::mem::take(&mut self.tokens[me]);
                self.act(thread, Action::Park(!token), TOKENS + u32::from(thread));
            }
            14 => self.once(thread),
            15..=17 => self.channel(thread),
            18 => self.barrier(thread),
            19 => self.condvar(thread),
            _ => {}
        }
    }

    fn free(&self, lock: usize, mode: LockMode) -> bool {
        let lock = self.locks[lock];
        lock.owner.is_none() && (mode == LockMode::Read || lock.readers == 0)
    }

    fn take(&mut self, thread: u16, lock: usize, mode: LockMode) {
        match mode {
            LockMode::Exclusive | LockMode::Upgradable => self.locks[lock].owner = Some(thread),
            LockMode::Read => self.locks[lock].readers += 1,
        }
        self.held[usize::from(thread)][lock] = Some(mode);
    }

    fn give(&mut self, thread: u16, lock: usize) -> Option<LockMode> {
        let mode = self.held[usize::from(thread)][lock].take()?;
        match mode {
            LockMode::Exclusive | LockMode::Upgradable => self.locks[lock].owner = None,
            LockMode::Read => self.locks[lock].readers -= 1,
        }
        Some(mode)
    }

    fn lock_or_unlock(&mut self, thread: u16) {
        let lock = self.random.below(2);
        if let Some(mode) = self.give(thread, lock) {
            self.act(thread, Action::Release(mode, None), LOCKS[lock]);
            return;
        }
        let mode = self.random.pick(&[LockMode::Exclusive, LockMode::Read]);
        let free = self.free(lock, mode);
        if free {
            self.take(thread, lock, mode);
        }
        let action = if self.random.below(3) == 0 {
            Action::TryAcquire(mode, free)
        } else if free {
            Action::Acquire(mode)
        } else {
            Action::AcquireTimeout(mode)
        };
        self.act(thread, action, LOCKS[lock]);
    }

    fn atomic(&mut self, thread: u16) {
        let object = self.random.pick(&ATOMICS);
        let reads: [Ordering; 3] = [Relaxed, Acquire, SeqCst];
        let (action, kind) = match self.random.below(5) {
            0 | 1 => (
                Action::Load(self.random.pick(&reads)),
                AccessKind::AtomicRead,
            ),
            2 => (
                Action::CasFail(self.random.pick(&reads)),
                AccessKind::AtomicRead,
            ),
            3 => {
                let order = self.random.pick(&[Relaxed, Release, SeqCst]);
                (Action::Store(order), AccessKind::AtomicWrite)
            }
            _ => {
                let order = self
                    .random
                    .pick(&[Relaxed, Relaxed, Acquire, Release, AcqRel, SeqCst]);
                (Action::Rmw(order, Update::Combine), AccessKind::AtomicWrite)
            }
        };
        let mut step = Step::operation(thread, action, object);
        // The first atomic lives in memory that is accessed plainly, too.
        if object == ATOMICS[0] {
            step.access = Some((kind, MEMORY, 8));
        }
        self.trace.push(step);
    }

    fn spawn(&mut self, thread: u16) {
        let new = self.waits.len() as u16;
        self.waits.push(Waits::No);
        self.held.push([None; 2]);
        self.tokens.push(false);
        self.act(thread, Action::Spawn(ThreadIndex(new)), 0);
    }

    fn once(&mut self, thread: u16) {
        let (running, done) = self.once;
        if running == Some(thread) {
            let done = self.random.below(3) > 0;
            self.once = (None, done);
            self.act(thread, Action::OnceEnd(done), ONCE);
        } else if self.random.below(2) == 0 {
            self.act(thread, Action::OncePeek(done), ONCE);
        } else if running.is_none() {
            if !done {
                self.once.0 = Some(thread);
            }
            self.act(thread, Action::OnceBegin(!done), ONCE);
        }
    }

    fn on_channel(&mut self, thread: u16, index: usize, action: Action, number: u64) {
        let mut step = Step::operation(thread, action, CHANNELS[index].0);
        step.number = number;
        step.ends = self.channels[index].ends;
        self.trace.push(step);
    }

    fn channel(&mut self, thread: u16) {
        let index = self.random.below(3);
        let channel = &mut self.channels[index];
        let waiting = channel.put - channel.taken;
        match self.random.below(9) {
            0..=3 if channel.ends.senders > 0 => {
                if channel.ends.receivers == 0 {
                    self.on_channel(thread, index, Action::Send(Blocking::Waits, false), 0);
                    return;
                }
                let room = channel
                    .ends
                    .capacity
                    .is_none_or(|capacity| (waiting as usize) < capacity.max(1));
                if !room {
                    self.on_channel(thread, index, Action::Send(Blocking::Waits, false), 0);
                    return;
                }
                let number = channel.put;
                channel.put += 1;
                if channel.ends.capacity == Some(0) {
                    self.waits[usize::from(thread)] = Waits::Taken(number);
                }
                self.on_channel(thread, index, Action::Send(Blocking::Waits, true), number);
            }
            4..=6 if channel.ends.receivers > 0 => {
                let got = waiting > 0;
                channel.taken += u64::from(got);
                self.on_channel(thread, index, Action::Receive(Blocking::Waits, got), 0);
            }
            7 => {
                // Endpoints are cloned and dropped; a last one rarely.
                let rare = self.random.below(4) == 0;
                let channel = &mut self.channels[index];
                let ends = &mut channel.ends;
                let senders = self.random.below(2) == 0;
                let count = if senders {
                    &mut ends.senders
                } else {
                    &mut ends.receivers
                };
                let last = *count == 1;
                if *count == 0 || (last && !rare) {
                    return;
                }
                if !last || rare {
                    *count -= 1;
                }
                channel.withdrawn |= ends.receivers == 0;
                self.on_channel(thread, index, Action::Endpoint, 0);
            }
            8 if channel.ends.senders > 0 => {
                channel.ends.senders += 1;
                self.on_channel(thread, index, Action::Endpoint, 0);
            }
            _ => {}
        }
    }

    fn barrier(&mut self, thread: u16) {
        let waiting: Vec<usize> = (0..self.waits.len())
            .filter(|&other| self.waits[other] == Waits::Barrier)
            .collect();
        let mut step = Step::operation(thread, Action::BarrierArrive, BARRIER);
        if waiting.len() == 1 {
            step.round_is_complete = true;
            self.waits[waiting[0]] = Waits::No;
        } else {
            self.waits[usize::from(thread)] = Waits::Barrier;
        }
        self.trace.push(step);
    }

    fn condvar(&mut self, thread: u16) {
        if self.held[usize::from(thread)][0] == Some(LockMode::Exclusive) {
            self.give(thread, 0);
            self.waits[usize::from(thread)] = Waits::Notification(false);
            let mut step = Step::operation(thread, Action::Wait, CONDVAR);
            step.second = Some(LOCKS[0]);
            self.trace.push(step);
            return;
        }
        for waits in &mut self.waits {
            if *waits == Waits::Notification(false) {
                *waits = Waits::Notification(true);
            }
        }
        self.act(thread, Action::Notify(true), CONDVAR);
    }
}

const KINDS: usize = 20;
