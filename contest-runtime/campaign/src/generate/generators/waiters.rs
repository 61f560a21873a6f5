//! Calls that wait, beside calls that let them go on: where wake-ups get lost.
//!
//! What waits is seen when one thread runs it: a call that does not come back, or whose future was pending. A
//! *situation* is an object, at most one call before, and a call that waits there; its *keys* are the calls after which
//! it does not wait. Tests of a situation, in turn with those of the others: its future polled again, inside `wake`, or
//! dropped, beside a key; cancelled, beside the same call and a key in threads of their own, and with keys after it;
//! and the call that waits beside another call and a key, for each other call, because a call between those two may
//! take away what was to be woken. What waits for a task or for time has no key: it meets each other call.
//!
//! The future of each call is dropped unpolled once, beside a call that only looks: what it was given must not be lost
//! with it, whether or not it would wait.
//!
//! A call whose time was up may have left its place among those that wait. So it comes before each call that waits and
//! a key.
//!
//! Where a call waits because another thread keeps something, as an object of a pool or a permit, the key is the end of
//! what is kept: it comes beside two calls that wait, one of them cancelled, polled again or dropped unpolled; beside
//! one that waits and each other call; and with each other call before it, beside two that wait.

use std::collections::VecDeque;

use super::{Generator, Parts, RunCalls};
use crate::generate::SequenceRun;
use contest_data::fast_hash::FastSet;
use contest_data::sorted;
use contest_data::subject::{FutureUse, StandInMode};
use contest_data::test::{ConcurrentTest, TestCall, TestObject};
use situation::{Kept, Made, Situation};

mod situation;

/// Most objects that calls are looked at on, made in different ways.
const MOST_OBJECTS: usize = 4;
/// Most calls before, one at a time.
const MOST_BEFORE: usize = 4;
/// Most sequences that are run to look for situations.
const MOST_RUNS: u32 = 300;
/// Most keys of a situation that get tests.
const MOST_KEYS: usize = 4;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Waiters {
    /// Objects, with the call before, that were not looked at yet; `None` before the first test.
    starts: Option<VecDeque<(TestObject, Option<TestCall>)>>,
    situations: VecDeque<Situation>,
    /// Objects and operations that wait there without a call before.
    at_once: FastSet<(TestObject, u16)>,
    /// Situations that have had a test since a start was looked at.
    turns: usize,
    runs: u32,
    /// There was a start to look at.
    goes_on: bool,
    /// Calls whose future has not been dropped unpolled yet; `None` before the first test.
    unpolled: Option<VecDeque<TestCall>>,
    /// The next test is one of these, if there is one.
    drops_next: bool,
}

impl Waiters {
    /// Looks at the next start; false if there is none.
    fn look(&mut self, parts: &Parts, runner: &mut dyn RunCalls) -> bool {
        let starts = self.starts.get_or_insert_with(|| starts(parts));
        let Some((object, before)) = starts.pop_front() else {
            return false;
        };
        let mut runs = |calls: &[&TestCall]| {
            self.runs += 1;
            let calls: Vec<TestCall> = before
                .iter()
                .chain(calls.iter().copied())
                .cloned()
                .collect();
            runner.run_calls(&object, &calls)
        };
        if before.is_some() {
            let run = runs(&[]);
            if run.failed || run.waits {
                return true;
            }
        }
        let candidates = parts.calls.shared().iter().copied();
        let candidates = candidates.filter(|&operation| !parts.calls.takes_object(operation));
        let call = |operation: u16| parts.calls.first_call(operation, 0, 1);
        let mut waiting = Vec::new();
        let mut changing = Vec::new();
        let mut gave_up = Vec::new();
        let mut waits_at_once = Vec::new();
        for operation in candidates.clone() {
            if before.is_some() && self.at_once.contains(&(object.clone(), operation)) {
                waits_at_once.push(operation);
                continue;
            }
            let run = runs(&[&call(operation)]);
            let changes = parts.calls.changers().contains(&operation);
            if run.waits {
                waiting.push((operation, run.failed));
            } else if !run.failed && changes {
                changing.push(operation);
            }
            if run.gave_up && before.is_none() {
                gave_up.push(operation);
            }
        }
        // The most promising first.
        let order = |operation: &u16| {
            let place = parts.calls.changers().iter().position(|it| it == operation);
            place.unwrap_or(usize::MAX)
        };
        sorted::sort_by_key(&mut changing, order);
        let others: Vec<u16> = changing
            .iter()
            .copied()
            .chain(waiting.iter().map(|&(operation, _)| operation))
            .chain(waits_at_once)
            .collect();
        if before.is_none() {
            let at_once = |operation: u16| waiting.iter().any(|it| it.0 == operation);
            let free = candidates.filter(|&operation| !at_once(operation));
            for (kept, waits) in wait_for_kept(parts, &free.collect::<Vec<_>>(), &mut runs) {
                self.situations.push_back(Situation {
                    object: object.clone(),
                    before: None,
                    kept: Some(kept),
                    gave_up: false,
                    others: changing.clone(),
                    waits,
                    keys: Vec::new(),
                    turn: 0,
                });
            }
        }
        for &(waits, for_ever) in &waiting {
            if before.is_none() {
                self.at_once.insert((object.clone(), waits));
            }
            let waits = call(waits);
            let keys: Vec<TestCall> = changing
                .iter()
                .map(|&operation| call(operation))
                .filter(|key| {
                    let run = runs(&[key, &waits]);
                    !run.failed && !run.waits
                })
                .take(MOST_KEYS)
                .collect();
            if keys.is_empty() && for_ever {
                continue;
            }
            let after = gave_up.iter().map(|&it| Some(call(it)));
            for (gave_up, before) in
                std::iter::once((false, before.clone())).chain(after.map(|it| (true, it)))
            {
                self.situations.push_back(Situation {
                    object: object.clone(),
                    before,
                    kept: None,
                    gave_up,
                    others: others.clone(),
                    waits: waits.clone(),
                    keys: keys.clone(),
                    turn: 0,
                });
            }
        }
        true
    }
}

impl Generator for Waiters {
    fn propose(&mut self, parts: &mut Parts, runner: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        self.drops_next = !self.drops_next;
        if self.drops_next
            && let Some(test) = self.dropped_unpolled(parts)
        {
            return Some(test);
        }
        let other = self.of_situation(parts, runner);
        other.or_else(|| self.dropped_unpolled(parts))
    }

    fn goes_on(&self) -> bool {
        self.goes_on
    }
}

impl Waiters {
    /// The next call whose future is dropped unpolled.
    fn dropped_unpolled(&mut self, parts: &Parts) -> Option<ConcurrentTest> {
        let calls = parts.calls.shared().iter().copied();
        let dropped = calls.filter(|&operation| !parts.calls.takes_object(operation));
        let dropped = dropped
            .filter_map(|call| used(&parts.calls.first_call(call, 0, 1), FutureUse::Drop, parts));
        let unpolled = self.unpolled.get_or_insert_with(|| dropped.collect());
        while let Some(call) = unpolled.pop_front() {
            let mut beside = parts.calls.shared().iter().copied().filter(|&other| {
                let free = !parts.calls.takes_object(other);
                free && parts.calls.can_meet(call.operation, other)
            });
            let first = beside.clone().next();
            let quiet = beside.find(|&other| is_quiet(other, parts));
            if let Some(other) = quiet.or(first) {
                let lanes = vec![vec![call], vec![parts.calls.first_call(other, 0, 1)]];
                let object = objects(parts).swap_remove(0);
                return Some(parts.test(vec![object], Vec::new(), lanes));
            }
        }
        None
    }

    /// The next test of a situation.
    fn of_situation(
        &mut self,
        parts: &mut Parts,
        runner: &mut dyn RunCalls,
    ) -> Option<ConcurrentTest> {
        loop {
            // Another start when each situation has had a test; where nothing waits, one in each turn.
            self.goes_on = false;
            if self.turns >= self.situations.len() && self.runs < MOST_RUNS {
                self.turns = 0;
                self.goes_on = self.look(parts, runner);
            }
            let mut situation = self.situations.pop_front()?;
            self.turns += 1;
            situation.turn += 1;
            match situation.test(situation.turn - 1, parts) {
                Made::Test(test) => {
                    self.situations.push_back(situation);
                    return Some(test);
                }
                Made::TooLarge => self.situations.push_back(situation),
                Made::Nothing => self.turns = self.turns.saturating_sub(1),
            }
        }
    }
}

/// Calls that wait while the result of another one is kept, with that one.
fn wait_for_kept(
    parts: &Parts,
    candidates: &[u16],
    runs: &mut dyn FnMut(&[&TestCall]) -> SequenceRun,
) -> Vec<(Kept, TestCall)> {
    let Some(let_go) = parts.calls.letting_go() else {
        return Vec::new();
    };
    let call = |operation: u16| parts.calls.first_call(operation, 0, 1);
    let let_go = call(let_go);
    let mut found = Vec::new();
    for keep in parts.calls.keeping().iter().map(|&it| call(it)) {
        let run = runs(&[&keep, &let_go]);
        if run.failed || run.waits {
            continue;
        }
        let plain = candidates.iter().filter(|it| {
            let is_kept = parts.calls.keeping().contains(it);
            !is_kept && parts.calls.letting_go() != Some(**it)
        });
        for waits in plain.map(|&it| call(it)) {
            if runs(&[&keep, &waits]).waits {
                let kept = Kept {
                    keep: keep.clone(),
                    let_go: let_go.clone(),
                };
                found.push((kept, waits));
            }
        }
    }
    found
}

/// The call with its future used in this way, if it returns one that can be.
pub(super) fn used(call: &TestCall, how: FutureUse, parts: &Parts) -> Option<TestCall> {
    let operation = parts.calls.operation(call.operation);
    let at = operation.future_argument()?;
    let has = operation.arguments[at].choices.len() > usize::from(how.choice());
    let mut call = call.clone();
    *call.choices.get_mut(at)? = how.choice();
    has.then_some(call)
}

/// True if it only looks, at the object alone.
fn is_quiet(operation: u16, parts: &Parts) -> bool {
    let it = parts.calls.operation(operation);
    it.observer && it.arguments.is_empty()
}

/// The call that only looks, and looks at most.
pub(super) fn looks_most(parts: &Parts, runner: &mut dyn RunCalls) -> Option<TestCall> {
    let object = parts.calls.first_object();
    let quiet = parts.calls.shared().iter().copied();
    let quiet = quiet.filter(|&it| is_quiet(it, parts));
    let calls = quiet.map(|it| parts.calls.first_call(it, 0, 1));
    calls.rev().max_by_key(|call| {
        let run = runner.run_calls(&object, std::slice::from_ref(call));
        run.accesses.len()
    })
}

/// The first ways in which objects are made.
fn objects(parts: &Parts) -> Vec<TestObject> {
    let constructors = (0_u16..).zip(parts.calls.subject().constructors);
    let made = |constructor, choices| TestObject {
        constructor,
        choices,
    };
    let mut objects: Vec<TestObject> = constructors
        .clone()
        .map(|(number, constructor)| made(number, vec![0; constructor.arguments.len()]))
        .collect();
    // Then the same with the second value of an argument: none, where the first value is one.
    for (number, constructor) in constructors {
        for (at, argument) in constructor.arguments.iter().enumerate() {
            if argument.choices.len() > 1 && !argument.object {
                let mut choices = vec![0; constructor.arguments.len()];
                choices[at] = 1;
                objects.push(made(number, choices));
            }
        }
    }
    // Calls that wait because of a limit show best on objects whose stand-ins do nothing unusual.
    let all = parts.calls.subject().constructors;
    let is_unusual = |it: &TestObject| all[usize::from(it.constructor)].mode != StandInMode::Usual;
    sorted::sort_by_key(&mut objects, is_unusual);
    objects.truncate(MOST_OBJECTS);
    objects
}

/// The first objects, each fresh; then with a call before.
pub(super) fn starts(parts: &Parts) -> VecDeque<(TestObject, Option<TestCall>)> {
    let objects = objects(parts);
    let changers = parts.calls.changers().iter().copied();
    let before: Vec<TestCall> = changers
        .filter(|&operation| !parts.calls.takes_object(operation))
        .take(MOST_BEFORE)
        .map(|operation| parts.calls.first_call(operation, 0, 1))
        .collect();
    let fresh = objects.iter().map(|object| (object.clone(), None));
    let prepared = before.iter().flat_map(|call| {
        let of = objects.iter();
        of.map(|object| (object.clone(), Some(call.clone())))
    });
    fresh.chain(prepared).collect()
}

#[cfg(test)]
mod tests;
