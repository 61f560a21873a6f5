//! Findings, totals and progress in; readable text, JSON lines out. Consumes [`ProgressEvent`]s and the [`RunSummary`]
//! and drops nothing.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use contest_data::finding::Finding;
use contest_data::own_tests::{OwnResult, OwnVerdict};
use contest_data::protocol::Replayed;
use contest_data::scenario::ScenarioReport;

use crate::analyse::dependency_graph::DependencyGraph;
use crate::discover::reasons::Reason;
use crate::discover::subject_catalog::{SubjectEntry, TakenIdiom};
use crate::explain::Explanation;
use crate::progress_event::ProgressEvent;
use crate::skipped::Skipped;
use crate::workspace::scratch_dir::WriteError;
use causes::Causes;
use dependencies::AnalysisTotals;
use difference::{Difference, is_among};
use merged::Merged;
use run_summary::RunSummary;
use source_files::SourceFiles;
use test_totals::TestTotals;

pub use options::ReportOptions;

pub mod causes;

pub mod run_summary;

pub mod test_totals;

pub mod dependencies;

pub mod dependency_drawing;

pub mod reasons;

pub mod trace_table;

pub mod human;

pub mod json;

pub mod junit;

pub mod sarif;

pub mod html;

pub mod orderings;

pub mod trace_events;

pub mod turning_points;

pub mod difference;

pub mod results;

pub mod merged;

pub mod github;

pub mod folded;

pub mod short_locations;

pub mod source_files;

pub mod visible;

mod hyperlinks;

mod short;

mod styles;

mod access_patterns;

mod campaign_state;

mod figures;

mod ladder;

mod listing;

mod options;

mod progress_line;

#[cfg(test)]
pub(crate) mod sample;

/// Failures without concurrency that are shown without `--verbose`: they are not findings.
const ALONE_SHOWN: usize = 5;

/// Shows what happens.
pub struct Reporter {
    options: ReportOptions,
    text: Box<dyn Write>,
    progress: progress_line::ProgressLine,
    width: usize,
    alone_shown: usize,
    /// Locations are links to these files, if the terminal shows links.
    links: bool,
    sources: SourceFiles,
    causes: Causes,
    /// Findings that are known.
    baseline: Vec<Finding>,
    /// What is shown is about this package: `dashmap 6.1.0`.
    package: String,
    /// Options that select the members of a run over several.
    members: String,
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
        let (text, terminal): (Box<dyn Write>, bool) = if options.json {
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
            links: terminal && hyperlinks::are_shown(options.json),
            sources: SourceFiles::default(),
            causes: Causes::default(),
            baseline: Vec::new(),
            package: String::new(),
            members: String::new(),
            options,
        }
    }

    /// Sets the directories of the package and its workspace, to which locations are relative.
    pub fn locate(&mut self, directories: &[&Path]) {
        self.sources = SourceFiles::new(directories, self.options.cargo_home.as_deref());
    }

    /// Sets the package that the next events are about: `dashmap 6.1.0`.
    pub fn begin_package(&mut self, package: &str) {
        package.clone_into(&mut self.package);
    }

    /// The same, of several: its name stands above what is shown of it. `members` are the options that select them all.
    pub fn begin_member(&mut self, package: &str, members: &str) {
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

    /// How many of these the baseline has.
    #[must_use]
    pub fn in_baseline(&self, findings: &[(Finding, Option<String>)]) -> usize {
        let known = |(finding, _): &&(Finding, Option<String>)| is_among(finding, &self.baseline);
        findings.iter().filter(known).count()
    }

    /// The files that locations name.
    #[must_use]
    pub fn sources(&self) -> &SourceFiles {
        &self.sources
    }

    /// Shows an event.
    pub fn event(&mut self, event: &ProgressEvent) {
        match event {
            ProgressEvent::Step(text) => self.progress.step(text),
            ProgressEvent::StepProgress(text) => self.progress.detail(text),
            ProgressEvent::Exploring(progress) => self.progress.exploring(progress),
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
                let cause = self.causes.of(finding);
                let in_baseline = is_among(finding, &self.baseline).then_some("in the baseline");
                let known = known.as_deref().or(in_baseline);
                self.of_package(|package| {
                    json::finding(package, finding, emitted.as_deref(), cause.number, known)
                });
                let again = self.again("replay");
                let emitted = emitted.as_deref();
                let text = if cause.known && !self.options.verbose {
                    human::another_way(finding, cause.number, &again)
                } else if self.options.short {
                    short::finding(finding, emitted, &again)
                } else {
                    human::finding(
                        finding,
                        emitted,
                        &again,
                        self.width,
                        self.options.verbose,
                        &self.sources,
                    ) + "\n"
                };
                let text = human::with_known(&text, known);
                self.say_with_places(&text);
                if let Some(github) = &self.options.github {
                    let text = github::annotation(github, finding, &self.sources);
                    self.say(&text);
                }
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
                if !self.options.quiet {
                    self.say(&human::warning(text));
                }
            }
        }
    }

    /// Shows the catalog: what can be called and what is left out.
    pub fn catalog(&mut self, subjects: &[&SubjectEntry], skipped: &[Skipped]) {
        for subject in subjects {
            let (constructors, operations) =
                (listing::constructors(subject), listing::operations(subject));
            self.of_package(|package| {
                json::listed_subject(
                    package,
                    subject.shown(),
                    &operations,
                    &constructors,
                    &subject.left_out,
                )
            });
            let text = human::listed_subject(
                subject.shown(),
                &subject.declared,
                &constructors,
                &operations,
                &subject.left_out,
            );
            self.say(&format!("{text}\n"));
        }
        for skipped in skipped {
            self.of_package(|package| json::left_out(package, skipped));
            self.say(&human::left_out(skipped));
        }
    }

    /// Shows what the compiler refused when the driver was built, which no list can know.
    pub fn refused(&mut self, all: &[Skipped]) {
        for skipped in all {
            self.of_package(|package| json::left_out(package, skipped));
        }
        self.say(&reasons::refused_text(all, self.options.verbose));
    }

    /// Shows which arguments are as the package's own code passes them.
    pub fn idioms(&mut self, all: &[TakenIdiom]) {
        for idiom in all {
            self.machine(|| reasons::idiom_line(idiom));
        }
        self.say(&reasons::idioms_text(all));
    }

    /// Shows why types and methods were left out, the most frequent reason first.
    pub fn reasons(&mut self, all: &[Reason]) {
        for reason in all {
            self.machine(|| reasons::line(reason));
        }
        self.say(&reasons::text(all));
    }

    /// Shows a schedule that was run again.
    pub fn replayed(&mut self, replayed: &Replayed) {
        self.machine(|| {
            json::replayed(
                replayed.finding.as_ref(),
                &replayed.ending,
                &replayed.interleaving,
                replayed.diverged.as_deref(),
            )
        });
        let text = human::replayed(replayed, self.width, self.options.verbose, &self.sources);
        self.say_with_places(&text);
    }

    /// Shows that a schedule ended the process under test when it was run again.
    pub fn replay_died(&mut self, what: &str) {
        self.machine(|| json::replay_died(what));
        self.say(&human::replay_died(what));
    }

    /// Shows one emitted test that was run again.
    pub fn test(&mut self, name: &str, failure: Option<&str>) {
        self.of_package(|package| {
            json::test(package, name, failure.is_some(), failure.unwrap_or(""))
        });
        self.say(&match failure {
            None => format!("test {name} ... ok\n"),
            Some(message) => format!("test {name} ... FAILED: {message}\n"),
        });
    }

    /// Shows one test of the crate that was explored.
    pub fn own_test(&mut self, executable: &str, result: &OwnResult) {
        self.of_package(|package| json::own_test(package, executable, result));
        if !self.options.quiet || result.verdict != OwnVerdict::Ok {
            self.say(&human::own_test(result, self.options.verbose));
        }
    }

    /// Shows all outcomes of a scenario with these calls.
    pub fn scenario(&mut self, lanes: &[Vec<String>], report: &ScenarioReport, findings: usize) {
        for outcome in &report.outcomes {
            self.machine(|| json::outcome(outcome));
        }
        self.machine(|| json::scenario_summary(report, findings));
        self.say(&human::scenario(lanes, report));
    }

    /// Shows which orderings of a type are too weak, or may be weaker.
    pub fn orderings(&mut self, advice: &orderings::Advice) {
        self.machine(|| orderings::json(advice));
        self.say_with_places(&orderings::human(advice));
    }

    /// Shows the end of `test`.
    pub fn test_summary(&mut self, totals: &TestTotals) {
        self.machine(|| json::test_summary(totals));
        self.say(&totals.line());
    }

    /// Shows what was left out of a run of tests.
    pub fn left_out(&mut self, skipped: &Skipped) {
        self.of_package(|package| json::left_out(package, skipped));
        self.say(&human::left_out(skipped));
    }

    /// Shows summaries and dependencies of one type.
    pub fn dependencies(&mut self, graph: &DependencyGraph, declared: &str) {
        for line in self
            .options
            .json
            .then(|| dependencies::graph_lines(graph))
            .into_iter()
            .flatten()
        {
            self.machine(|| line);
        }
        if !self.options.quiet {
            let text = dependencies::graph(graph, declared, self.options.verbose);
            self.say(&text);
        }
    }

    /// Shows the end of an analysis.
    pub fn analysis_totals(&mut self, totals: &AnalysisTotals) {
        self.machine(|| dependencies::totals_line(totals));
        let text = dependencies::totals(totals, self.options.verbose);
        self.say(&text);
    }

    /// Reports which files `init` changed, or would change; the diff has been shown.
    pub fn initialised(&mut self, package: &str, files: &[std::path::PathBuf], done: bool) {
        self.machine(|| json::initialised(package, files, done));
    }

    /// Shows what differs between two campaigns.
    pub fn difference(&mut self, difference: &Difference) {
        self.machine(|| difference.json());
        self.say(&difference.text());
    }

    /// Shows that no type has changed.
    pub fn nothing_changed(&mut self, unchanged: &[String]) {
        self.machine(|| json::nothing_changed(unchanged));
        self.say(&format!(
            "nothing was tested: no type runs other code than at the revision of --since, of {}: {}\n",
            unchanged.len(),
            unchanged.join(", ")
        ));
    }

    /// Shows results that were put together; `in_full` with every finding and test, else these are for machines only.
    pub fn merged(&mut self, merged: &Merged, in_full: bool) {
        if in_full {
            for (package, finding) in &merged.findings {
                self.begin_package(package);
                self.event(&ProgressEvent::Finding {
                    finding: Box::new(finding.clone()),
                    emitted: None,
                    known: None,
                });
            }
            for result in merged.tests.values() {
                if !self.options.quiet || result.verdict != OwnVerdict::Ok {
                    self.say(&human::own_test(result, self.options.verbose));
                }
            }
            for line in merged.lines_of_tests() {
                self.machine(|| line);
            }
            self.machine(|| merged.summary());
        } else {
            for line in merged.lines() {
                self.machine(|| line);
            }
        }
        self.say(&merged.text());
    }

    /// Shows plain text.
    pub fn text(&mut self, text: &str) {
        self.say(text);
    }

    /// Shows the end of a run.
    pub fn summary(&mut self, summary: &RunSummary) {
        self.machine(|| json::summary(summary));
        if self.options.verbose {
            self.say(&access_patterns::fields(summary));
            self.say(&ladder::details(summary));
        }
        let again = self.again("list") + &self.members;
        let ending = human::Ending {
            list: &again,
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

    /// Names a kind of finding, with the first sentence about it.
    pub fn kind(&mut self, about: &Explanation) {
        self.machine(|| json::explanation(about));
        self.say(&human::kind(about));
    }

    /// Shows an explanation of a kind of finding.
    pub fn explanation(&mut self, about: &Explanation) {
        self.machine(|| json::explanation(about));
        self.say(&human::explanation(about));
    }

    /// Shows why the command failed, on standard error.
    pub fn error(&mut self, text: &str) {
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

    /// Removes the progress line.
    pub fn finish(&mut self) {
        self.progress.finish();
        let _ = self.text.flush();
    }

    /// How a user calls a command of this tool for this package.
    #[must_use]
    pub fn again(&self, command: &str) -> String {
        self.options.again.replace("{}", command)
    }

    /// A closed pipe (`| head`) must not stop the exploration, so failed writes are ignored.
    fn say(&mut self, text: &str) {
        let out = &mut self.text;
        self.progress.aside(|| {
            let _ = out.write_all(text.as_bytes());
            let _ = out.flush();
        });
    }

    /// Text whose lines end in locations.
    fn say_with_places(&mut self, text: &str) {
        if self.links {
            let text = hyperlinks::linked(text, &self.sources);
            self.say(&text);
        } else {
            self.say(text);
        }
    }

    /// A line about the package.
    fn of_package(&mut self, line: impl FnOnce(&str) -> String) {
        if self.options.json {
            let text = line(&self.package);
            self.machine(|| text);
        }
    }

    fn machine(&mut self, line: impl FnOnce() -> String) {
        if self.options.json {
            let line = line() + "\n";
            self.progress.aside(|| {
                let _ = io::stdout().write_all(line.as_bytes());
            });
        }
    }
}
