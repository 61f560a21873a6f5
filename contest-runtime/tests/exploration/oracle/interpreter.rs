//! All that a program can do, by an interpreter that knows nothing of the engine: every interleaving of its steps, and
//! every moment at which a timed wait can be over.

use std::collections::{BTreeSet, HashSet};

use super::program::{EACH, Op, Program};

/// What came of an execution: what each thread has noted, whether it came to its end, and the variables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Outcome {
    pub notes: Vec<Vec<u8>>,
    pub ended: Vec<bool>,
    pub variables: [u8; EACH],
}

/// A step of a thread.
#[derive(Clone, Copy, Debug)]
enum Step {
    Load(usize),
    Store(usize, u8),
    Add(usize),
    Exchange(usize, u8, u8),
    /// Jumps if the variable is 0.
    Unless(usize, usize),
    Lock(usize),
    /// Jumps if it is held.
    TryLock(usize, usize),
    Unlock(usize),
    Wait(usize, bool),
    Notify(usize, bool),
    IsPoisoned(usize),
    ClearPoison(usize),
    Send(usize, u8, bool),
    Receive(Patience),
    Park(bool),
    Unpark(usize),
    Sleep,
    Spin(usize),
    Tries(usize, u8),
    /// Jumps unless it was the last reference.
    Release(usize, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patience {
    None,
    Some,
    Endless,
}

fn compile(ops: &[Op], into: &mut Vec<Step>) {
    for op in ops {
        let step = match op {
            Op::Load(var) => Step::Load(*var),
            Op::Store(var, value) => Step::Store(*var, *value),
            Op::Add(var) => Step::Add(*var),
            Op::Exchange(var, old, new) => Step::Exchange(*var, *old, *new),
            Op::If(var, ops) => {
                let at = into.len();
                into.push(Step::Sleep);
                compile(ops, into);
                into[at] = Step::Unless(*var, into.len());
                continue;
            }
            Op::Locked(lock, ops) => {
                into.push(Step::Lock(*lock));
                compile(ops, into);
                Step::Unlock(*lock)
            }
            Op::TryLocked(lock, ops) => {
                let at = into.len();
                into.push(Step::Sleep);
                compile(ops, into);
                into.push(Step::Unlock(*lock));
                into[at] = Step::TryLock(*lock, into.len());
                continue;
            }
            Op::Wait(lock, timed) => Step::Wait(*lock, *timed),
            Op::NotifyOne(lock) => Step::Notify(*lock, false),
            Op::NotifyAll(lock) => Step::Notify(*lock, true),
            Op::IsPoisoned(lock) => Step::IsPoisoned(*lock),
            Op::ClearPoison(lock) => Step::ClearPoison(*lock),
            Op::Send(to, value) => Step::Send(*to, *value, true),
            Op::TrySend(to, value) => Step::Send(*to, *value, false),
            Op::Receive => Step::Receive(Patience::Endless),
            Op::TryReceive => Step::Receive(Patience::None),
            Op::ReceiveForSomeTime => Step::Receive(Patience::Some),
            Op::Park => Step::Park(false),
            Op::ParkForSomeTime => Step::Park(true),
            Op::Unpark(thread) => Step::Unpark(*thread),
            Op::Sleep => Step::Sleep,
            Op::Spin(var, _) => Step::Spin(*var),
            Op::Tries(var, most, _) => Step::Tries(*var, *most),
            Op::Release(count) => {
                let after = into.len() + 2;
                into.push(Step::Release(*count, after));
                Step::Store(*count, 7)
            }
        };
        into.push(step);
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Thread {
    next: usize,
    /// How far it is within its step.
    part: u8,
    notified: bool,
    token: bool,
    notes: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<Thread>,
    variables: [u8; EACH],
    held: [bool; EACH],
    poisoned: [bool; EACH],
    counts: [u8; EACH],
    channels: Vec<Vec<u8>>,
}

impl State {
    fn of(program: &Program) -> Self {
        let count = program.threads.len();
        let thread = Thread {
            next: 0,
            part: 0,
            notified: false,
            token: false,
            notes: Vec::new(),
        };
        Self {
            threads: vec![thread; count],
            variables: [0; EACH],
            held: [false; EACH],
            poisoned: [program.poisoned; EACH],
            counts: std::array::from_fn(|number| super::references(program, number)),
            channels: vec![Vec::new(); count],
        }
    }

    /// The thread has executed its step, and noted this.
    fn done(mut self, thread: usize, note: Option<u8>) -> Self {
        let thread = &mut self.threads[thread];
        thread.notes.extend(note);
        thread.next += 1;
        thread.part = 0;
        self
    }

    fn jumps(mut self, thread: usize, note: Option<u8>, to: usize) -> Self {
        let thread = &mut self.threads[thread];
        thread.notes.extend(note);
        thread.next = to;
        self
    }

    /// As [`done`](Self::done), of a step that takes the lock, which is free.
    fn locks(mut self, thread: usize, lock: usize, note: u8) -> Self {
        self.held[lock] = true;
        self.done(thread, Some(note))
    }

    /// Whatever the thread can do next.
    fn after(&self, thread: usize, code: &[Vec<Step>]) -> Vec<Self> {
        let me = &self.threads[thread];
        let Some(&step) = code[thread].get(me.next) else {
            return Vec::new();
        };
        let mut new = self.clone();
        let one = |state: Self| vec![state];
        match step {
            Step::Load(var) => one(new.done(thread, Some(self.variables[var]))),
            Step::Store(var, value) => {
                new.variables[var] = value;
                one(new.done(thread, None))
            }
            Step::Add(var) => {
                new.variables[var] += 1;
                one(new.done(thread, Some(self.variables[var])))
            }
            Step::Exchange(var, old, value) => {
                let now = self.variables[var];
                if now == old {
                    new.variables[var] = value;
                }
                one(new.done(thread, Some(now)))
            }
            Step::Unless(var, to) if self.variables[var] == 0 => one(new.jumps(thread, None, to)),
            Step::Unless(..) | Step::Sleep => one(new.done(thread, None)),
            Step::Lock(lock) if self.held[lock] => Vec::new(),
            Step::Lock(lock) => one(new.locks(thread, lock, u8::from(self.poisoned[lock]))),
            Step::TryLock(lock, to) if self.held[lock] => one(new.jumps(thread, Some(9), to)),
            Step::TryLock(lock, _) => one(new.locks(thread, lock, u8::from(self.poisoned[lock]))),
            Step::Unlock(lock) => {
                new.held[lock] = false;
                one(new.done(thread, None))
            }
            Step::Wait(lock, timed) => match me.part {
                0 => {
                    new.held[lock] = false;
                    new.threads[thread].part = 1;
                    new.threads[thread].notified = false;
                    one(new)
                }
                1 if me.notified && !self.held[lock] => one(new.locks(thread, lock, 0)),
                1 if !me.notified && timed => {
                    new.threads[thread].part = 2;
                    one(new)
                }
                2 if !self.held[lock] => one(new.locks(thread, lock, 1)),
                _ => Vec::new(),
            },
            Step::Notify(lock, all) => {
                let waits = |other: &usize| {
                    let waiter = &self.threads[*other];
                    let step = code[*other].get(waiter.next);
                    let here = matches!(step, Some(Step::Wait(on, _)) if *on == lock);
                    here && waiter.part == 1 && !waiter.notified
                };
                let waiters: Vec<usize> = (0..code.len()).filter(waits).collect();
                new = new.done(thread, None);
                if all || waiters.is_empty() {
                    for waiter in waiters {
                        new.threads[waiter].notified = true;
                    }
                    return one(new);
                }
                let wake = |waiter: &usize| {
                    let mut woken = new.clone();
                    woken.threads[*waiter].notified = true;
                    woken
                };
                waiters.iter().map(wake).collect()
            }
            Step::IsPoisoned(lock) => one(new.done(thread, Some(u8::from(self.poisoned[lock])))),
            Step::ClearPoison(lock) => {
                new.poisoned[lock] = false;
                one(new.done(thread, None))
            }
            Step::Send(to, value, waits) => {
                let full = to % 2 == 1 && !self.channels[to].is_empty();
                match (full, waits) {
                    (true, true) => Vec::new(),
                    (true, false) => one(new.done(thread, Some(9))),
                    _ => {
                        new.channels[to].push(value);
                        one(new.done(thread, None))
                    }
                }
            }
            Step::Receive(patience) => {
                if self.channels[thread].is_empty() {
                    return match patience {
                        Patience::Endless => Vec::new(),
                        _ => one(new.done(thread, Some(9))),
                    };
                }
                let value = new.channels[thread].remove(0);
                one(new.done(thread, Some(value)))
            }
            Step::Park(timed) => {
                if !me.token && !timed {
                    return Vec::new();
                }
                new.threads[thread].token = false;
                one(new.done(thread, None))
            }
            Step::Unpark(other) => {
                new.threads[other].token = true;
                one(new.done(thread, None))
            }
            Step::Spin(var) if self.variables[var] == 0 => Vec::new(),
            Step::Spin(_) => one(new.done(thread, None)),
            Step::Tries(var, most) => {
                if self.variables[var] != 0 || me.part + 1 == most {
                    let seen = self.variables[var] != 0;
                    let note = if seen { me.part } else { most };
                    return one(new.done(thread, Some(note)));
                }
                new.threads[thread].part += 1;
                one(new)
            }
            Step::Release(count, to) => {
                new.counts[count] -= 1;
                if new.counts[count] == 0 {
                    one(new.done(thread, None))
                } else {
                    one(new.jumps(thread, None, to))
                }
            }
        }
    }
}

/// Every outcome; `None` if there are more states than `most`.
pub fn every_outcome(program: &Program, most: usize) -> Option<BTreeSet<Outcome>> {
    let code: Vec<Vec<Step>> = program
        .threads
        .iter()
        .map(|ops| {
            let mut steps = Vec::new();
            compile(ops, &mut steps);
            steps
        })
        .collect();
    let mut known = HashSet::new();
    let mut left = vec![State::of(program)];
    let mut outcomes = BTreeSet::new();
    while let Some(state) = left.pop() {
        if known.len() > most {
            return None;
        }
        let before = left.len();
        for thread in 0..code.len() {
            left.extend(state.after(thread, &code));
        }
        if left.len() == before {
            outcomes.insert(Outcome {
                ended: (0..code.len())
                    .map(|thread| state.threads[thread].next == code[thread].len())
                    .collect(),
                notes: state.threads.into_iter().map(|it| it.notes).collect(),
                variables: state.variables,
            });
            continue;
        }
        let mut index = before;
        while index < left.len() {
            if known.insert(left[index].clone()) {
                index += 1;
            } else {
                left.swap_remove(index);
            }
        }
    }
    Some(outcomes)
}
