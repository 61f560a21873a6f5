//! The main path. Read [`run`] from top to bottom: it calls the stages in order.

use std::time::Duration;

use serde_json::Value;

use super::earlier_results::earlier_results;
use super::failure::Failure;
use super::member::{Discovered, Member};
use super::members::{Packages, packages, with_types};
use super::reach::Reach;
use super::{report_files, under_loom};
use crate::cli::args::{CommonArgs, RunArgs};
use crate::cli::exit_code::ExitCode;
use crate::cli::options::{RunOptions, UsageError};
use crate::cli::settings::{self, ManifestSettings};
use contest_catalog::reasons::reasons;
use contest_catalog::run_budget::RunBudget;
use contest_catalog::skipped::Skipped;
use contest_drive::campaign::Interrupt;
use contest_report::Reporter;
use contest_report::causes::Causes;
use contest_report::run_summary::RunSummary;

/// `cargo contest run`: generate, explore, report, emit.
pub(super) fn run(
    common: &CommonArgs,
    arguments: RunArgs,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    if under_loom::is_requested(&arguments) {
        if common.members.workspace {
            return Err(UsageError::WorkspaceUnderLoom.into());
        }
        return under_loom::run(common, &arguments, reporter);
    }
    if common.internal && arguments.emit.is_some() {
        return Err(UsageError::InternalTests.into());
    }
    // Once without the settings: a wrong argument is reported before any slow step.
    let plain = RunOptions::new(arguments.clone(), ManifestSettings::default())?;
    let packages = packages(common, reporter)?;
    let baseline = (plain.baseline.as_deref())
        .map(earlier_results)
        .transpose()?;
    report_files::check(&plain)?;
    reporter.compare_with(baseline.map_or_else(Vec::new, |baseline| baseline.findings));

    let budget = budget_of_all(&packages, &arguments)?;
    let several = packages.are_members();
    let members_options = packages.options.clone();
    let (discovered, mut not_tested) = discover(packages, &arguments, reporter)?;
    let mut members = Vec::new();
    let types = discovered.iter().map(Discovered::types).sum();
    let reach = Reach::new(budget, types);
    for package in discovered {
        reporter.begin_package(&package.name());
        let name = package.name();
        match package.build(several, Some(reach), reporter) {
            Ok(member) => members.push(member),
            Err(failure) if several && failure.code == ExitCode::NothingToTest => {
                not_tested.push(Skipped::new(name, failure.message));
            }
            Err(failure) => return Err(failure),
        }
    }

    let unchanged: Vec<String> = (members.iter())
        .flat_map(|it| it.unchanged.clone())
        .collect();
    if members.iter().all(|it| it.selected.is_empty()) && !unchanged.is_empty() {
        reporter.nothing_changed(&unchanged);
        return Ok(ExitCode::Clean);
    }
    let mut summaries: Vec<RunSummary> = Vec::new();
    let (mut findings, mut left_out) = (Vec::new(), Vec::new());
    let mut left = Shares::new(budget, &members);
    for member in members {
        let name = member.prepared.name();
        if several {
            reporter.begin_member(&name, &members_options);
        }
        let found = summaries.iter().any(|it| it.finding_count() > it.warnings);
        if interrupt.is_set() || found && member.options.settings.fail_fast {
            let why = if found { "--fail-fast" } else { "interrupted" };
            not_tested.push(Skipped::new(name, why));
            continue;
        }
        let share = left.next(&member);
        left_out.extend(reasons(&member.prepared.driver.catalog));
        let (summary, new) = member.explore(share, reporter, interrupt)?;
        left.spent(summary.elapsed);
        summaries.push(summary);
        findings.extend(new);
    }

    let mut summary = match <[RunSummary; 1]>::try_from(summaries) {
        Ok([only]) if !several => only,
        Ok(only) => RunSummary::joined(only.into(), not_tested),
        Err(all) => RunSummary::joined(all, not_tested),
    };
    summary.causes = Causes::of_all(findings.iter().map(|(finding, _)| finding));
    reporter.summary(&summary);
    let step_summary = reporter.step_summary(&summary, &findings);
    let files = report_files::write(&plain, &summary, &findings, &left_out, reporter);
    let code = exit_code(&summary);
    let failures = [step_summary.map_err(Failure::from), files];
    for failure in failures.into_iter().filter_map(Result::err) {
        // Findings take precedence: what a report lacks is said, and they are on the screen.
        if code != ExitCode::Findings {
            return Err(failure);
        }
        reporter.error(&failure.message);
    }
    Ok(code)
}

/// The interfaces of the packages, and the members of which nothing can be tested. Each filter of types has to select
/// something in one of them.
fn discover(
    packages: Packages,
    arguments: &RunArgs,
    reporter: &mut Reporter,
) -> Result<(Vec<Discovered>, Vec<Skipped>), Failure> {
    let several = packages.are_members();
    let mut not_tested = packages.left_out;
    let mut all = Vec::new();
    for (common, package) in packages.selected {
        reporter.begin_package(&package.name_and_version());
        all.push(Discovered::read(
            common,
            package,
            arguments.clone(),
            several,
            reporter,
        )?);
    }
    if !several {
        return Ok((all, not_tested));
    }
    let (kept, without_types) =
        with_types(all, &arguments.types, |it| &it.catalog, Discovered::name)?;
    not_tested.extend(without_types);
    let mut discovered = Vec::new();
    for (mut package, types) in kept {
        package.options.types = types;
        discovered.push(package);
    }
    Ok((discovered, not_tested))
}

/// What all packages together may cost: of several, what the arguments or the workspace say.
fn budget_of_all(packages: &Packages, arguments: &RunArgs) -> Result<RunBudget, Failure> {
    let Some((_, package)) = packages.selected.first() else {
        return Ok(RunBudget::Time(Duration::ZERO));
    };
    let own = if packages.are_members() {
        &Value::Null
    } else {
        &package.metadata
    };
    let settings = settings::read(own, &package.workspace_metadata)?;
    Ok(RunOptions::new(arguments.clone(), settings)?.budget())
}

/// Divides the budget among packages by their numbers of types. Of time, what one does not use, later ones have.
struct Shares {
    all: RunBudget,
    /// Of the time.
    left: Duration,
    all_types: u32,
    types_left: u32,
}

impl Shares {
    fn new(all: RunBudget, members: &[Member]) -> Self {
        let all_types = members.iter().map(types).sum();
        Self {
            all,
            left: all.time(),
            all_types,
            types_left: all_types,
        }
    }

    /// The budget of the next package; one whose predecessors took too long has at least half of its share.
    fn next(&mut self, member: &Member) -> RunBudget {
        let types = types(member);
        let time = match self.all {
            RunBudget::Time(time) => time,
            RunBudget::Steps(steps) => {
                let share =
                    u128::from(steps) * u128::from(types) / u128::from(self.all_types.max(1));
                return RunBudget::Steps(u64::try_from(share).unwrap_or(u64::MAX));
            }
        };
        let share = self.left * types / self.types_left.max(1);
        let least = time * types / self.all_types.max(1) / 2;
        self.types_left = self.types_left.saturating_sub(types);
        RunBudget::Time(share.max(least))
    }

    fn spent(&mut self, time: Duration) {
        self.left = self.left.saturating_sub(time);
    }
}

fn types(member: &Member) -> u32 {
    u32::try_from(member.selected.len()).unwrap_or(u32::MAX)
}

/// Findings take precedence, also after Ctrl-C. A wrong analysis is a bug of this tool whatever was found.
fn exit_code(summary: &RunSummary) -> ExitCode {
    let checked = summary.analysed.checked.as_ref();
    if checked.is_some_and(|checked| !checked.wrong.is_empty()) {
        ExitCode::ToolFailed
    } else if summary.failing() > 0 {
        ExitCode::Findings
    } else if summary.interrupted {
        ExitCode::Interrupted
    } else if summary.vacuous().is_some() && summary.own_panics > 0 {
        ExitCode::ToolFailed
    } else if summary.vacuous().is_some() {
        ExitCode::NothingToTest
    } else {
        ExitCode::Clean
    }
}
