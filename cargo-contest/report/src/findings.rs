//! How a finding reaches people and machines.

use contest_data::finding::{Finding, Level};

use super::causes::is_definite;
use super::difference::is_among;
use super::reporter::Reporter;
use super::shown_findings::FindingText;
use super::{agent, cargo_json, github, human, json, short};
use crate::options::Format;

/// Most lines of the table of an interleaving.
const MOST_OF_TABLE: usize = 34;

impl Reporter {
    /// Takes in a finding: JSON has it at once, and so has the text for people unless it waits for a more definite one.
    pub(super) fn finding(
        &mut self,
        finding: &Finding,
        emitted: Option<&str>,
        known: Option<&str>,
    ) {
        let cause = self.causes.of(finding);
        let in_baseline = is_among(finding, &self.baseline).then_some("in the baseline");
        let known = known.or(in_baseline);
        self.of_package(|package| json::finding(package, finding, emitted, cause, known));
        let mut again = self.again("replay");
        if finding.own_test.is_some() {
            // Features are those of all members together; a type is tested with those of its package.
            again += &self.members;
        }
        self.cargo_message(finding, emitted, known, &again);
        let verbose = self.options.verbose;
        let format = self.options.format;
        let (run, scenario) = (self.again("run"), self.again("try"));
        let test = self.again("test") + &self.members;
        let (width, sources) = (self.width, &self.sources);
        let brief = |follows| human::brief(finding, emitted, &again, width, follows, sources);
        let (first, whole) = match (format, verbose) {
            (Format::Agent, _) => {
                let commands = agent::Commands {
                    replay: &again,
                    run: &run,
                    scenario: &scenario,
                    test: &test,
                };
                let text = agent::finding(finding, emitted, &commands, sources);
                (text.clone(), text)
            }
            (Format::Short, _) => {
                let text = short::finding(finding, emitted, &again);
                (text.clone(), text)
            }
            (_, true) => {
                let text = human::finding(finding, emitted, &again, width, sources) + "\n";
                (text.clone(), text)
            }
            _ => {
                let table = human::interleaving(finding, width, MOST_OF_TABLE, sources);
                (brief(true) + &table + "\n", brief(false) + "\n")
            }
        };
        let other_way = (!verbose).then(|| human::another_way(finding, cause, &again));
        let github = self.options.github.as_ref();
        let warns = finding.level == Level::Warning;
        let text = FindingText {
            cause,
            // Of a test, the line that names it comes next.
            at_once: is_definite(finding.kind) && !warns || finding.own_test.is_some(),
            warns,
            first: human::with_known(&first, known),
            whole: human::with_known(&whole, known),
            shown_as: human::shown_as(finding),
            other_way: other_way.map(|[text, rest]| [human::with_known(&text, known), rest]),
            annotation: github.map(|it| github::annotation(it, finding, &self.sources)),
        };
        if let Some(text) = self.findings.take(text) {
            self.say_finding(&text);
        }
    }

    /// Tells those who read what cargo prints; what is at one line and of one kind, once.
    pub(super) fn cargo_message(
        &mut self,
        finding: &Finding,
        emitted: Option<&str>,
        known: Option<&str>,
        replay: &str,
    ) {
        if self.options.is_cargo_json() {
            let package = &self.cargo_package;
            let message =
                cargo_json::message(package, finding, emitted, known, replay, &self.sources);
            if self.shown_at.insert(message.shown_at) {
                self.cargo_line(|| message.line);
            }
        }
    }

    /// Shows the findings that wait for more definite ones, of which there are no more.
    pub(super) fn all_findings(&mut self) {
        for finding in self.findings.rest() {
            self.say_finding(&finding);
        }
    }

    fn say_finding(&mut self, finding: &FindingText) {
        self.say_with_places(&finding.whole);
        if let Some(annotation) = &finding.annotation {
            self.write(annotation);
        }
    }
}
