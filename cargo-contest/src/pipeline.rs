//! The main path. Read [`run`] from top to bottom: it calls the stages in order.

mod catalog_filter;
mod explore;
pub mod failure;
mod list;
mod prepare;
mod replay;
mod test;

use std::io::IsTerminal;

use contest::judge::Finding;

use crate::campaign::Interrupt;
use crate::cli::args::{ColorWhen, CommandArgs, CommandLine, CommonArgs, MessageFormat, RunArgs};
use crate::cli::exit_code::ExitCode;
use crate::cli::options::{EmitInto, Environment, RunOptions, UsageError};
use crate::cli::settings::{self, Settings};
use crate::discover::subject_catalog::SubjectCatalog;
use crate::emit;
use crate::progress_event::ProgressEvent;
use crate::report::run_summary::RunSummary;
use crate::report::{ReportOptions, Reporter, junit, sarif};
use crate::workspace::lock_file::LockFileGuard;
use failure::Failure;
use prepare::Prepared;

/// Does what the command line says; shows everything there is to show.
#[must_use]
pub fn execute(line: CommandLine, environment: &Environment) -> ExitCode {
    let mut reporter = Reporter::new(report_options(&line.common, environment));
    let interrupt = Interrupt::default();
    let done = interrupt_on_signal(&interrupt).and_then(|()| {
        let CommandLine {
            common,
            run: at_top,
            command,
        } = line;
        if command.is_some() && at_top != RunArgs::default() {
            return Err(UsageError::RunOptionsElsewhere.into());
        }
        let _lock_file = LockFileGuard::of(common.manifest_path.as_deref());
        match command {
            None => run(&common, at_top, &mut reporter, &interrupt),
            Some(CommandArgs::Run(arguments)) => {
                run(&common, *arguments, &mut reporter, &interrupt)
            }
            Some(CommandArgs::List { types }) => {
                list::list(&common, &types, &mut reporter, &interrupt)
            }
            Some(CommandArgs::Replay { what }) => {
                replay::replay(&common, &what, &mut reporter, &interrupt)
            }
            Some(CommandArgs::Test { dir, filters }) => {
                test::test(&common, dir.as_deref(), &filters, &mut reporter, &interrupt)
            }
            Some(CommandArgs::Analyze { .. }) => {
                Err(UsageError::NotAvailableYet("`analyze`".to_string()).into())
            }
            Some(CommandArgs::Init) => {
                Err(UsageError::NotAvailableYet("`init`".to_string()).into())
            }
        }
    });
    reporter.finish();
    match done {
        Ok(code) => code,
        Err(_) if interrupt.is_set() => {
            reporter.error("interrupted");
            ExitCode::Interrupted
        }
        Err(failure) => {
            reporter.error(&failure.message);
            failure.code
        }
    }
}

/// `cargo contest run`: generate, explore, report, emit.
fn run(
    common: &CommonArgs,
    arguments: RunArgs,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    // Once without the settings: a wrong argument is told before anything that takes long.
    RunOptions::new(arguments.clone(), Settings::default())?;
    let package = prepare::select(common)?;
    let settings = settings::read(&package.metadata, &package.workspace_metadata)?;
    let options = RunOptions::new(arguments, settings)?;

    let catalog = prepare::discover(&package, common, reporter)?;
    catalog_filter::check(&catalog, &options.types)?;
    let prepared = prepare::build(package, catalog, common, reporter)?;
    let selected = catalog_filter::selected(&prepared.driver.catalog, &options.types);
    explore::announce(&prepared.driver.catalog, &selected, reporter);

    let (outcome, findings) =
        explore::explore(&prepared, &options, &selected, reporter, interrupt)?;

    let summary = RunSummary {
        package: prepared.name(),
        subjects: outcome.totals,
        types_left_out: prepared.driver.catalog.skipped.len(),
        operations_left_out: left_out(&prepared.driver.catalog, &selected),
        instrumented: prepared.driver.instrumented,
        uninstrumented: prepared.driver.uninstrumented.clone(),
        alone: outcome.alone,
        findings: outcome.findings,
        restarts: outcome.deaths,
        lost: outcome.skipped,
        elapsed: outcome.elapsed,
        interrupted: interrupt.is_set(),
    };
    reporter.summary(&summary);
    if let Some(path) = &options.junit {
        junit::write(path, &summary, &findings, &reporter.again("replay"))?;
    }
    if let Some(path) = &options.sarif {
        sarif::write(path, &findings)?;
    }
    Ok(exit_code(&summary))
}

/// Findings first: what was found stays found, also after Ctrl-C.
fn exit_code(summary: &RunSummary) -> ExitCode {
    if summary.finding_count() > 0 {
        ExitCode::Findings
    } else if summary.interrupted {
        ExitCode::Interrupted
    } else if summary.vacuous().is_some() {
        ExitCode::NothingToTest
    } else {
        ExitCode::Clean
    }
}

fn left_out(catalog: &SubjectCatalog, selected: &[u16]) -> usize {
    selected
        .iter()
        .filter_map(|number| catalog.subjects.get(usize::from(*number)))
        .map(|subject| subject.left_out.len())
        .sum()
}

/// Writes the test of a finding, if it is to be written, and says where it is, as seen from the working directory.
fn emit_test(
    prepared: &Prepared,
    into: &EmitInto,
    finding: &Finding,
) -> Result<Option<String>, Failure> {
    let directory = match into {
        EmitInto::Nowhere => return Ok(None),
        EmitInto::TargetDirectory => prepared.emitted_directory(),
        EmitInto::Directory(directory) => prepared.package_directory().join(directory),
    };
    let catalog = &prepared.driver.catalog;
    let Some(subject) = catalog.subjects.get(usize::from(finding.test.subject)) else {
        return Ok(None);
    };
    let path = emit::emit(
        finding,
        subject,
        &catalog.support_items,
        &prepared.name(),
        &directory,
    )?;
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(&here).unwrap_or(&path);
    Ok(Some(path.display().to_string()))
}

fn report_options(common: &CommonArgs, environment: &Environment) -> ReportOptions {
    ReportOptions {
        json: common.message_format == MessageFormat::Json,
        color: match common.color {
            ColorWhen::Auto => None,
            ColorWhen::Always => Some(true),
            ColorWhen::Never => Some(false),
        },
        quiet: common.quiet,
        verbose: common.verbose,
        columns: environment.columns,
        again: again(common),
    }
}

/// How a user calls this tool for this package again, `{}` standing for the command.
fn again(common: &CommonArgs) -> String {
    let mut words = vec!["cargo contest {}".to_string()];
    if let Some(package) = &common.package {
        words.push(format!("-p {package}"));
    }
    if let Some(manifest) = &common.manifest_path {
        words.push(format!("--manifest-path {}", manifest.display()));
    }
    if let Some(directory) = &common.target_dir {
        words.push(format!("--target-dir {}", directory.display()));
    }
    if !common.features.is_empty() {
        words.push(format!("--features {}", common.features.join(",")));
    }
    for (set, flag) in [
        (common.all_features, "--all-features"),
        (common.no_default_features, "--no-default-features"),
    ] {
        if set {
            words.push(flag.to_string());
        }
    }
    words.join(" ")
}

/// The first Ctrl-C (or SIGTERM) asks for an orderly end, the second ends at once. Driver processes live in groups of their own and
/// are ended by the tool.
fn interrupt_on_signal(interrupt: &Interrupt) -> Result<(), Failure> {
    let interrupt = interrupt.clone();
    ctrlc::set_handler(move || {
        if interrupt.is_set() {
            std::process::exit(ExitCode::Interrupted as i32);
        }
        interrupt.set();
    })
    .map_err(|error| {
        Failure::new(
            ExitCode::ToolFailed,
            format!("cannot listen for Ctrl-C: {error}"),
        )
    })
}

/// True if diagnostics for people should have colours.
fn colored(common: &CommonArgs) -> bool {
    match common.color {
        ColorWhen::Auto => std::io::stderr().is_terminal(),
        ColorWhen::Always => true,
        ColorWhen::Never => false,
    }
}

/// One event for the reporter.
fn tell(reporter: &mut Reporter, event: ProgressEvent) {
    reporter.event(&event);
}
