//! Fault injection: code of the user waits, fails or answers otherwise inside of a call.
//!
//! A pool, a cache or a handler works with a user's side: a manager of connections, a future that makes a value. All of
//! them are right as long as it answers at once. A call is *hindered* if it is seen, in one thread, to wait for such
//! code, or to go another way than with the usual one: on an object made in such a mode, or with another argument; on a
//! fresh object, and after a usual call of the same operation, because what a call reuses is seldom there at first.
//!
//! Tests of a hindered call, cancelled where it waits: beside the same call; followed by it in its own thread; followed
//! by one whose result is kept, beside another such; beside the same call in two threads; and beside at most four
//! calls that change the state. What is left of a call that did not come to its end is met by the next one, in few
//! steps, so these tests are few and come early.

use std::collections::VecDeque;

use super::waiters::{looks_most, used};
use super::{Generator, Parts, RunCalls};
use contest_data::sorted;
use contest_data::subject::{FutureUse, StandInMode};
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

/// Most calls that change the state, beside one hindered call.
const MOST_OTHERS: usize = 4;
/// Calls that are looked at in one turn.
const LOOKS: usize = 4;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Injection {
    /// Calls that were not looked at yet; `None` before the first turn.
    candidates: Option<VecDeque<Candidate>>,
    ready: VecDeque<ConcurrentTest>,
}

/// A call that may be hindered.
#[derive(Debug)]
struct Candidate {
    object: TestObject,
    call: TestCall,
    /// After a usual call of the same operation.
    after: bool,
}

impl Injection {
    /// Tests of the candidate, if its call is hindered.
    fn look(
        candidate: &Candidate,
        parts: &Parts,
        runner: &mut dyn RunCalls,
    ) -> Vec<ConcurrentTest> {
        let Candidate { object, call, .. } = candidate;
        let usual = parts.calls.first_call(call.operation, 0, 1);
        let before: Vec<TestCall> = candidate.after.then(|| usual.clone()).into_iter().collect();
        let mut run = |object: &TestObject, call: &TestCall| {
            let calls: Vec<TestCall> = before.iter().chain([call]).cloned().collect();
            runner.run_calls(object, &calls)
        };
        let hindered = run(object, call);
        if hindered.failed {
            return Vec::new();
        }
        let constructors = parts.calls.subject().constructors;
        let mode = constructors[usize::from(object.constructor)].mode;
        let differs = mode != StandInMode::Usual && {
            let plain = run(&parts.calls.first_object(), &usual);
            !plain.failed && plain.trace != hindered.trace
        };
        if !hindered.pends && !differs {
            return Vec::new();
        }
        let cancelled = used(call, FutureUse::Cancel, parts).filter(|_| hindered.pends);
        let first = cancelled.unwrap_or_else(|| call.clone());
        let look = looks_most(parts, runner);
        let beside = look.clone().unwrap_or_else(|| usual.clone());
        let mut all = vec![
            vec![vec![first.clone()], vec![call.clone()]],
            vec![vec![first.clone(), usual.clone()], vec![beside]],
        ];
        // Two who have something, where there is one of it: they have it while they look.
        if let Some((keep, let_go)) = that_keeps(call, parts)
            && let Some(look) = &look
        {
            let unit = [keep, look.clone(), let_go];
            let after = std::iter::once(first.clone()).chain(unit.clone());
            all.push(vec![after.collect(), unit.to_vec()]);
        }
        let and_looks = std::iter::once(first.clone()).chain(look).collect();
        all.push(vec![and_looks, vec![call.clone()], vec![usual]]);
        let others = parts.calls.changers().iter().copied().filter(|&other| {
            other != call.operation
                && parts.calls.shared().contains(&other)
                && !parts.calls.takes_object(other)
                && parts.calls.can_meet(other, call.operation)
        });
        for other in others.take(MOST_OTHERS) {
            all.push(vec![
                vec![first.clone()],
                vec![parts.calls.first_call(other, 0, 1)],
            ]);
        }
        let fits = |lanes: &Vec<Vec<TestCall>>| {
            lanes.len() <= parts.size.threads
                && lanes.iter().all(|lane| lane.len() <= parts.size.calls)
        };
        let meet = |lanes: &Vec<Vec<TestCall>>| {
            parts.calls.can_meet(call.operation, lanes[1][0].operation)
        };
        let test = |lanes| parts.test(vec![object.clone()], before.clone(), lanes);
        all.into_iter()
            .filter(fits)
            .filter(meet)
            .map(test)
            .collect()
    }
}

impl Generator for Injection {
    fn propose(&mut self, parts: &mut Parts, runner: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        let candidates = self.candidates.get_or_insert_with(|| candidates(parts));
        for _ in 0..LOOKS {
            if !self.ready.is_empty() {
                break;
            }
            let Some(candidate) = candidates.pop_front() else {
                break;
            };
            self.ready.extend(Self::look(&candidate, parts, runner));
        }
        self.ready.pop_front()
    }

    fn goes_on(&self) -> bool {
        let left = self.candidates.as_ref();
        left.is_some_and(|it| !it.is_empty())
    }

    fn is_exact(&self) -> bool {
        true
    }
}

/// The call that does the same and keeps the result, and the one that lets go what is kept.
fn that_keeps(call: &TestCall, parts: &Parts) -> Option<(TestCall, TestCall)> {
    let name = |operation: u16| parts.calls.operation(operation).name;
    let keeping = parts.calls.keeping().iter().copied();
    let keep = { keeping }.find(|&it| name(it) == name(call.operation))?;
    let let_go = parts.calls.letting_go()?;
    let first = |operation| parts.calls.first_call(operation, 0, 1);
    Some((first(keep), first(let_go)))
}

/// All calls that may be hindered: those that change the state first, in each mode, those in which futures wait first.
fn candidates(parts: &Parts) -> VecDeque<Candidate> {
    let calls = &parts.calls;
    let changes = |operation: &u16| calls.changers().contains(operation);
    let mut operations = calls.shared().to_vec();
    operations.retain(|&it| {
        !calls.takes_object(it)
            && !calls.keeping().contains(&it)
            && calls.letting_go() != Some(it)
            && !calls.panicking().contains(&it)
            && !calls.coming_back().contains(&it)
    });
    sorted::sort_by_key(&mut operations, |it| !changes(it));
    let constructors = (0_u16..).zip(calls.subject().constructors);
    let mut modes: Vec<(u16, StandInMode)> = constructors
        .filter(|(_, it)| it.mode != StandInMode::Usual)
        .map(|(number, it)| (number, it.mode))
        .collect();
    sorted::sort_by_key(&mut modes, |(_, mode)| *mode != StandInMode::Waits);
    let mut all = VecDeque::new();
    let mut add = |object: &TestObject, call: TestCall| {
        all.extend([false, true].map(|after| Candidate {
            object: object.clone(),
            call: call.clone(),
            after,
        }));
    };
    let first = calls.first_object();
    for &operation in &operations {
        if calls.operation(operation).future_argument().is_none() {
            continue;
        }
        let arguments = (0..).zip(calls.operation(operation).arguments);
        let other = arguments.filter(|(_, it)| !it.object && !it.of_future && it.choices.len() > 1);
        for (at, _) in other {
            let mut call = calls.first_call(operation, 0, 1);
            call.choices[at] = 1;
            add(&first, call);
        }
    }
    for (constructor, _) in modes {
        let arguments = calls.subject().constructors[usize::from(constructor)].arguments;
        let object = TestObject {
            constructor,
            choices: vec![0; arguments.len()],
        };
        for &operation in &operations {
            add(&object, calls.first_call(operation, 0, 1));
        }
    }
    all
}

#[cfg(test)]
mod tests;
