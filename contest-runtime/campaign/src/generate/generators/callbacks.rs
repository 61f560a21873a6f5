//! Closures of users that call the object from inside a call of it, or panic there.
//!
//! What such a call does is measured with one thread: one that waits or fails alone is no test. Then there are two
//! kinds of tests, in turns:
//!
//! - *Coming back*: first beside a unit that takes two locks the other way round, then beside each call that touches
//!   what the call touches.
//! - *Panicking*: beside the same call with a closure that does not panic, then beside each other one, and with a
//!   further call of the same thread after the panic.

use std::collections::VecDeque;

use super::holders::{From, Start, Unit, can_meet, meets, plain_units, takes_oppositely};
use super::waiters::starts;
use super::{Generator, Parts, RunCalls};
use contest_data::sorted;
use contest_data::test::{ConcurrentTest, TestCall};

/// Most objects, each made in one way and changed by one call, that are looked at.
const MOST_STARTS: usize = 6;
/// Most sequences that are run at one start.
const MOST_RUNS: u32 = 400;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Callbacks {
    /// Starts that were not looked at yet; `None` before the first test.
    starts: Option<VecDeque<Start>>,
    /// Locks in opposite orders.
    opposite: VecDeque<ConcurrentTest>,
    coming_back: VecDeque<ConcurrentTest>,
    panicking: VecDeque<ConcurrentTest>,
    turn: u32,
    goes_on: bool,
}

impl Callbacks {
    /// Looks at the next start; false if there is none.
    fn look(&mut self, parts: &Parts, runner: &mut dyn RunCalls) -> bool {
        if parts.calls.panicking().is_empty() && parts.calls.coming_back().is_empty() {
            return false;
        }
        let starts = self.starts.get_or_insert_with(|| {
            let mut starts = starts(parts);
            starts.truncate(MOST_STARTS);
            starts
        });
        let Some(start) = starts.pop_front() else {
            return false;
        };
        let mut from = From::new(&start, runner, MOST_RUNS);
        let plain = plain_units(parts);
        self.come_back(parts, &plain, &mut from);
        self.panic(parts, &plain, &mut from);
        true
    }

    fn come_back(&mut self, parts: &Parts, plain: &[Unit], from: &mut From<'_>) {
        for &operation in parts.calls.coming_back() {
            for call in with_each_choice(parts, operation) {
                let unit = vec![call];
                let Some(others) = beside(parts, &unit, plain, from) else {
                    continue;
                };
                for (other, opposite) in others {
                    let lanes = vec![unit.clone(), other.clone()];
                    let test = from.test(parts, lanes);
                    if opposite {
                        self.opposite.push_back(test);
                    } else {
                        self.coming_back.push_back(test);
                    }
                }
            }
        }
    }

    fn panic(&mut self, parts: &Parts, plain: &[Unit], from: &mut From<'_>) {
        for &operation in parts.calls.panicking() {
            let unit = vec![parts.calls.first_call(operation, 0, 1)];
            let Some(mut others) = beside(parts, &unit, plain, from) else {
                continue;
            };
            let name = parts.calls.operation(operation).name;
            let is_same = |it: &Unit| parts.calls.operation(it[0].operation).name == name;
            sorted::sort_by_key(&mut others, |(other, _)| !is_same(other));
            let again = others.first().map(|(other, _)| other[0].clone());
            for (other, _) in &others {
                let lanes = vec![unit.clone(), other.to_vec()];
                self.panicking.push_back(from.test(parts, lanes));
            }
            if let Some(again) = again.filter(|_| parts.size.calls > 1) {
                let longer = vec![unit[0].clone(), again];
                for (other, _) in &others {
                    let lanes = vec![longer.clone(), other.to_vec()];
                    self.panicking.push_back(from.test(parts, lanes));
                }
            }
        }
    }
}

/// The calls that touch what the unit touches, each with whether it takes two locks the other way round; `None` if one
/// thread alone comes to no end with the unit.
fn beside<'a>(
    parts: &Parts,
    unit: &Unit,
    plain: &'a [Unit],
    from: &mut From<'_>,
) -> Option<Vec<(&'a Unit, bool)>> {
    let alone = from.run(&[unit])?;
    if alone.failed || alone.waits {
        return None;
    }
    let second = from.before() + 1;
    let mut found = Vec::new();
    for other in plain.iter().filter(|it| can_meet(parts, unit, it)) {
        let Some(run) = from.run(&[unit, other]) else {
            break;
        };
        let opposite = takes_oppositely(&run, second);
        // After a panic the next call may hang or fail, which says nothing of calls at the same time.
        if opposite || run.failed || run.waits || meets(&run, second) {
            found.push((other, opposite));
        }
    }
    Some(found)
}

/// The call with each alternative of the argument that says which call the closure makes, the last one.
fn with_each_choice(parts: &Parts, operation: u16) -> Vec<TestCall> {
    let call = parts.calls.first_call(operation, 0, 1);
    let arguments = parts.calls.operation(operation).arguments;
    let widest = (0..arguments.len()).find(|&it| is_of_calls(arguments[it].choices));
    let Some(place) = widest else {
        return vec![call];
    };
    let choices = u8::try_from(arguments[place].choices.len()).unwrap_or(u8::MAX);
    let with = |choice| {
        let mut call = call.clone();
        call.choices[place] = choice;
        call
    };
    (0..choices).map(with).collect()
}

/// True for the alternatives that call the object, as `discover/callbacks` of the tool writes them.
fn is_of_calls(choices: &[&str]) -> bool {
    choices.iter().all(|it| it.contains("back."))
}

impl Generator for Callbacks {
    fn propose(&mut self, parts: &mut Parts, runner: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        self.turn += 1;
        self.goes_on = false;
        let is_empty = |it: &Self| it.coming_back.is_empty() && it.panicking.is_empty();
        if self.opposite.is_empty() && is_empty(self) {
            self.goes_on = self.look(parts, runner);
        }
        let mut turns = [&mut self.panicking, &mut self.coming_back];
        if self.turn.is_multiple_of(2) {
            turns.reverse();
        }
        let [first, second] = turns;
        let test = (self.opposite.pop_front())
            .or_else(|| first.pop_front())
            .or_else(|| second.pop_front());
        self.goes_on |= test.is_some();
        test
    }

    fn goes_on(&self) -> bool {
        self.goes_on
    }
}

#[cfg(test)]
mod tests;
