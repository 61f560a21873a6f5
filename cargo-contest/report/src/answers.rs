//! What commands show beside findings and totals of a run: lists, tests, replays, analyses, comparisons.

use contest_data::own_tests::{OwnResult, OwnVerdict};
use contest_data::protocol::Replayed;
use contest_data::scenario::ScenarioReport;

use super::confirmed::Confirmed;
use super::dependencies::AnalysisTotals;
use super::difference::Difference;
use super::emitted_result::EmittedResult;
use super::figures::counted;
use super::merged::Merged;
use super::reporter::Reporter;
use super::test_totals::TestTotals;
use super::{dependencies, human, json, listing, orderings, reasons};
use crate::explain::Explanation;
use contest_catalog::dependency_graph::DependencyGraph;
use contest_catalog::progress_event::ProgressEvent;
use contest_catalog::reasons::Reason;
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::{SubjectEntry, TakenIdiom};

impl Reporter {
    /// Shows the catalog: what can be called and what is left out.
    pub fn catalog(&mut self, subjects: &[&SubjectEntry], skipped: &[Skipped]) {
        for subject in subjects {
            let (constructors, operations) =
                (listing::constructors(subject), listing::operations(subject));
            self.of_package(|package| {
                json::listed_subject(
                    package,
                    &subject.shown(),
                    &operations,
                    &constructors,
                    &subject.left_out,
                )
            });
            let text = human::listed_subject(
                &subject.shown(),
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
        if let Some(finding) = &replayed.finding {
            let again = self.again("replay");
            self.cargo_message(finding, None, None, &again);
        }
        let text = human::replayed(replayed, self.width, self.options.verbose, &self.sources);
        self.say_with_places(&text);
    }

    /// Shows that a schedule ended the process under test when it was run again.
    pub fn replay_died(&mut self, what: &str) {
        self.machine(|| json::replay_died(what));
        self.say(&human::replay_died(what));
    }

    /// Shows how often a finding was seen with real threads.
    pub fn confirmed(&mut self, package: &str, confirmed: &Confirmed) {
        self.machine(|| confirmed.line());
        self.say(&confirmed.text(package));
    }

    /// Shows one emitted test that was run again.
    pub fn test(&mut self, name: &str, result: &EmittedResult) {
        self.of_package(|package| json::test(package, name, result));
        self.say(&match result {
            EmittedResult::Passes => format!("test {name} ... ok\n"),
            EmittedResult::Warns(text) => format!("test {name} ... ok, with a warning: {text}\n"),
            EmittedResult::Fails(text) => format!("test {name} ... FAILED: {text}\n"),
        });
    }

    /// Shows that so many tests of an executable are about to be explored.
    pub fn own_tests(&mut self, executable: &str, number: usize) {
        let tests = counted(number as u64, "test");
        self.event(&ProgressEvent::Step(format!(
            "exploring {tests} ({executable})"
        )));
        self.say(&format!("\nrunning {tests} ({executable})\n"));
        self.below = Some((self.package.clone(), executable.to_owned()));
    }

    /// Shows one test of the crate that was explored.
    pub fn own_test(&mut self, executable: &str, result: &OwnResult) {
        self.of_package(|package| json::own_test(package, executable, result));
        if !self.options.quiet || result.verdict != OwnVerdict::Ok {
            // Those that were to go on come when all others are done.
            let of = (self.package.clone(), executable.to_owned());
            if self.below.as_ref().is_some_and(|it| *it != of) {
                self.say(&format!("\nunfinished tests ({executable})\n"));
                self.below = Some(of);
            }
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
            .is_json()
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
            "nothing to test: the code of all {} types is unchanged since the revision of --since ({})\n",
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
            self.all_findings();
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
}
