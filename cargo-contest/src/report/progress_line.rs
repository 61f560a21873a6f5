//! One line of progress on standard error, if that is a terminal.

use std::io::IsTerminal;
use std::time::Duration;

use contest_data::totals::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use super::figures::counted;
use super::growth;
use crate::growth::Left;

/// The line; shows nothing if standard error is no terminal.
#[derive(Debug)]
pub(super) struct ProgressLine {
    bar: ProgressBar,
    step: String,
}

impl ProgressLine {
    pub(super) fn new(shown: bool) -> Self {
        let bar = if shown && std::io::stderr().is_terminal() {
            let bar = ProgressBar::new_spinner();
            // The template is a constant that parses; without it the plain spinner would do.
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        } else {
            ProgressBar::hidden()
        };
        Self {
            bar,
            step: String::new(),
        }
    }

    pub(super) fn step(&mut self, text: &str) {
        text.clone_into(&mut self.step);
        self.bar.set_message(self.step.clone());
    }

    pub(super) fn detail(&mut self, text: &str) {
        self.bar.set_message(format!("{}: {text}", self.step));
    }

    pub(super) fn exploring(&mut self, progress: &Progress, left: Option<&Left>) {
        let sum = |count: fn(&contest_data::totals::SubjectTotals) -> u64| -> u64 {
            progress.totals.subjects.iter().map(count).sum()
        };
        // What matters most comes first: a narrow terminal cuts the end.
        let left = left.map_or_else(String::new, |left| format!("{}; ", growth::left(left)));
        self.bar.set_message(format!(
            "{}; {left}{}, {}, in {}",
            counted(sum(|subject| subject.findings), "finding"),
            counted(sum(|subject| subject.tests), "test"),
            counted(sum(|subject| subject.executions), "execution"),
            progress.subject,
        ));
    }

    /// Runs `write` with the line hidden.
    pub(super) fn aside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
