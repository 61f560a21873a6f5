//! Operations that only look at an object, by what they do.
//!
//! The name of an operation does not say whether it looks or changes. So each one whose result is data runs in one
//! thread, on a new object and after some of the other operations. If it leaves the object as it was each time, and
//! returns the same when it is called once more on a new object, then it observes the objects of tests when their
//! threads have ended.

use super::test_runner::TestRunner;
use crate::generate::{first_call, first_object};
use crate::judge::RunSerially;
use contest_data::settings::{Activity, Avoid, Listener};
use contest_data::subject::{Keeping, Operation, Receiver, Subject, UserCode};
use contest_data::test::{ConcurrentTest, RunnableTest, StateOf, TestCall};
use contest_data::trace::Outcome;

/// Most operations of a subject that are measured to be observers.
const MOST: usize = 8;
/// Most operations that are tried.
const MOST_TRIED: usize = 24;
/// Most operations after which one is tried.
const MOST_BEFORE: usize = 6;
/// Steps, with what executions cost beside them, after which no further operation is tried.
const MOST_STEPS: u64 = 1_000_000;

/// A subject before its first test.
pub(super) struct Measuring<'a, 'i> {
    pub runner: &'a mut TestRunner<'i>,
    pub listener: &'a mut dyn Listener,
    pub subject: &'static Subject,
    pub index: u16,
    /// Number of the test before which this is done.
    pub number: u64,
    pub avoid: &'a [Avoid],
}

/// Calls on a new object that come back.
struct Before {
    calls: Vec<TestCall>,
    /// The state in which they leave the object, if it is known.
    state: Option<u64>,
}

impl Measuring<'_, '_> {
    /// Those of its operations that may observe by their type, and do.
    pub(super) fn observers(&mut self) -> Vec<u16> {
        let operations = (0_u16..).zip(self.subject.operations);
        let candidates = operations.filter(|(_, it)| may_observe(it));
        let candidates: Vec<u16> = candidates.map(|(index, _)| index).collect();
        if self.subject.constructors.is_empty() || candidates.is_empty() {
            return Vec::new();
        }
        let spent = self.runner.cost;
        let before = self.before();
        let mut found = Vec::new();
        for operation in candidates.into_iter().take(MOST_TRIED) {
            let is_over = self.runner.cost.since(spent).in_steps() > MOST_STEPS;
            if is_over || found.len() == MOST {
                break;
            }
            if self.only_looks(operation, &before) {
                found.push(operation);
            }
        }
        found
    }

    /// No call, and some calls that may change the object.
    fn before(&mut self) -> Vec<Before> {
        let operations = (0_u16..).zip(self.subject.operations);
        let changes = operations.filter(|(_, it)| may_change(it));
        let mut changes: Vec<u16> = changes.map(|(index, _)| index).collect();
        changes.sort_by_key(|&it| may_observe(&self.subject.operations[usize::from(it)]));
        changes.truncate(MOST_BEFORE);
        let calls = changes.into_iter().map(|it| vec![self.call(it)]);
        let all: Vec<Vec<TestCall>> = std::iter::once(Vec::new()).chain(calls).collect();
        let mut before = Vec::new();
        for calls in all {
            let Some(test) = self.announced(&calls) else {
                continue;
            };
            if self.runner.outcomes_of(&test, &calls).is_some() {
                let state = self.runner.state_after(&test, &calls, StateOf::Object);
                before.push(Before { calls, state });
            }
        }
        before
    }

    fn only_looks(&mut self, operation: u16, before: &[Before]) -> bool {
        let look = self.call(operation);
        let mut others = before.iter().filter(|it| it.calls.first() != Some(&look));
        self.returns_the_same(&look) && others.all(|it| self.changes(it, &look) == Some(false))
    }

    fn returns_the_same(&mut self, look: &TestCall) -> bool {
        let calls = [look.clone(), look.clone()];
        let test = self.announced(&calls);
        let outcomes = test.and_then(|test| self.runner.outcomes_of(&test, &calls));
        outcomes.is_some_and(|outcomes| {
            matches!(outcomes[0], Outcome::Returned(Some(_))) && outcomes[0] == outcomes[1]
        })
    }

    /// Whether a call changes the object after these other ones; `None` if that is unknown.
    fn changes(&mut self, before: &Before, look: &TestCall) -> Option<bool> {
        let after = [&before.calls[..], std::slice::from_ref(look)].concat();
        let test = self.announced(&after)?;
        let is = match before.state {
            Some(_) => self.runner.state_after(&test, &after, StateOf::Object),
            None => None,
        };
        match (before.state, is) {
            (Some(was), Some(is)) => Some(was != is),
            _ => self.runner.only_reads(&test, &after).map(|reads| !reads),
        }
    }

    fn call(&self, operation: u16) -> TestCall {
        first_call(self.subject, operation, 0, 1)
    }

    /// The test in which these calls run; `None` if they are known to end the process. Should it die of them now, the
    /// tool knows of what.
    fn announced(&mut self, calls: &[TestCall]) -> Option<RunnableTest> {
        let mut test = ConcurrentTest {
            subject: self.index,
            objects: vec![first_object(self.subject)],
            prefix: calls.to_vec(),
            threads: Vec::new(),
        };
        if self.avoid.iter().any(|avoid| avoid.concerns(&test)) {
            return None;
        }
        self.listener.sequence(self.number, &test);
        self.listener.activity(Activity::Serial);
        test.prefix.clear();
        Some(RunnableTest {
            subject: self.subject,
            test,
            observers: Vec::new(),
            drops: false,
            state: None,
        })
    }
}

fn may_observe(operation: &Operation) -> bool {
    operation.contract.may_observe && !operation.observer
}

fn may_change(operation: &Operation) -> bool {
    let contract = operation.contract;
    operation.receiver != Receiver::Whole
        && !(operation.observer || operation.weak || contract.invariant)
        && contract.keeping == Keeping::No
        && contract.user_code == UserCode::Plain
}
