//! Which operations and constructors of a subject panicked, and what of that was reported.

use std::collections::{HashMap, HashSet};

use contest_data::subject::Subject;
use contest_data::test::{ConcurrentTest, TestObject, call_text};
use contest_data::totals::{ALWAYS_PANICS, FailureAlone};

/// Tests in which an operation only panicked alone, after which it is left out.
const MOST_FAILURES: u32 = 12;

/// How often it is tried to make an object in search of a test, if that never works.
const MOST_UNMADE: u32 = 3;

/// What is known of the operations and constructors of one subject.
#[derive(Debug, Default)]
pub(super) struct FailingCalls {
    /// Ways in which operations failed alone that were reported.
    reported_alone: HashSet<(Option<u16>, FailureAlone)>,
    /// Operations that returned at least once; with the error, if that was all that they returned.
    returned: HashMap<u16, Option<String>>,
    failures: HashMap<u16, u32>,
    /// The same of constructors; 0 if one did not panic once.
    constructor_failures: HashMap<u16, u32>,
    /// How often an object was not made in search of a test; 0 if it was once, there or in a test.
    unmade: HashMap<TestObject, u32>,
    /// Operations that only ever panicked.
    useless: HashSet<u16>,
}

impl FailingCalls {
    /// True if this operation was not yet reported to fail alone in this way.
    pub(super) fn is_unreported(&self, operation: Option<u16>, how: FailureAlone) -> bool {
        !self.reported_alone.contains(&(operation, how))
    }

    /// As [`is_unreported`](Self::is_unreported), and notes that it is reported.
    pub(super) fn report_alone(&mut self, operation: Option<u16>, how: FailureAlone) -> bool {
        self.reported_alone.insert((operation, how))
    }

    /// Notes that the operation panicked alone in a test; one that never did anything else is left out after a while.
    /// Many operations fail on a fresh object only.
    pub(super) fn note_failure(&mut self, operation: u16, test: &ConcurrentTest) {
        if test.prefix.is_empty() {
            return;
        }
        let failures = self.failures.entry(operation).or_default();
        *failures += 1;
        if *failures >= MOST_FAILURES && !self.returned.contains_key(&operation) {
            self.useless.insert(operation);
        }
    }

    /// Notes that objects of a test were made, or that making this one panicked. A constructor that never did anything
    /// else is left out after a while.
    pub(super) fn note_made(&mut self, test: &ConcurrentTest, failed: Option<usize>) {
        let failed = failed.and_then(|index| test.objects.get(index));
        match failed.map(|object| object.constructor) {
            Some(constructor) => {
                let failures = self.constructor_failures.entry(constructor);
                failures
                    .and_modify(|it| *it += u32::from(*it > 0))
                    .or_insert(1);
            }
            None => {
                for object in &test.objects {
                    self.constructor_failures.insert(object.constructor, 0);
                    self.note_object(object, true);
                }
            }
        }
    }

    /// Notes whether this object could be made in search of a test.
    pub(super) fn note_object(&mut self, object: &TestObject, made: bool) {
        let unmade = self.unmade.entry(object.clone());
        let unmade = unmade.and_modify(|it| *it += u32::from(*it > 0));
        let unmade = unmade.or_insert(1);
        if made {
            *unmade = 0;
        }
    }

    /// True if sequences of calls on this object are not run: making it takes its time, and never works.
    pub(super) fn is_never_made(&self, object: &TestObject) -> bool {
        self.unmade
            .get(object)
            .is_some_and(|&times| times >= MOST_UNMADE)
    }

    /// Why a test is not run although it has its number: the stream must not depend on what was seen.
    pub(super) fn not_worth(&self, subject: &Subject, test: &ConcurrentTest) -> Option<String> {
        let constructor = test.objects.iter().map(|object| object.constructor);
        let panics = |constructor: &u16| {
            let failures = self.constructor_failures.get(constructor);
            failures.is_some_and(|&failures| failures >= MOST_FAILURES)
        };
        if let Some(constructor) = constructor.clone().find(panics) {
            let text = call_text::constructor(subject, constructor);
            return Some(format!("made by `{text}`, {ALWAYS_PANICS}"));
        }
        let mut calls = test.prefix.iter().chain(test.threads.iter().flatten());
        let call = calls.find(|call| self.useless.contains(&call.operation))?;
        let name = subject.operations[usize::from(call.operation)].name;
        Some(format!("calls `{name}`, {ALWAYS_PANICS}"))
    }

    /// Notes that the operation returned in some test, with this error or something else.
    pub(super) fn note_returned(&mut self, operation: u16, error: Option<&str>) {
        let known = self.returned.entry(operation);
        let known = known.or_insert_with(|| error.map(str::to_owned));
        if error.is_none() {
            *known = None;
        }
    }

    /// Operations that returned nothing but errors, with the first one of each.
    pub(super) fn only_errors(&self) -> impl Iterator<Item = (u16, &str)> {
        let all = self.returned.iter();
        all.filter_map(|(operation, error)| Some((*operation, error.as_deref()?)))
    }
}
