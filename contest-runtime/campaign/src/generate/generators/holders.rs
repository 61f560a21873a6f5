//! What a thread holds while it goes on: locks inside one call, and results that it keeps over further calls.
//!
//! A *unit* is what one thread does: a call, or a call whose result is kept, a second one, and the end of what is kept.
//! What units do is measured with one thread. Four kinds of tests, the first ones first:
//!
//! - *Both ways*: `a.transfer(&b)` beside `b.transfer(&a)`, of each operation that takes another object of its type.
//! - *Opposite orders*: two units of which one takes a lock while it holds another one, and the other one takes these
//!   two the other way round. They are put together at once, however many operations the type has.
//! - *Both in*: a call that keeps its result, beside itself, where one thread that keeps the first result would wait
//!   for the second one.
//! - *Kept results*: a unit that keeps something, beside a call that touches what the unit touches. One whose second
//!   call waits or fails is no test: the thread would stand in its own way. Neither is one whose second call takes a
//!   lock that users can keep as well: they have to know in which order.
//!
//! Of those that keep something and call again there is one thread, not two: guards that two threads take in opposite
//! orders, and hold while they call again, are the threads' doing (see `crossed_locks` of the judge).

use std::collections::VecDeque;

use super::waiters::{looks_most, starts};
use super::{Generator, Parts, RunCalls};
use crate::generate::SequenceRun;
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

/// Most objects, each made in one way and changed by one call, that are looked at.
const MOST_STARTS: usize = 8;
/// Most sequences that are run at one start, ...
const MOST_RUNS: u32 = 600;
/// ... and in a turn in which nothing is found.
const FRUITLESS: u32 = 20;
/// Most operations that are called both ways.
const MOST_BOTH_WAYS: usize = 8;
/// A start is looked at in one of so many turns, while there are tests of kept results.
const TURNS: u32 = 4;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Holders {
    /// Starts that were not looked at yet; `None` before the first test.
    starts: Option<VecDeque<Start>>,
    both_ways: Option<VecDeque<ConcurrentTest>>,
    both_in: VecDeque<ConcurrentTest>,
    opposite: VecDeque<ConcurrentTest>,
    kept: VecDeque<(Start, Unit, TestCall)>,
    turn: u32,
    goes_on: bool,
}

/// An object, and the call before.
pub(super) type Start = (TestObject, Option<TestCall>);
/// The calls of one thread.
pub(super) type Unit = Vec<TestCall>;

/// Runs sequences from one start.
pub(super) struct From<'a> {
    start: &'a Start,
    runner: &'a mut dyn RunCalls,
    left: u32,
}

impl<'a> From<'a> {
    /// So many sequences at most.
    pub(super) fn new(start: &'a Start, runner: &'a mut dyn RunCalls, left: u32) -> Self {
        Self {
            start,
            runner,
            left,
        }
    }

    /// How many calls come before those of units.
    pub(super) fn before(&self) -> usize {
        usize::from(self.start.1.is_some())
    }

    /// A test of these threads at this start.
    pub(super) fn test(&self, parts: &Parts, lanes: Vec<Unit>) -> ConcurrentTest {
        test(parts, self.start, lanes)
    }

    /// The first call of each unit is number `before + …`.
    pub(super) fn run(&mut self, units: &[&Unit]) -> Option<SequenceRun> {
        self.left = self.left.checked_sub(1)?;
        let (object, before) = self.start;
        let units = units.iter().copied().flatten();
        let calls: Vec<TestCall> = before.iter().chain(units).cloned().collect();
        Some(self.runner.run_calls(object, &calls))
    }
}

impl Holders {
    /// Looks at the next start; false if there is none.
    fn look(&mut self, parts: &Parts, runner: &mut dyn RunCalls) -> bool {
        let starts = self.starts.get_or_insert_with(|| {
            let mut starts = starts(parts);
            starts.truncate(MOST_STARTS);
            starts
        });
        let Some(start) = starts.pop_front() else {
            return false;
        };
        let mut from = From {
            start: &start,
            runner,
            left: MOST_RUNS,
        };
        let plain = plain_units(parts);
        self.both_in.extend(both_in(parts, &mut from));
        let kept = kept_units(parts, &plain, &mut from);
        let all = || plain.iter().chain(&kept);
        let mut nesting: Vec<&Unit> = Vec::new();
        for unit in all() {
            let run = from.run(&[unit]);
            if run.is_some_and(|run| !run.lock_orders.is_empty()) {
                nesting.push(unit);
            }
        }
        let before = usize::from(start.1.is_some());
        for (number, first) in nesting.iter().enumerate() {
            for second in &nesting[number..] {
                let both_keep = first.len() > 1 && second.len() > 1;
                if both_keep || !can_meet(parts, first, second) {
                    continue;
                }
                let Some(run) = from.run(&[first, second]) else {
                    break;
                };
                if takes_oppositely(&run, before + first.len()) {
                    let lanes = vec![first.to_vec(), second.to_vec()];
                    let test = self::test(parts, &start, lanes);
                    self.opposite.push_back(test);
                }
            }
        }
        for other in plain.into_iter().flatten() {
            for unit in &kept {
                self.kept
                    .push_back((start.clone(), unit.clone(), other.clone()));
            }
        }
        true
    }

    /// The next test of a kept result.
    fn of_kept(&mut self, parts: &Parts, runner: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        for _ in 0..FRUITLESS {
            let (start, unit, other) = self.kept.pop_front()?;
            let other = vec![other];
            if !can_meet(parts, &unit, &other) {
                continue;
            }
            let mut from = From {
                start: &start,
                runner: &mut *runner,
                left: 2,
            };
            let [keep, second, let_go] = &unit[..] else {
                continue;
            };
            let before = usize::from(start.1.is_some());
            let mut beside = |calls: &[&TestCall]| {
                let calls: Unit = calls.iter().copied().cloned().collect();
                let last = before + calls.len();
                let run = from.run(&[&calls, &other]);
                run.is_some_and(|run| run.failed || meets(&run, last))
            };
            // Of a sequence, the last three calls are looked at.
            if beside(&[keep, let_go]) || beside(&[second]) {
                return Some(self::test(parts, &start, vec![unit, other]));
            }
        }
        None
    }
}

/// Two equal objects, each of which gets the other one.
fn both_ways(parts: &Parts) -> VecDeque<ConcurrentTest> {
    let changers = parts.calls.changers().iter().copied();
    let taking = changers.filter(|it| {
        let shared = parts.calls.shared().contains(it) && parts.calls.can_meet(*it, *it);
        shared && parts.calls.takes_object(*it)
    });
    let object = parts.calls.first_object();
    taking
        .take(MOST_BOTH_WAYS)
        .map(|operation| {
            let lane = |receiver| vec![parts.calls.first_call(operation, receiver, 2)];
            let objects = vec![object.clone(); 2];
            parts.test(objects, Vec::new(), vec![lane(0), lane(1)])
        })
        .collect()
}

/// A call of each operation that takes no other object.
pub(super) fn plain_units(parts: &Parts) -> Vec<Unit> {
    let free = |operation: &&u16| !parts.calls.takes_object(**operation);
    // What may change the object first.
    let changers = parts.calls.changers().iter();
    let shared = parts.calls.shared();
    let looks = shared
        .iter()
        .filter(|it| !parts.calls.changers().contains(it));
    let ordered = changers.filter(|it| shared.contains(it)).chain(looks);
    ordered
        .filter(free)
        .map(|&operation| vec![parts.calls.first_call(operation, 0, 1)])
        .collect()
}

/// Each call that keeps something, in two threads, where the second one waits or fails while the first one keeps it.
fn both_in(parts: &Parts, from: &mut From<'_>) -> Vec<ConcurrentTest> {
    let Some(let_go) = parts.calls.letting_go() else {
        return Vec::new();
    };
    if parts.size.calls < 3 {
        return Vec::new();
    }
    let let_go = parts.calls.first_call(let_go, 0, 1);
    // Each has it for some time.
    let Some(look) = looks_most(parts, from.runner) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for &operation in parts.calls.keeping() {
        if !parts.calls.can_meet(operation, operation) {
            continue;
        }
        let keep = parts.calls.first_call(operation, 0, 1);
        let unit = vec![keep.clone(), let_go.clone()];
        let once = from.run(&[&unit]);
        let twice = from.run(&[&vec![keep.clone()], &vec![keep]]);
        let (Some(once), Some(twice)) = (once, twice) else {
            break;
        };
        let free = !once.failed && !once.waits;
        if free && (twice.waits || twice.failed || twice.gave_up) {
            let unit = vec![unit[0].clone(), look.clone(), let_go.clone()];
            found.push(from.test(parts, vec![unit.clone(), unit]));
        }
    }
    found
}

/// Each call that keeps something, with each second call that one thread can make then.
fn kept_units(parts: &Parts, plain: &[Unit], from: &mut From<'_>) -> Vec<Unit> {
    let Some(let_go) = parts.calls.letting_go() else {
        return Vec::new();
    };
    if parts.size.calls < 3 {
        return Vec::new();
    }
    let let_go = parts.calls.first_call(let_go, 0, 1);
    let mut found = Vec::new();
    for &operation in parts.calls.keeping() {
        let keep = parts.calls.first_call(operation, 0, 1);
        let only = vec![keep.clone(), let_go.clone()];
        let Some(run) = from.run(&[&only]) else {
            break;
        };
        // A result whose drop no other thread can notice holds nothing.
        if run.failed || run.waits || !run.acts {
            continue;
        }
        for second in plain.iter().flatten() {
            let unit = vec![keep.clone(), second.clone(), let_go.clone()];
            // Whether the second call waits shows where it is the last one.
            let alone = from.run(&[&unit[..2].to_vec()]);
            let goes_on = |run: &SequenceRun| !run.failed && !run.waits && !run.gave_up;
            if alone.as_ref().is_some_and(goes_on) && !takes_lent_lock(parts, &unit, from) {
                found.push(unit);
            }
        }
    }
    found
}

/// True if the second call takes a lock, beside what is kept, that a result of another operation holds too. In which
/// order users take two such locks is up to them.
fn takes_lent_lock(parts: &Parts, unit: &Unit, from: &mut From<'_>) -> bool {
    let second = usize::from(from.start.1.is_some()) + 1;
    parts.calls.keeping().iter().any(|&operation| {
        let other = parts.calls.first_call(operation, 0, 1);
        let Some(run) = from.run(&[unit, &vec![other]]) else {
            return true;
        };
        let orders = run.lock_orders.iter().filter(|it| it.call == second);
        let lent = |lock: u32| {
            let mut accesses = run.accesses.iter();
            accesses.any(|it| it.call == second + 2 && it.visible && it.variable == lock)
        };
        orders.map(|it| it.inner).any(lent)
    })
}

pub(super) fn can_meet(parts: &Parts, first: &Unit, second: &Unit) -> bool {
    let mut pairs = first
        .iter()
        .flat_map(|one| second.iter().map(move |other| (one, other)));
    pairs.all(|(one, other)| parts.calls.can_meet(one.operation, other.operation))
}

/// True if a call from this one on takes two locks that one before took in the opposite order.
pub(super) fn takes_oppositely(run: &SequenceRun, from: usize) -> bool {
    let mut first = run.lock_orders.iter().filter(|it| it.call < from);
    first.any(|one| {
        let mut second = run.lock_orders.iter().filter(|it| it.call >= from);
        second.any(|other| (one.outer, one.inner) == (other.inner, other.outer))
    })
}

/// True if this call accesses what others did before, and one of both changes it.
pub(super) fn meets(run: &SequenceRun, last: usize) -> bool {
    let mut accesses = run.accesses.iter().filter(|it| it.call == last);
    accesses.any(|one| {
        let mut others = run.accesses.iter().filter(|it| it.call < last);
        others.any(|other| one.variable == other.variable && (one.writes || other.writes))
    })
}

fn test(parts: &Parts, (object, before): &Start, lanes: Vec<Unit>) -> ConcurrentTest {
    let before = before.iter().cloned().collect();
    parts.test(vec![object.clone()], before, lanes)
}

impl Generator for Holders {
    fn propose(&mut self, parts: &mut Parts, runner: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        self.turn += 1;
        self.goes_on = false;
        let both_ways = self.both_ways.get_or_insert_with(|| both_ways(parts));
        if let Some(test) = both_ways.pop_front() {
            self.goes_on = true;
            return Some(test);
        }
        let none_ready = self.both_in.is_empty() && self.opposite.is_empty();
        if none_ready && (self.kept.is_empty() || self.turn.is_multiple_of(TURNS)) {
            self.goes_on = self.look(parts, runner);
        }
        let first = self.opposite.pop_front();
        let first = first.or_else(|| self.both_in.pop_front());
        let test = first.or_else(|| self.of_kept(parts, runner));
        self.goes_on |= !self.kept.is_empty() || !self.both_in.is_empty();
        test
    }

    fn goes_on(&self) -> bool {
        self.goes_on
    }
}

#[cfg(test)]
mod tests;
