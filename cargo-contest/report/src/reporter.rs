//! The reporter: what it shows of a run, and how lines reach people and machines.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};
use contest_data::finding::Finding;

use super::cargo_json::{self, CargoPackage};
use super::causes::Causes;
use super::difference::is_among;
use super::options::ReportOptions;
use super::run_summary::RunSummary;
use super::shown_findings::ShownFindings;
use super::source_files::SourceFiles;
use super::{
    access_patterns, agent, github, growth, human, hyperlinks, json, ladder, progress_line,
};
use contest_build::workspace::scratch_dir::WriteError;
use contest_build::workspace::selection::Package;
use contest_catalog::progress_event::ProgressEvent;

/// Time between two JSON lines of progress.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);
/// Failures without concurrency that are shown without `--verbose`: they are not findings.
const ALONE_SHOWN: usize = 5;

/// Shows what happens.
pub struct Reporter {
    pub(super) options: ReportOptions,
    text: Box<dyn Write>,
    progress: progress_line::ProgressLine,
    pub(super) width: usize,
    alone_shown: usize,
    /// Locations are links to these files, if the terminal shows links.
    links: bool,
    pub(super) sources: SourceFiles,
    pub(super) causes: Causes,
    pub(super) findings: ShownFindings,
    /// Findings that are known.
    pub(super) baseline: Vec<Finding>,
    /// What is shown is about this package: `dashmap 6.1.0`.
    pub(super) package: String,
    /// The same, as cargo describes it.
    pub(super) cargo_package: CargoPackage,
    /// Where messages for cargo's readers have been shown.
    pub(super) shown_at: BTreeSet<String>,
    /// The package and the executable whose tests stand below their heading, if one was shown.
    pub(super) below: Option<(String, String)>,
    /// Options that select the members of a run over several.
    pub(super) members: String,
    /// When machines were last informed of progress.
    last_progress: Option<Instant>,
}

impl fmt::Debug for Reporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reporter")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Reporter {
    /// Shows to the streams of this process.
    #[must_use]
    pub fn new(options: ReportOptions) -> Self {
        let choice = match options.color {
            None => ColorChoice::Auto,
            Some(true) => ColorChoice::Always,
            Some(false) => ColorChoice::Never,
        };
        let (text, terminal): (Box<dyn Write>, bool) = if options.is_for_machines() {
            (
                Box::new(AutoStream::new(io::stderr(), choice)),
                io::stderr().is_terminal(),
            )
        } else {
            (
                Box::new(AutoStream::new(io::stdout(), choice)),
                io::stdout().is_terminal(),
            )
        };
        let width = match (options.columns, terminal) {
            (Some(columns), _) => columns,
            (None, true) => {
                terminal_size::terminal_size().map_or(120, |(width, _)| usize::from(width.0))
            }
            (None, false) => 120,
        };
        Self {
            progress: progress_line::ProgressLine::new(options.progress),
            text,
            width,
            alone_shown: 0,
            links: terminal && hyperlinks::are_shown(options.is_for_machines()),
            sources: SourceFiles::default(),
            causes: Causes::default(),
            findings: ShownFindings::default(),
            baseline: Vec::new(),
            package: String::new(),
            cargo_package: CargoPackage::default(),
            shown_at: BTreeSet::new(),
            below: None,
            members: String::new(),
            last_progress: None,
            options,
        }
    }

    /// Sets the directories of the package and its workspace, to which locations are relative.
    pub fn locate(&mut self, directories: &[&Path]) {
        self.sources = SourceFiles::new(directories, self.options.cargo_home.as_deref());
    }

    /// Sets the package that messages for cargo's readers are about.
    pub fn describe(&mut self, package: &Package) {
        self.cargo_package = CargoPackage::of(package);
    }

    /// Sets the package that the next events are about: `dashmap 6.1.0`.
    pub fn begin_package(&mut self, package: &str) {
        package.clone_into(&mut self.package);
    }

    /// The same, of several: its name stands above what is shown of it. `members` are the options that select them all.
    pub fn begin_member(&mut self, package: &str, members: &str) {
        self.all_findings();
        self.begin_package(package);
        members.clone_into(&mut self.members);
        if !self.options.quiet {
            self.say(&human::member(package));
        }
    }

    /// Marks findings as known that are among these.
    pub fn compare_with(&mut self, baseline: Vec<Finding>) {
        self.baseline = baseline;
    }

    /// Those of these that the baseline has.
    #[must_use]
    pub fn in_baseline<'f>(
        &self,
        findings: impl IntoIterator<Item = &'f Finding>,
    ) -> Vec<&'f Finding> {
        let known = |finding: &&Finding| is_among(finding, &self.baseline);
        findings.into_iter().filter(known).collect()
    }

    /// The files that locations name.
    #[must_use]
    pub fn sources(&self) -> &SourceFiles {
        &self.sources
    }

    /// Shows an event.
    pub fn event(&mut self, event: &ProgressEvent) {
        match event {
            ProgressEvent::Step(text) => {
                self.machine(|| json::step(text));
                self.progress.step(text);
            }
            ProgressEvent::StepProgress(text) => self.progress.detail(text),
            ProgressEvent::Ahead { budget, shapes } => {
                self.progress.begin_exploration(*budget);
                self.of_package(|package| growth::ahead_json(package, *budget, shapes));
                if !self.options.quiet {
                    self.say(&growth::ahead(*budget, shapes));
                }
            }
            ProgressEvent::Exploring {
                progress,
                elapsed,
                left,
            } => {
                self.progress.exploring(progress, *elapsed, left.as_ref());
                if self.is_time_for_progress() {
                    self.of_package(|package| {
                        growth::progress_json(package, progress, *elapsed, left.as_ref())
                    });
                }
            }
            ProgressEvent::Subject {
                name,
                operations,
                left_out,
            } => {
                self.of_package(|package| json::subject(package, name, *operations, left_out));
                if self.options.verbose {
                    let operations = vec![format!("{operations} operations")];
                    self.say(&human::listed_subject(name, "", &[], &operations, left_out));
                }
            }
            ProgressEvent::Finding {
                finding,
                emitted,
                known,
            } => {
                self.progress.found();
                self.finding(finding, emitted.as_deref(), known.as_deref());
            }
            ProgressEvent::Alone(alone) => {
                self.machine(|| json::alone(alone));
                if self.options.verbose || !self.options.quiet && self.alone_shown < ALONE_SHOWN {
                    self.alone_shown += 1;
                    self.say(&format!("{}\n", human::alone(alone)));
                }
            }
            ProgressEvent::DriverDied(why) => {
                if self.options.verbose {
                    self.say(&human::warning(why));
                }
            }
            ProgressEvent::Warning(text) => {
                self.machine(|| json::warning(text));
                if !self.options.quiet || self.options.is_for_agents() {
                    self.say(&human::warning(text));
                }
            }
        }
    }

    /// True once a second.
    fn is_time_for_progress(&mut self) -> bool {
        let now = Instant::now();
        let is_time = (self.last_progress).is_none_or(|last| now - last >= PROGRESS_EVERY);
        if is_time {
            self.last_progress = Some(now);
        }
        is_time
    }

    /// Shows plain text.
    pub fn text(&mut self, text: &str) {
        self.say(text);
    }

    /// Shows the end of a run.
    pub fn summary(&mut self, summary: &RunSummary) {
        self.all_findings();
        self.machine(|| json::summary(summary));
        if self.options.is_for_agents() {
            let text = agent::summary(summary, &(self.again("list") + &self.members));
            self.say(&text);
            return;
        }
        if self.options.quiet {
            self.say(&human::result(summary));
            return;
        }
        if self.options.verbose {
            self.say(&access_patterns::fields(summary));
            self.say(&ladder::details(summary));
        }
        let list = self.again("list") + &self.members;
        let test = self.again("test") + &self.members;
        let ending = human::Ending {
            list: &list,
            test: &test,
            alone_shown: self.alone_shown,
            verbose: self.options.verbose,
        };
        let text = human::summary(summary, &ending);
        self.say(&text);
    }

    /// Adds the run to the summary of a step of GitHub Actions, if it is one.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn step_summary(
        &self,
        summary: &RunSummary,
        findings: &[(Finding, Option<String>)],
    ) -> Result<(), WriteError> {
        let file = self.options.github.as_ref();
        let Some(path) = file.and_then(|github| github.step_summary.as_ref()) else {
            return Ok(());
        };
        let replay = self.again("replay");
        github::add_to_step_summary(
            path,
            &github::step_summary(summary, findings, &replay, &self.sources),
        )
    }

    /// Shows why the command failed, on standard error.
    pub fn error(&mut self, text: &str) {
        self.all_findings();
        self.progress.finish();
        let choice = match self.options.color {
            None => ColorChoice::Auto,
            Some(true) => ColorChoice::Always,
            Some(false) => ColorChoice::Never,
        };
        let _ = write!(
            AutoStream::new(io::stderr(), choice),
            "{}",
            human::error(text)
        );
    }

    /// A line for those who read what cargo prints.
    pub fn cargo_line(&mut self, line: impl FnOnce() -> String) {
        if self.options.is_cargo_json() {
            self.print_line(&line());
        }
    }

    /// Ends the messages for those who read what cargo prints.
    pub fn build_finished(&mut self, success: bool) {
        self.cargo_line(|| cargo_json::build_finished(success));
    }

    /// Removes the progress line.
    pub fn finish(&mut self) {
        self.all_findings();
        self.progress.finish();
        let _ = self.text.flush();
    }

    /// How a user calls a command of this tool for this package.
    #[must_use]
    pub fn again(&self, command: &str) -> String {
        self.options.again.replace("{}", command)
    }

    /// A closed pipe (`| head`) must not stop the exploration, so failed writes are ignored.
    pub(super) fn say(&mut self, text: &str) {
        match &self.options.github {
            // What a crate printed must not become a command to the runner.
            Some(_) => self.write(&github::without_commands(text)),
            None => self.write(text),
        }
    }

    pub(super) fn write(&mut self, text: &str) {
        let out = &mut self.text;
        self.progress.aside(|| {
            let _ = out.write_all(text.as_bytes());
            let _ = out.flush();
        });
    }

    /// Text whose lines end in locations.
    pub(super) fn say_with_places(&mut self, text: &str) {
        if self.links {
            let text = hyperlinks::linked(text, &self.sources);
            self.say(&text);
        } else {
            self.say(text);
        }
    }

    /// A line about the package.
    pub(super) fn of_package(&mut self, line: impl FnOnce(&str) -> String) {
        if self.options.is_json() {
            let text = line(&self.package);
            self.machine(|| text);
        }
    }

    pub(super) fn machine(&mut self, line: impl FnOnce() -> String) {
        if self.options.is_json() {
            self.print_line(&line());
        }
    }

    fn print_line(&mut self, line: &str) {
        let line = format!("{line}\n");
        self.progress.aside(|| {
            let _ = io::stdout().write_all(line.as_bytes());
        });
    }
}
