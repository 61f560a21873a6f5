//! The own tests of one package: each executable in turn; then, if there is time left, the tests that are unfinished
//! because their time was over.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::time::{Duration, Instant};

use contest_data::finding::Finding;
use contest_data::gap::{Cut, Gap};
use contest_data::own_tests::{OwnResult, OwnTestSettings, OwnVerdict, WeakPart};

use super::failure::Failure;
use super::prepare;
use crate::cli::exit_code::ExitCode;
use crate::emit::emit_own_test;
use crate::emit::token_in_file::token_of;
use contest_build::workspace::selection::Package;
use contest_catalog::progress_event::ProgressEvent;
use contest_catalog::skipped::Skipped;
use contest_drive::campaign::{CampaignError, Interrupt, OwnTestEvent, explore_own_tests};
use contest_drive::harness::{OwnTests, TestExecutable, listed_tests};
use contest_report::Reporter;
use contest_report::short_locations::ShortLocations;
use contest_report::test_totals::TestTotals;

/// An unfinished test goes on with so many times the time that it had: its exploration begins anew.
const LONGER: u32 = 2;
/// It may have so many times the executions, too.
const MORE_EXECUTIONS: u64 = 100;
/// Tests of an executable that does not list them.
const UNKNOWN: usize = 2;

/// The tests, how they are explored, and where their results go.
pub(super) struct TestsOfPackage<'a> {
    pub(super) tests: &'a OwnTests,
    pub(super) settings: &'a OwnTestSettings,
    pub(super) lanes: u16,
    /// Unfinished tests share the remaining time.
    pub(super) goes_on: bool,
    /// Where findings are written, if they are.
    pub(super) emit: Option<&'a Path>,
    pub(super) package: &'a Package,
    pub(super) totals: &'a mut TestTotals,
    pub(super) reporter: &'a mut Reporter,
    pub(super) interrupt: &'a Interrupt,
}

impl<'a> TestsOfPackage<'a> {
    /// Explores them under one budget.
    pub(super) fn explore(self) -> Result<(), Failure> {
        for skipped in self.tests.left_out.iter().chain(&self.tests.not_built) {
            self.reporter.left_out(skipped);
        }
        self.totals.not_built += self.tests.not_built.len();
        let mut exploration = Exploration {
            short: prepare::short_locations(self.package),
            end: Instant::now() + self.settings.budget(),
            with_findings: BTreeSet::new(),
            shown: BTreeMap::new(),
            unfinished: VecDeque::new(),
            not_emitted: None,
            of: self,
        };
        let explored = exploration.executables();
        let explored = explored.and_then(|()| exploration.go_on());
        // What is known of them is shown, whatever became of the others.
        while let Some((executable, result)) = exploration.unfinished.pop_front() {
            exploration.done(executable, result);
        }
        explored?;
        exploration.not_emitted.map_or(Ok(()), Err)
    }

    /// Number of tests of each executable, where there are several: the process of a single one sees it.
    fn listed(&self) -> Vec<usize> {
        let executables = &self.tests.executables;
        if executables.len() == 1 {
            return vec![1];
        }
        let listed = |it| listed_tests(self.tests, it, &self.settings.arguments);
        let listed = |it| match is_emitted(it) {
            true => 0,
            false => listed(it).unwrap_or(UNKNOWN),
        };
        executables.iter().map(listed).collect()
    }
}

struct Exploration<'a> {
    of: TestsOfPackage<'a>,
    short: ShortLocations,
    /// When the time for all is over.
    end: Instant,
    /// Tests in which something was found, by executable and name.
    with_findings: BTreeSet<(String, String)>,
    /// Tests that may go on, as far as they have come.
    unfinished: VecDeque<(&'a TestExecutable, OwnResult)>,
    /// What was shown of each test, by executable and name.
    shown: BTreeMap<(String, String), OwnResult>,
    /// Why a finding was not written, if one was not.
    not_emitted: Option<Failure>,
}

impl<'a> Exploration<'a> {
    fn time_left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// Explores the executables one after another. Results of tests that may go on are not shown yet.
    fn executables(&mut self) -> Result<(), Failure> {
        let (tests, of) = (self.of.tests, self.of.settings);
        let over = Instant::now() + OwnTestSettings::overtime_of(of.budget());
        let listed = self.of.listed();
        let mut after: usize = listed.iter().sum();
        let one_has_all = self.of.goes_on && after == 1;
        let lanes = usize::from(self.of.lanes.max(1));
        for (executable, listed) in tests.executables.iter().zip(listed) {
            after -= listed;
            if self.of.interrupt.is_set() {
                break;
            }
            if is_emitted(executable) {
                let why = "emitted by cargo contest: it runs under its schedule";
                let skipped = Skipped::new(&executable.name, why);
                self.of.reporter.left_out(&skipped);
                continue;
            }
            let settings = OwnTestSettings {
                executable: executable.name.clone(),
                budget_ms: milliseconds(self.time_left()),
                overtime_ms: milliseconds(over.saturating_duration_since(Instant::now())),
                tests_after: after.div_ceil(lanes) as u64,
                one_has_all,
                ..of.clone()
            };
            self.run(&settings, executable, &mut |this, result| {
                let test = (executable.name.clone(), result.name.clone());
                let is_clean = !this.with_findings.contains(&test);
                let before = |it: &(&TestExecutable, OwnResult)| {
                    it.0.name == executable.name && it.1.name == result.name
                };
                this.unfinished.retain(|it| !before(it));
                if this.of.goes_on && is_clean && is_cut(&result, settings.executions) {
                    this.unfinished.push_back((executable, result));
                } else {
                    this.done(executable, result);
                }
            })?;
        }
        Ok(())
    }

    /// Unfinished tests have the remaining time, in equal parts: all of them, or as many as then have more time than
    /// they had.
    fn go_on(&mut self) -> Result<(), Failure> {
        let lanes = usize::from(self.of.lanes.max(1));
        while let Some(&(executable, _)) = self.unfinished.front() {
            let mut groups: Vec<usize> = Vec::new();
            let mut last = None;
            for (of, _) in &self.unfinished {
                match groups.last_mut() {
                    Some(group) if last == Some(&of.name) => *group += 1,
                    _ => groups.push(1),
                }
                last = Some(&of.name);
            }
            // So many are explored side by side; the last ones of an executable may be fewer.
            let rounds = |group: &usize| group.div_ceil(lanes);
            let all: usize = groups.iter().map(rounds).sum();
            let longer = LONGER * self.of.settings.test_budget();
            let time = self.time_left();
            let affordable = time.as_millis() / longer.as_millis().max(1);
            let affordable = usize::try_from(affordable).unwrap_or(usize::MAX);
            if affordable == 0 || self.of.interrupt.is_set() {
                return Ok(());
            }
            let share = time / u32::try_from(all.min(affordable)).unwrap_or(u32::MAX);
            let number = groups[0].min(affordable.saturating_mul(lanes));
            let before: Vec<OwnResult> = self.unfinished.drain(..number).map(|it| it.1).collect();
            let time = share * u32::try_from(rounds(&number)).unwrap_or(u32::MAX);
            let explored = self.go_on_with(executable, before, share, time);
            // Those for which there was no time are done.
            for _ in number..groups[0] {
                if let Some((of, result)) = self.unfinished.pop_front() {
                    self.done(of, result);
                }
            }
            explored?;
        }
        Ok(())
    }

    /// Explores tests of an executable anew, each for this share of the time.
    fn go_on_with(
        &mut self,
        executable: &'a TestExecutable,
        mut before: Vec<OwnResult>,
        share: Duration,
        time: Duration,
    ) -> Result<(), Failure> {
        let exactly = ["--exact", "--include-ignored"].map(str::to_owned);
        let names = before.iter().map(|it| it.name.clone());
        let settings = OwnTestSettings {
            executable: executable.name.clone(),
            arguments: exactly.into_iter().chain(names).collect(),
            budget_ms: milliseconds(time),
            overtime_ms: milliseconds(OwnTestSettings::overtime_of(time)),
            test_budget_ms: milliseconds(share),
            executions: (self.of.settings.executions).saturating_mul(MORE_EXECUTIONS),
            // They met each other before.
            isolated: true,
            one_has_all: false,
            ..self.of.settings.clone()
        };
        let explored = self.run(&settings, executable, &mut |this, result| {
            let known = before.iter().position(|it| it.name == result.name);
            if let Some(known) = known {
                let known = before.swap_remove(known);
                let executions = this.of.settings.executions;
                this.done(executable, together(known, result, executions));
            }
        });
        for result in before {
            self.done(executable, result);
        }
        explored
    }

    /// Explores tests of an executable; `done` has the results.
    fn run(
        &mut self,
        settings: &OwnTestSettings,
        executable: &'a TestExecutable,
        done: &mut dyn FnMut(&mut Self, OwnResult),
    ) -> Result<(), Failure> {
        let (tests, lanes, interrupt) = (self.of.tests, self.of.lanes, self.of.interrupt);
        let explored = explore_own_tests(
            tests,
            executable,
            settings,
            lanes,
            interrupt,
            &mut |event| match event {
                OwnTestEvent::Tests(0) => {}
                OwnTestEvent::Tests(number) => {
                    self.of.reporter.own_tests(&executable.name, number);
                }
                OwnTestEvent::Finding(finding) => self.finding(executable, finding),
                OwnTestEvent::Done(result) => done(self, result),
                OwnTestEvent::Pairs { run, failed, left } => {
                    self.of.totals.add_pairs(run, failed, left);
                }
                OwnTestEvent::Note(note) => {
                    self.of.reporter.event(&ProgressEvent::Warning(note));
                }
            },
        );
        match explored {
            Err(CampaignError::Refused(why)) => Err(Failure::new(ExitCode::Usage, why)),
            other => Ok(other?),
        }
    }

    /// Counts, writes and shows a finding.
    fn finding(&mut self, executable: &TestExecutable, mut finding: Box<Finding>) {
        self.short.finding(&mut finding);
        if let Some(test) = &finding.own_test {
            let test = (executable.name.clone(), test.clone());
            self.with_findings.insert(test);
        }
        self.of.totals.findings += 1;
        let emitted = self.of.emit.and_then(|directory| {
            emit(&finding, executable, self.of.package, directory).unwrap_or_else(|failure| {
                self.not_emitted = Some(failure);
                None
            })
        });
        self.of.reporter.event(&ProgressEvent::Finding {
            finding,
            emitted,
            known: None,
        });
    }

    /// Counts and shows a result. What is known of a test that passed by itself, and failed when it was looked at again
    /// because of another one, takes the place of what was known.
    fn done(&mut self, executable: &TestExecutable, mut result: OwnResult) {
        result.why = self.short.text(&result.why);
        let test = (executable.name.clone(), result.name.clone());
        if let Some(before) = self.shown.insert(test, result.clone()) {
            self.of.totals.without(&before);
        }
        self.of.totals.add(&result);
        self.of.reporter.own_test(&executable.name, &result);
    }
}

/// Why it is unfinished that its time or so many executions were over.
fn over(executions: u64) -> [Gap; 3] {
    [Cut::Time, Cut::Executions(executions), Cut::AllTime].map(Gap::Cut)
}

/// True if it passed, and its time or all of these executions were over before it was finished.
fn is_cut(result: &OwnResult, executions: u64) -> bool {
    let mut over = over(executions).into_iter();
    result.verdict == OwnVerdict::Ok && over.any(|it| result.gaps.contains(&it))
}

/// What is known of a test that went on, which had so many executions before.
fn together(mut before: OwnResult, mut after: OwnResult, executions: u64) -> OwnResult {
    let all = before.executions + after.executions;
    if after.verdict == OwnVerdict::NotRun {
        let whys = [before.why.as_str(), after.why.as_str()];
        let whys = whys.into_iter().filter(|it| !it.is_empty());
        before.why = whys.collect::<Vec<_>>().join("; when it went on: ");
        before.executions = all;
        return before;
    }
    if after.verdict == OwnVerdict::Ok {
        let is_whole = |weak: &Option<WeakPart>| weak.as_ref().is_some_and(|it| it.complete);
        if is_whole(&before.weak) {
            after.weak = before.weak.take();
        }
        // What was wanting beside time is wanting still.
        for gap in over(executions) {
            before.gaps.remove(&gap);
        }
        after.gaps.join(&before.gaps);
        after.complete &= after.gaps.is_empty();
        after.why = after.gaps.to_string();
    }
    if after.verdict == OwnVerdict::Failed {
        after.why += "; executions before had passed";
    }
    for allowed in before.allowed {
        if !after.allowed.contains(&allowed) {
            after.allowed.push(allowed);
        }
    }
    OwnResult {
        executions: all,
        ..after
    }
}

/// Writes the file of a finding, and says where it is, as seen from the working directory.
fn emit(
    finding: &Finding,
    executable: &TestExecutable,
    package: &Package,
    directory: &Path,
) -> Result<Option<String>, Failure> {
    let name = format!("{} {}", package.name, package.version);
    let directory = prepare::package_directory(package).join(directory);
    let path = emit_own_test(finding, &executable.name, &name, &directory)?;
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(&here).unwrap_or(&path);
    Ok(Some(path.display().to_string()))
}

/// True for the file of an emitted test.
fn is_emitted(executable: &TestExecutable) -> bool {
    let source = std::fs::read_to_string(&executable.source).unwrap_or_default();
    token_of(&source).is_some()
}

pub(super) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(verdict: OwnVerdict, gaps: &[Gap]) -> OwnResult {
        let mut result = OwnResult::without_execution("a", verdict, "");
        for gap in gaps {
            result.gaps.add(gap.clone());
        }
        result.complete = result.gaps.is_empty() && verdict == OwnVerdict::Ok;
        result.why = result.gaps.to_string();
        result.executions = 10;
        result
    }

    #[test]
    fn what_goes_on_loses_nothing_but_the_want_of_time() {
        let [time, count, _] = over(7);
        let other = Gap::Outside("writes a file".to_owned());
        let before = result(OwnVerdict::Ok, &[time, count, other.clone()]);
        assert!(is_cut(&before, 7));
        let whole = together(before.clone(), result(OwnVerdict::Ok, &[]), 7);
        assert!(!whole.complete && whole.gaps.contains(&other) && !is_cut(&whole, 7));
        assert_eq!((whole.executions, whole.why), (20, other.to_string()));
        let mut died = result(OwnVerdict::NotRun, &[]);
        died.why = "it ended the process".to_owned();
        let died = together(before, died, 7);
        assert_eq!(died.verdict, OwnVerdict::Ok);
        assert!(
            died.why
                .ends_with("; when it went on: it ended the process")
        );
        let cut = result(OwnVerdict::Ok, &over(7)[..1]);
        assert!(together(cut, result(OwnVerdict::Ok, &[]), 7).complete);
    }
}
