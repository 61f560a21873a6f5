//! How far work has come, on standard error: one line that changes, or, where that is no terminal, a line every ten
//! seconds.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use contest_data::totals::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use super::figures::{count, counted};
use super::growth;
use contest_catalog::growth::Left;
use contest_catalog::run_budget::RunBudget;

/// Time between two lines where there is no terminal.
const EVERY: Duration = Duration::from_secs(10);

/// The line.
#[derive(Debug)]
pub(super) struct ProgressLine {
    bar: ProgressBar,
    lines: Option<Lines>,
    step: String,
    budget: Option<RunBudget>,
    found: u64,
}

impl ProgressLine {
    /// Shows nothing unless it is `shown`.
    pub(super) fn new(shown: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = if shown && terminal {
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
            lines: (shown && !terminal).then(|| Lines::begin(EVERY, |line| eprintln!("{line}"))),
            step: String::new(),
            budget: None,
            found: 0,
        }
    }

    pub(super) fn step(&mut self, text: &str) {
        text.clone_into(&mut self.step);
        self.show(text.to_owned());
    }

    pub(super) fn detail(&mut self, text: &str) {
        self.show(format!("{}: {text}", self.step));
    }

    /// Sets what an exploration may cost.
    pub(super) fn begin_exploration(&mut self, budget: RunBudget) {
        self.budget = Some(budget);
        self.found = 0;
    }

    /// Counts a finding: what two processes find is one.
    pub(super) fn found(&mut self) {
        self.found += 1;
    }

    pub(super) fn exploring(
        &mut self,
        progress: &Progress,
        elapsed: Duration,
        left: Option<&Left>,
    ) {
        let sum = |count: fn(&contest_data::totals::SubjectTotals) -> u64| -> u64 {
            progress.totals.subjects.iter().map(count).sum()
        };
        let of = match self.budget {
            Some(RunBudget::Time(time)) => format!(" of {}", whole_seconds(time)),
            Some(RunBudget::Steps(steps)) => format!(", {} steps in all", count(steps)),
            None => String::new(),
        };
        // What matters most comes first: a narrow terminal cuts the end.
        let left = left.map_or_else(String::new, |left| format!("{}; ", growth::left(left)));
        let place = match progress.subject.as_str() {
            "" => String::new(),
            subject => format!(", in {subject}"),
        };
        self.show(format!(
            "exploring, {}{of}: {}; {left}{}, {}{place}",
            whole_seconds(elapsed),
            counted(self.found, "finding"),
            counted(sum(|subject| subject.tests), "test"),
            counted(sum(|subject| subject.executions), "execution"),
        ));
    }

    fn show(&self, text: String) {
        if let Some(lines) = &self.lines {
            lines.set(&text);
        }
        self.bar.set_message(text);
    }

    /// Runs `write` with the line hidden.
    pub(super) fn aside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    pub(super) fn finish(&mut self) {
        self.lines = None;
        self.bar.finish_and_clear();
    }
}

fn whole_seconds(time: Duration) -> String {
    format!("{} s", time.as_secs())
}

/// A thread that writes how far work has come, again and again: a step may last for long without any event.
#[derive(Debug)]
struct Lines {
    text: Arc<Mutex<String>>,
    ended: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Lines {
    fn begin(every: Duration, write: impl Fn(&str) + Send + 'static) -> Self {
        let text = Arc::new(Mutex::new(String::new()));
        let (ended, end) = channel();
        let shared = Arc::clone(&text);
        let began = Instant::now();
        let thread = std::thread::spawn(move || {
            while end.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                let text = shared.lock().unwrap_or_else(PoisonError::into_inner);
                if !text.is_empty() {
                    write(&format!(
                        "{text} ({} since the start)",
                        whole_seconds(began.elapsed())
                    ));
                }
            }
        });
        Self {
            text,
            ended: Some(ended),
            thread: Some(thread),
        }
    }

    fn set(&self, text: &str) {
        let mut shared = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        text.clone_into(&mut shared);
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        drop(self.ended.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_data::totals::SubjectTotals;

    #[test]
    fn a_line_is_written_again_and_again_until_work_ends() {
        let (write, written) = channel();
        let lines = Lines::begin(Duration::from_millis(5), move |line| {
            let _ = write.send(line.to_owned());
        });
        lines.set("compiling a");
        assert_eq!(written.recv().unwrap(), "compiling a (0 s since the start)");
        lines.set("compiling b");
        assert!(
            written
                .iter()
                .any(|line| line == "compiling b (0 s since the start)")
        );
        drop(lines);
        assert!(
            written
                .iter()
                .all(|line| line == "compiling b (0 s since the start)")
        );
    }

    #[test]
    fn an_exploration_shows_its_time_and_budget_and_what_it_found() {
        let mut line = ProgressLine::new(false);
        line.begin_exploration(RunBudget::Time(Duration::from_secs(60)));
        let mut progress = Progress {
            subject: "bank::Accounts".to_owned(),
            ..Progress::default()
        };
        // Two processes found it.
        progress.totals.subjects = vec![SubjectTotals {
            findings: 2,
            ..SubjectTotals::default()
        }];
        line.found();
        line.exploring(&progress, Duration::from_millis(12_900), None);
        assert_eq!(
            line.bar.message(),
            "exploring, 12 s of 60 s: 1 finding; 0 tests, 0 executions, in bank::Accounts"
        );
    }
}
