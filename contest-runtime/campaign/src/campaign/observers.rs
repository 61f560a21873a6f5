//! Calls that look at the objects of a test when its lanes have ended.
//!
//! An observer with arguments is called with those that the calls of the test have: what was put under a key is looked
//! for under that key. One that is proved unable to notice what the lanes do is not called.

use std::collections::HashSet;

use super::measured::Measured;
use super::prepared_test::Trimmed;
use crate::generate::{DependencyTable, first_call, still_there};
use contest_data::dependencies::Promise;
use contest_data::sorted;
use contest_data::subject::{Argument, Receiver, Subject};
use contest_data::test::{ConcurrentTest, RunnableTest, TestCall};

/// Most calls that look at one object: all of them follow every execution whose final state is new.
const MOST_CALLS: usize = 24;
/// Most calls of one observer.
const MOST_OF_ONE: usize = 3;

/// The observers of one subject.
#[derive(Clone, Debug)]
pub(super) struct Observers {
    subject: &'static Subject,
    operations: Vec<u16>,
    dependencies: DependencyTable,
    /// Calls that fail in some state, on object 0.
    failing: HashSet<TestCall>,
    drops: bool,
}

impl Observers {
    /// All that the subject has: invariants first, then those without arguments.
    pub(super) fn new(subject: &'static Subject, dependencies: DependencyTable) -> Self {
        let mut operations: Vec<u16> = (0_u16..)
            .zip(subject.operations)
            .filter(|(_, operation)| {
                let one_more = matches!(operation.receiver, Receiver::Shared | Receiver::End(_));
                operation.observer && one_more
            })
            .map(|(index, _)| index)
            .collect();
        sorted::sort_by_key(&mut operations, |&index| {
            let operation = &subject.operations[usize::from(index)];
            (!operation.contract.invariant, operation.arguments.len())
        });
        // A method and the trait's method it stands for read the same.
        let mut texts = HashSet::new();
        operations.retain(|&index| texts.insert(subject.operations[usize::from(index)].text));
        Self {
            operations,
            dependencies,
            ..Self::none(subject)
        }
    }

    /// Those that are measured to observe come after the others. Returns what was not tried, in words.
    pub(super) fn add(&mut self, measured: Measured) -> Vec<String> {
        self.operations.extend(measured.observers);
        let name = |it: u16| self.subject.operations[usize::from(it)].name;
        let untried = measured.untried.into_iter().map(name);
        untried
            .map(|name| {
                format!("`{name}` is not looked at in the end: too many others may be looked at")
            })
            .collect()
    }

    /// None: objects are only dropped in the end.
    pub(super) fn none(subject: &'static Subject) -> Self {
        Self {
            subject,
            operations: Vec::new(),
            dependencies: DependencyTable::default(),
            failing: HashSet::new(),
            drops: true,
        }
    }

    /// The test with the calls that look at each of its objects, and then with those that take them whole.
    pub(super) fn runnable(&self, test: ConcurrentTest) -> RunnableTest {
        let numbers = 0..test.objects.len() as u8;
        let looks = numbers
            .flat_map(|object| self.calls(&test, object))
            .filter(|look| still_there(self.subject, &test, look));
        let endings = (0_u8..).zip(&test.objects).filter_map(|(object, made)| {
            let operation = made.ending(self.subject.endings()).filter(|_| self.drops)?;
            Some(first_call(self.subject, operation, object, 1))
        });
        let observers = looks.chain(endings).collect();
        RunnableTest {
            subject: self.subject,
            test,
            observers,
            drops: self.drops,
            state: None,
        }
    }

    /// What was taken out of one test is not used again. Returns what is left out by that, in words.
    pub(super) fn leave_out(&mut self, trimmed: &Trimmed) -> Vec<String> {
        let mut left_out = Vec::new();
        for (call, why) in &trimmed.observers {
            let operation = &self.subject.operations[usize::from(call.operation)];
            let name = operation.name;
            if operation.receiver == Receiver::Whole {
                // It may need what other tests do before.
                if self.failing.insert(call.clone()) {
                    left_out.push(format!("`{name}` does not end every test: it {why}"));
                }
            } else if !is_plain(call, operation.arguments) {
                let call = TestCall {
                    object: 0,
                    ..call.clone()
                };
                if self.failing.insert(call) {
                    left_out.push(format!(
                        "`{name}` is not looked at with one of its arguments in the end: it {why}"
                    ));
                }
            } else if self.operations.contains(&call.operation) {
                self.operations
                    .retain(|observer| *observer != call.operation);
                left_out.push(format!("`{name}` is not looked at in the end: it {why}"));
            }
        }
        if trimmed.drop && self.drops {
            self.drops = false;
            left_out.push("the objects are not dropped in the end: that takes too long".to_owned());
        }
        left_out
    }

    /// The calls that look at this object, the most telling first.
    fn calls(&self, test: &ConcurrentTest, object: u8) -> Vec<TestCall> {
        let operations = self.operations.iter().copied();
        let each: Vec<Vec<TestCall>> = operations
            .filter(|&operation| self.may_notice(test, operation))
            .map(|operation| self.calls_of(test, operation, object))
            .collect();
        let mut calls: Vec<TestCall> = (0..MOST_OF_ONE)
            .flat_map(|number| each.iter().filter_map(move |of| of.get(number)))
            .cloned()
            .collect();
        calls.truncate(MOST_CALLS);
        calls
    }

    /// False if it is proved that nothing which the lanes do can change what this observer returns.
    fn may_notice(&self, test: &ConcurrentTest, observer: u16) -> bool {
        let mut calls = test.threads.iter().flatten();
        test.threads.is_empty()
            || calls.any(|call| {
                self.dependencies.promise(observer, call.operation) != Promise::Unrelated
            })
    }

    /// Calls of one observer: with the arguments of the test's calls, and with the first ones.
    fn calls_of(&self, test: &ConcurrentTest, operation: u16, object: u8) -> Vec<TestCall> {
        let arguments = |operation: u16| self.subject.operations[usize::from(operation)].arguments;
        let plain = first_call(self.subject, operation, object, test.objects.len() as u8);
        let own = arguments(operation);
        let mut all = Vec::new();
        if own.iter().any(is_value) {
            for given in test.threads.iter().flatten().chain(&test.prefix) {
                let given_arguments = arguments(given.operation);
                let mut look = plain.clone();
                for (choice, argument) in look.choices.iter_mut().zip(own) {
                    let same = |other: &Argument| {
                        is_value(argument) && is_value(other) && argument.choices == other.choices
                    };
                    if let Some(at) = given_arguments.iter().position(same)
                        && let Some(value) = given.choices.get(at)
                    {
                        *choice = *value;
                    }
                }
                all.push(look);
            }
        }
        all.push(plain);
        let mut seen = HashSet::new();
        all.retain(|look| {
            let on_first = TestCall {
                object: 0,
                ..look.clone()
            };
            !self.failing.contains(&on_first) && seen.insert(on_first)
        });
        all.truncate(MOST_OF_ONE);
        all
    }
}

fn is_value(argument: &Argument) -> bool {
    !argument.object && !argument.of_future
}

/// True if all values are first alternatives.
fn is_plain(call: &TestCall, arguments: &[Argument]) -> bool {
    let mut choices = call.choices.iter().zip(arguments);
    choices.all(|(choice, argument)| *choice == 0 || !is_value(argument))
}

#[cfg(test)]
mod tests;
