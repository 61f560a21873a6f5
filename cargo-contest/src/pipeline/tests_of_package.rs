//! The own tests of one package: each executable in turn; then, if there is time left, those tests that were not at
//! their end when their time was over.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use contest_data::finding::Finding;
use contest_data::gap::{Cut, Gap};
use contest_data::own_tests::{OwnResult, OwnTestSettings, OwnVerdict};

use super::failure::Failure;
use super::prepare;
use crate::campaign::{CampaignError, Interrupt, OwnTestEvent, explore_own_tests};
use crate::cli::exit_code::ExitCode;
use crate::emit::emit_own_test;
use crate::emit::token_in_file::token_of;
use crate::harness::{OwnTests, TestExecutable};
use crate::progress_event::ProgressEvent;
use crate::report::Reporter;
use crate::report::short_locations::ShortLocations;
use crate::report::test_totals::TestTotals;
use crate::skipped::Skipped;
use crate::workspace::selection::Package;

/// A test that goes on has so many times the time that it had: its exploration begins anew.
const LONGER: u32 = 2;

/// The tests, how they are explored, and what is told of them.
pub(super) struct TestsOfPackage<'a> {
    pub(super) tests: &'a OwnTests,
    pub(super) settings: &'a OwnTestSettings,
    pub(super) lanes: u16,
    /// Tests that are not at their end share what is left of the budget.
    pub(super) goes_on: bool,
    /// Where findings are written, if they are.
    pub(super) emit: Option<&'a Path>,
    pub(super) package: &'a Package,
    pub(super) totals: &'a mut TestTotals,
    pub(super) reporter: &'a mut Reporter,
    pub(super) interrupt: &'a Interrupt,
}

/// Tests of an executable that are not at their end, as far as they have come.
struct Unfinished<'a> {
    executable: &'a TestExecutable,
    results: Vec<OwnResult>,
}

impl<'a> TestsOfPackage<'a> {
    /// Explores the executables one after another, under one budget.
    pub(super) fn explore(mut self) -> Result<(), Failure> {
        let tests = self.tests;
        for skipped in tests.left_out.iter().chain(&tests.not_built) {
            self.reporter.left_out(skipped);
        }
        self.totals.not_built += tests.not_built.len();
        let short = prepare::short_locations(self.package);
        let begun = Instant::now();
        let end = begun + self.settings.budget();
        let over = begun + OwnTestSettings::overtime_of(self.settings.budget());
        let mut not_emitted = None;
        let mut unfinished = Vec::new();
        for executable in &tests.executables {
            if self.interrupt.is_set() {
                break;
            }
            if is_emitted(executable) {
                let why = "emitted by cargo contest: it runs under its schedule";
                self.reporter.left_out(&Skipped::new(&executable.name, why));
                continue;
            }
            let settings = OwnTestSettings {
                executable: executable.name.clone(),
                budget_ms: milliseconds(end.saturating_duration_since(Instant::now())),
                overtime_ms: milliseconds(over.saturating_duration_since(Instant::now())),
                ..self.settings.clone()
            };
            let mut results = Vec::new();
            let goes_on = self.goes_on;
            self.run(
                &settings,
                executable,
                &short,
                &mut not_emitted,
                &mut |result| {
                    if goes_on && is_cut(&result, settings.executions) {
                        results.push(result);
                        return None;
                    }
                    Some(result)
                },
            )?;
            if !results.is_empty() {
                unfinished.push(Unfinished {
                    executable,
                    results,
                });
            }
        }
        self.go_on(unfinished, end, &short, &mut not_emitted)?;
        not_emitted.map_or(Ok(()), Err)
    }

    /// Tests that are not at their end have what is left of the time, in equal parts: all of them, or as many as then
    /// have more time than they had.
    fn go_on(
        &mut self,
        unfinished: Vec<Unfinished<'a>>,
        end: Instant,
        short: &ShortLocations,
        not_emitted: &mut Option<Failure>,
    ) -> Result<(), Failure> {
        let mut left = unfinished.iter().map(|it| it.results.len()).sum::<usize>();
        let mut unfinished = VecDeque::from(unfinished);
        while let Some(Unfinished {
            executable,
            mut results,
        }) = unfinished.pop_front()
        {
            let now = Instant::now();
            let time = end.saturating_duration_since(now);
            let side_by_side = results.len().min(usize::from(self.lanes.max(1)));
            let all = time * u32::try_from(side_by_side).unwrap_or(1);
            let longer = LONGER * self.settings.test_budget();
            let most = all.as_millis() / longer.as_millis().max(1);
            let share = (all / u32::try_from(left).unwrap_or(u32::MAX).max(1)).max(longer);
            left -= results.len();
            let number = results
                .len()
                .min(usize::try_from(most).unwrap_or(usize::MAX));
            let mut before = results.drain(..number).collect::<Vec<_>>();
            for result in results {
                self.done(executable, result, short);
            }
            if before.is_empty() || self.interrupt.is_set() {
                for result in before {
                    self.done(executable, result, short);
                }
                continue;
            }
            let exactly = ["--exact", "--include-ignored"].map(str::to_owned);
            let names = before.iter().map(|it| it.name.clone());
            let part = share * u32::try_from(before.len()).unwrap_or(u32::MAX);
            let settings = OwnTestSettings {
                executable: executable.name.clone(),
                arguments: exactly.into_iter().chain(names).collect(),
                budget_ms: milliseconds(part.min(time)),
                overtime_ms: milliseconds(OwnTestSettings::overtime_of(part.min(time))),
                test_budget_ms: milliseconds(share),
                executions: u64::MAX,
                // They met each other before.
                isolated: true,
                ..self.settings.clone()
            };
            self.run(
                &settings,
                executable,
                short,
                not_emitted,
                &mut |mut result| {
                    let known = before.iter().position(|it| it.name == result.name)?;
                    let known = before.swap_remove(known);
                    if result.verdict == OwnVerdict::NotRun {
                        return Some(known);
                    }
                    result.executions += known.executions;
                    Some(result)
                },
            )?;
            for result in before {
                self.done(executable, result, short);
            }
        }
        Ok(())
    }

    /// Explores tests of an executable; `done` gives the results that are to be shown.
    fn run(
        &mut self,
        settings: &OwnTestSettings,
        executable: &TestExecutable,
        short: &ShortLocations,
        not_emitted: &mut Option<Failure>,
        done: &mut dyn FnMut(OwnResult) -> Option<OwnResult>,
    ) -> Result<(), Failure> {
        let (tests, lanes, interrupt) = (self.tests, self.lanes, self.interrupt);
        let explored = explore_own_tests(
            tests,
            executable,
            settings,
            lanes,
            interrupt,
            &mut |event| match event {
                OwnTestEvent::Tests(0) => {}
                OwnTestEvent::Tests(number) => {
                    self.reporter.own_tests(&executable.name, number);
                }
                OwnTestEvent::Finding(mut finding) => {
                    short.finding(&mut finding);
                    self.totals.findings += 1;
                    let emitted = self.emit.and_then(|directory| {
                        emit(&finding, executable, self.package, directory).unwrap_or_else(
                            |failure| {
                                *not_emitted = Some(failure);
                                None
                            },
                        )
                    });
                    self.reporter.event(&ProgressEvent::Finding {
                        finding,
                        emitted,
                        known: None,
                    });
                }
                OwnTestEvent::Done(result) => {
                    if let Some(result) = done(result) {
                        self.done(executable, result, short);
                    }
                }
                OwnTestEvent::Pairs { run, failed, left } => {
                    self.totals.add_pairs(run, failed, left);
                }
                OwnTestEvent::Note(note) => self.reporter.event(&ProgressEvent::Warning(note)),
            },
        );
        match explored {
            Err(CampaignError::Refused(why)) => Err(Failure::new(ExitCode::Usage, why)),
            other => Ok(other?),
        }
    }

    /// Counts and shows a result.
    fn done(&mut self, executable: &TestExecutable, mut result: OwnResult, short: &ShortLocations) {
        result.why = short.text(&result.why);
        self.totals.add(&result);
        self.reporter.own_test(&executable.name, &result);
    }
}

/// True if it passed, and its time or all of these executions were over before it was at its end.
fn is_cut(result: &OwnResult, executions: u64) -> bool {
    let gaps = &result.gaps;
    let over = [Cut::Time, Cut::Executions(executions)].map(Gap::Cut);
    result.verdict == OwnVerdict::Ok && over.iter().any(|it| gaps.contains(it))
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
