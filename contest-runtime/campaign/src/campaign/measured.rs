//! Operations that only look at an object, by what they do.
//!
//! The name of an operation does not say whether it looks or changes. So each one whose result is data runs in one
//! thread, on a new object and after some of the other operations. If it leaves the object as it was each time, and
//! returns the same when it is called once more, then it observes the objects of tests when their threads have ended.

use super::test_runner::TestRunner;
use crate::generate::{first_call, first_object};
use crate::judge::RunSerially;
use contest_data::settings::{Activity, Avoid, Listener};
use contest_data::subject::{Operation, Receiver, Subject};
use contest_data::test::{ConcurrentTest, RunnableTest, StateOf, TestCall};
use contest_data::trace::Outcome;

/// Most operations of a subject that are measured to be observers.
const MOST: usize = 8;
/// Most operations that run before one.
const MOST_BEFORE: usize = 6;

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

impl Measuring<'_, '_> {
    /// Those of its operations that may observe by their type, and do.
    pub(super) fn observers(&mut self) -> Vec<u16> {
        let may_observe = |it: &Operation| it.contract.may_observe && !it.observer;
        let operations = (0_u16..).zip(self.subject.operations);
        let candidates = operations.filter(|(_, it)| may_observe(it));
        let candidates: Vec<u16> = candidates.map(|(index, _)| index).collect();
        if self.subject.constructors.is_empty() || candidates.is_empty() {
            return Vec::new();
        }
        let operations = (0_u16..).zip(self.subject.operations);
        let changers = operations.filter(|(_, it)| {
            let shared = matches!(it.receiver, Receiver::Shared | Receiver::Exclusive);
            shared && !it.observer && !it.weak && it.runs_beside_others()
        });
        let before: Vec<u16> = changers.map(|(index, _)| index).collect();
        let looks = candidates.into_iter();
        looks
            .filter(|&it| self.only_looks(it, &before))
            .take(MOST)
            .collect()
    }

    fn only_looks(&mut self, operation: u16, before: &[u16]) -> bool {
        let call = |operation| first_call(self.subject, operation, 0, 1);
        let look = call(operation);
        let others = before.iter().filter(|&&it| it != operation);
        let others: Vec<TestCall> = others.map(|&it| call(it)).take(MOST_BEFORE).collect();
        self.returns_the_same(&look)
            && self.changes(&[], &look) == Some(false)
            && others
                .into_iter()
                .all(|other| self.changes(&[other], &look) != Some(true))
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
    fn changes(&mut self, before: &[TestCall], look: &TestCall) -> Option<bool> {
        let after = [before, std::slice::from_ref(look)].concat();
        let test = self.announced(&after)?;
        let mut state = |calls| self.runner.state_after(&test, calls, StateOf::Object);
        match (state(before), state(&after)) {
            (Some(was), Some(is)) => Some(was != is),
            _ => self.runner.only_reads(&test, &after).map(|reads| !reads),
        }
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
