//! Tests built from what calls do to the state of an object when one thread runs them. Three kinds in turn:
//!
//! - *Change*: a call of several sections, beside a change that disturbs more than one of them, in a state that another
//!   call has led to (`meetings`). Most faults of code with locks are of this kind: two critical sections where there
//!   should be one. Where there are no more: a call that takes several steps, beside a call that changes the state.
//! - *Move*: the same beside two changes. An entry that moves from one place to another one while a loop goes through
//!   all places is seen twice or not at all. Where there are no more, the second change is best one that takes back
//!   what was done before the first one. Random calls rarely do this: most calls after others change nothing.
//! - *Echo*: two calls in one thread, and one of the two in the other one. What the second thread keeps or destroys
//!   shows in what the first one meets after its own change: a value that was looked up too early and is kept, an entry
//!   that is lost, a state that is set up twice.

use super::{Generator, Parts, RunCalls};
use contest_data::dependencies::Promise;
use contest_data::fast_hash::{FastMap, FastSet};
use contest_data::sorted;
use contest_data::subject::Argument;
use contest_data::test::{ConcurrentTest, TestCall, TestObject};
use meetings::{Beside, Meetings};

mod meetings;

/// Rounds over all pairs with first values; later ones have random values and prefixes.
const PLAIN_ROUNDS: u32 = 2;
/// Attempts at calls that change the state as they should.
const ATTEMPTS: u32 = 24;
/// Attempts at calls of which one takes back another one, after which an object counts as one where none does.
const MOST_BARREN: u32 = 400;
/// States that are remembered; then all are forgotten.
const MOST_STATES: usize = 10_000;

#[derive(Debug)]
pub(super) struct Effects {
    pairs: Vec<(u16, u16)>,
    next_pair: usize,
    round: u32,
    turn: u64,
    ready: Option<ConcurrentTest>,
    /// What sequences of calls on the first object lead to; `None` if one fails.
    states: FastMap<Vec<TestCall>, Option<u64>>,
    /// Attempts at exchanges since the last one that succeeded.
    barren: u32,
    /// Tests of each operation as the one with several steps.
    looked: FastMap<u16, u64>,
    /// Operations that were seen to take several steps, and those that were run to find out.
    long: FastSet<u16>,
    tried: FastSet<(u16, TestCall)>,
    meetings: Meetings,
}

impl Effects {
    /// Of these pairs.
    pub(super) fn new(pairs: Vec<(u16, u16)>) -> Self {
        Self {
            pairs,
            next_pair: 0,
            round: 0,
            turn: 0,
            ready: None,
            states: FastMap::default(),
            barren: 0,
            looked: FastMap::default(),
            long: FastSet::default(),
            tried: FastSet::default(),
            meetings: Meetings::default(),
        }
    }

    /// The next pair, in both arrangements.
    fn echo(&mut self, parts: &mut Parts) -> Option<ConcurrentTest> {
        if let Some(test) = self.ready.take() {
            return Some(test);
        }
        if self.next_pair >= self.pairs.len() {
            self.next_pair = 0;
            self.round += 1;
        }
        let (left, right) = *self.pairs.get(self.next_pair)?;
        self.next_pair += 1;
        let objects = parts.object_count(&[left, right]);
        let is_plain = self.round < PLAIN_ROUNDS;
        let [left, right] = [left, right].map(|operation| {
            if is_plain {
                parts.calls.first_call(operation, 0, objects)
            } else {
                parts.random_call(operation, objects)
            }
        });
        let prefix = match self.round {
            0 => Vec::new(),
            1 => {
                let changers = parts.calls.changers();
                let changer = changers.get(self.next_pair % changers.len().max(1));
                changer
                    .map(|&operation| parts.calls.first_call(operation, 0, objects))
                    .into_iter()
                    .collect()
            }
            _ => {
                let length = parts.random.below(2);
                parts
                    .calls
                    .random_prefix(length, objects, &mut parts.random)
            }
        };
        let made = if is_plain {
            vec![parts.calls.first_object(); usize::from(objects)]
        } else {
            parts.random_objects(objects)
        };
        let test = |first: &TestCall, then: &TestCall| {
            let lanes = vec![vec![first.clone(), then.clone()], vec![then.clone()]];
            parts.test(made.clone(), prefix.clone(), lanes)
        };
        self.ready = (left != right).then(|| test(&right, &left));
        Some(test(&left, &right))
    }

    /// So many calls that each change the state, and a call of several steps beside all but the first one.
    fn change(
        &mut self,
        parts: &mut Parts,
        count: usize,
        runner: &mut dyn RunCalls,
    ) -> Option<ConcurrentTest> {
        let object = parts.calls.first_object();
        for attempt in 0..ATTEMPTS {
            let calls = if count == 3 && attempt < ATTEMPTS / 2 && self.barren < MOST_BARREN {
                let exchange = self.exchange(parts, &object, runner);
                self.barren = if exchange.is_some() {
                    0
                } else {
                    self.barren + 1
                };
                exchange
            } else {
                self.changes(parts, &object, count, runner)
            };
            let Some(mut calls) = calls else {
                continue;
            };
            let Some(look) = self.look(parts, &object, &calls, runner) else {
                continue;
            };
            let beside = calls.split_off(1);
            return Some(parts.test(vec![object], calls, vec![vec![look], beside]));
        }
        None
    }

    /// So many calls, of which all but the first one may be made by any thread.
    fn changes(
        &mut self,
        parts: &mut Parts,
        object: &TestObject,
        count: usize,
        runner: &mut dyn RunCalls,
    ) -> Option<Vec<TestCall>> {
        let mut calls: Vec<TestCall> = Vec::with_capacity(count);
        let mut state = None;
        while calls.len() < count {
            let &operation = parts.random.pick(parts.calls.changers())?;
            let fits = calls.is_empty() || parts.calls.shared().contains(&operation);
            if !fits || parts.calls.takes_object(operation) {
                return None;
            }
            calls.push(varied_call(parts, operation));
            let after = self.state(object, &calls, runner)?;
            if state == Some(after) {
                return None;
            }
            state = Some(after);
        }
        Some(calls)
    }

    /// Three calls, of which the third one takes back what the first one did, and not what the second one did.
    fn exchange(
        &mut self,
        parts: &mut Parts,
        object: &TestObject,
        runner: &mut dyn RunCalls,
    ) -> Option<Vec<TestCall>> {
        let calls = &parts.calls;
        let mut shared = calls.shared().iter().copied();
        let looks = |&operation: &u16| {
            let it = calls.operation(operation);
            it.observer && it.arguments.is_empty()
        };
        let nothing = calls.first_call(shared.find(looks)?, 0, 1);
        let nothing = self.state(object, &[nothing], runner)?;
        let mut all = Vec::with_capacity(3);
        while all.len() < 3 {
            let &operation = parts.random.pick(parts.calls.changers())?;
            let fits = all.is_empty() || parts.calls.shared().contains(&operation);
            if !fits || parts.calls.takes_object(operation) {
                return None;
            }
            all.push(varied_call(parts, operation));
        }
        let mut after = |calls: &[&TestCall]| {
            let calls: Vec<TestCall> = calls.iter().copied().cloned().collect();
            self.state(object, &calls, runner)
        };
        let [first, second, third] = [&all[0], &all[1], &all[2]];
        let of_first = after(&[first])?;
        let is_exchange = of_first != nothing
            && after(&[first, third])? == nothing
            && after(&[first, second])? != of_first
            && after(&[second])? != nothing
            && after(&[first, second, third])? == after(&[second])?;
        is_exchange.then_some(all)
    }

    /// The state after these calls, if it is known and none of them fails.
    fn state(
        &mut self,
        object: &TestObject,
        calls: &[TestCall],
        runner: &mut dyn RunCalls,
    ) -> Option<u64> {
        if let Some(known) = self.states.get(calls) {
            return *known;
        }
        let run = runner.run_calls(object, calls);
        let state = run.state.filter(|_| !run.failed);
        if self.states.len() >= MOST_STATES {
            self.states.clear();
        }
        self.states.insert(calls.to_vec(), state);
        state
    }

    /// A call of several steps that all calls but the first one may disturb: the operation that had fewest tests.
    fn look(
        &mut self,
        parts: &mut Parts,
        object: &TestObject,
        calls: &[TestCall],
        runner: &mut dyn RunCalls,
    ) -> Option<TestCall> {
        let disturbed = |operation: u16| {
            let mut others = calls[1..].iter();
            others.all(|call| {
                parts.calls.can_meet(operation, call.operation)
                    && parts.dependencies.promise(operation, call.operation) != Promise::Unrelated
            })
        };
        let shared = parts.calls.shared().iter().copied();
        let mut fitting: Vec<u16> = shared
            .filter(|&operation| disturbed(operation) && !parts.calls.takes_object(operation))
            .collect();
        sorted::sort_by_key(&mut fitting, |operation| {
            self.looked.get(operation).copied().unwrap_or(0)
        });
        for operation in fitting {
            *self.looked.entry(operation).or_default() += 1;
            let look = with_values_of(parts, operation, calls);
            if !self.long.contains(&operation) {
                let before = &calls[0];
                if !self.tried.insert((operation, before.clone())) {
                    continue;
                }
                let run = runner.run_calls(object, &[before.clone(), look.clone()]);
                let accesses = run.accesses.iter();
                let steps = accesses.filter(|access| access.call == 1 && access.visible);
                if run.failed || steps.count() < 2 {
                    continue;
                }
                self.long.insert(operation);
            }
            return Some(look);
        }
        None
    }
}

impl Generator for Effects {
    fn propose(&mut self, parts: &mut Parts, runner: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        self.turn += 1;
        let (count, beside) = match self.turn % 4 {
            1 => (2, Beside::One),
            2 | 3 if parts.size.calls > 1 => (3, Beside::Two),
            _ => return self.echo(parts),
        };
        let other = match beside {
            Beside::One if parts.size.calls > 1 => Beside::Two,
            _ => Beside::One,
        };
        let meeting = self.meetings.next(parts, beside, runner);
        let meeting = meeting.or_else(|| self.meetings.next(parts, other, runner));
        let change = meeting.or_else(|| self.change(parts, count, runner));
        change.or_else(|| self.echo(parts))
    }
}

/// A call of the operation with one value or none that is not the first alternative.
fn varied_call(parts: &mut Parts, operation: u16) -> TestCall {
    let mut call = parts.calls.first_call(operation, 0, 1);
    let arguments = parts.calls.operation(operation).arguments;
    let values: Vec<usize> = (0..)
        .zip(arguments)
        .filter(|(_, argument)| is_value(argument) && argument.choices.len() > 1)
        .map(|(at, _)| at)
        .collect();
    if let Some(&at) = parts.random.pick(&values)
        && parts.random.one_in(2)
        && let Some(choice) = call.choices.get_mut(at)
    {
        *choice = 1;
    }
    call
}

/// A call of the operation whose arguments are those of one of the calls, where these have such.
fn with_values_of(parts: &mut Parts, operation: u16, calls: &[TestCall]) -> TestCall {
    let mut look = parts.calls.first_call(operation, 0, 1);
    let Some(of) = parts.random.pick(calls) else {
        return look;
    };
    let given = parts.calls.operation(of.operation).arguments;
    let arguments = parts.calls.operation(operation).arguments;
    for (choice, argument) in look.choices.iter_mut().zip(arguments) {
        let same = |other: &Argument| is_value(other) && other.choices == argument.choices;
        if is_value(argument)
            && let Some(at) = given.iter().position(same)
            && let Some(value) = of.choices.get(at)
        {
            *choice = *value;
        }
    }
    look
}

fn is_value(argument: &Argument) -> bool {
    !argument.object && !argument.of_future
}

#[cfg(test)]
mod tests;
