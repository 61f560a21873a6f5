//! Which form of texts the calls of a subject take: addresses of mail, versions, codes.
//!
//! `create("a")` may return an error because `"a"` is no address, and nothing that comes after it is ever tested. So
//! each operation with a text runs alone, on a new object, with the texts of each form, if it returns an error for the
//! first one. The form that most of them take is that of all texts of the subject: what was stored under one is asked
//! for under the same.

use super::sequence_runner::SequenceRunner;
use crate::generate::{first_call, first_object};
use crate::judge::error_in;
use contest_data::subject::{Argument, Receiver, Subject};
use contest_data::test::{ConcurrentTest, RunnableTest, TestCall};

/// Most operations that are tried.
const MOST: usize = 8;

/// The form of the texts of a subject, by its number; 0 is any text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TextForm(u8);

impl TextForm {
    /// Gives the texts of these calls this form.
    pub(super) fn write<'c>(
        self,
        subject: &Subject,
        calls: impl Iterator<Item = &'c mut TestCall>,
    ) {
        if self == Self::default() {
            return;
        }
        for call in calls {
            let arguments = subject.operations[usize::from(call.operation)].arguments;
            for (choice, argument) in call.choices.iter_mut().zip(arguments) {
                *choice = argument.in_form(*choice, self.0);
            }
        }
    }

    /// The same of all calls of a test.
    pub(super) fn write_test(self, subject: &Subject, test: &mut ConcurrentTest) {
        let lanes = test.threads.iter_mut().flatten();
        self.write(subject, test.prefix.iter_mut().chain(lanes));
    }
}

impl SequenceRunner<'_, '_> {
    /// The form that most operations take, the first one of several.
    pub(super) fn measure_text_form(&mut self) -> TextForm {
        let forms = |it: u16| {
            let arguments = self.subject.operations[usize::from(it)].arguments;
            arguments.iter().map(Argument::forms).max()
        };
        let operations = (0_u16..).zip(self.subject.operations);
        let candidates = operations.filter(|(number, it)| {
            it.receiver == Receiver::Shared && forms(*number).unwrap_or(1) > 1
        });
        let candidates: Vec<u16> = candidates.map(|(number, _)| number).take(MOST).collect();
        if self.subject.constructors.is_empty() || candidates.is_empty() {
            return TextForm::default();
        }
        let most = candidates.iter().filter_map(|&it| forms(it)).max();
        self.runner.in_sequence = true;
        let mut best = (0, TextForm::default());
        for form in (0..most.unwrap_or(1)).map(TextForm) {
            let taken = candidates.iter().filter(|&&it| self.takes(it, form));
            let taken = taken.count();
            if form == TextForm::default() || taken > best.0 {
                best = (taken, form);
            }
            if best.0 == candidates.len() {
                break;
            }
        }
        self.runner.in_sequence = false;
        best.1
    }

    /// Whether the operation, called first, returns no error with texts of this form.
    fn takes(&mut self, operation: u16, form: TextForm) -> bool {
        let mut calls = [first_call(self.subject, operation, 0, 1)];
        form.write(self.subject, calls.iter_mut());
        let mut test = ConcurrentTest {
            subject: self.index,
            objects: vec![first_object(self.subject)],
            prefix: calls.to_vec(),
            threads: Vec::new(),
        };
        if !self.announce(&test) {
            return false;
        }
        test.prefix.clear();
        let test = RunnableTest {
            subject: self.subject,
            test,
            observers: Vec::new(),
            drops: false,
            state: None,
        };
        let outcomes = self.runner.outcomes_of(&test, &calls);
        outcomes.is_some_and(|outcomes| outcomes.iter().all(|it| error_in(it).is_none()))
    }
}
