//! Operations that only look at an object, by what they do.
//!
//! The name of an operation does not say whether it looks or changes. So each one whose result is data runs in one
//! thread, on a new object and after some of the other operations. If it leaves the object as it was each time, and
//! returns the same when it is called once more on a new object, then it observes the objects of tests when their
//! threads have ended.

use super::sequence_runner::SequenceRunner;
use crate::generate::{first_call, first_object};
use crate::judge::RunSerially;
use contest_data::sorted;
use contest_data::subject::{Keeping, Operation, Receiver, UserCode};
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

/// What is known of the operations of a subject that may observe by their type.
#[derive(Default)]
pub(super) struct Measured {
    /// They do.
    pub observers: Vec<u16>,
    /// Limits came first.
    pub untried: Vec<u16>,
}

/// Calls on a new object that come back.
struct Before {
    calls: Vec<TestCall>,
    /// The state in which they leave the object, if it is known.
    state: Option<u64>,
}

impl SequenceRunner<'_, '_> {
    /// Tries the operations that may observe by their type and are not known to.
    pub(super) fn measure_observers(&mut self) -> Measured {
        let operations = (0_u16..).zip(self.subject.operations);
        let candidates = operations.filter(|(_, it)| may_observe(it));
        let candidates: Vec<u16> = candidates.map(|(index, _)| index).collect();
        let mut measured = Measured::default();
        if self.subject.constructors.is_empty() || candidates.is_empty() {
            return measured;
        }
        let spent = self.runner.cost;
        self.runner.in_sequence = true;
        let before = self.before();
        for (number, operation) in candidates.into_iter().enumerate() {
            if number >= MOST_TRIED
                || measured.observers.len() == MOST
                || self.runner.cost.since(spent).in_steps() > MOST_STEPS
            {
                measured.untried.push(operation);
            } else if self.only_looks(operation, &before) {
                measured.observers.push(operation);
            }
        }
        self.runner.in_sequence = false;
        measured
    }

    /// No call, and some calls that may change the object.
    fn before(&mut self) -> Vec<Before> {
        let operations = (0_u16..).zip(self.subject.operations);
        let changes = operations.filter(|(_, it)| may_change(it));
        let mut changes: Vec<u16> = changes.map(|(index, _)| index).collect();
        sorted::sort_by_key(&mut changes, |&it| {
            may_observe(&self.subject.operations[usize::from(it)])
        });
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
        let mut call = first_call(self.subject, operation, 0, 1);
        let calls = std::iter::once(&mut call);
        self.text_form.write(self.subject, calls);
        call
    }

    /// The test in which these calls run; `None` if they are known to end the process.
    fn announced(&mut self, calls: &[TestCall]) -> Option<RunnableTest> {
        let mut test = ConcurrentTest {
            subject: self.index,
            objects: vec![first_object(self.subject)],
            prefix: calls.to_vec(),
            threads: Vec::new(),
        };
        if !self.announce(&test) {
            return None;
        }
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
