//! Dispatches the command; decides how results are shown and what an interrupt does.

use std::path::Path;
use std::time::Duration;

use super::failure::Failure;
use super::run::run;
use super::{
    analyze, cache, cargo_check, ci, confirm, debug, init, list, members, nextest, orderings,
    reference, replay, scenario, setup, test,
};
use crate::cli::args::{ColorWhen, CommandArgs, CommandLine, CommonArgs, MessageFormat, RunArgs};
use crate::cli::exit_code::ExitCode;
use crate::cli::log::{self, LogFilter};
use crate::cli::options::{Environment, UNTIL_INPUT_ENDS, UsageError};
use crate::mcp;
use contest_build::workspace::child_process::end_process_group;
use contest_build::workspace::lock_file::LockFileGuard;
use contest_drive::campaign::Interrupt;
use contest_report::{Format, ReportOptions, Reporter};

/// What an orderly end takes at most.
const TO_END: Duration = Duration::from_secs(2);

/// Runs the command and reports its result.
#[must_use]
pub fn execute(line: CommandLine, environment: &Environment) -> ExitCode {
    let reports_findings = reports_findings(line.command.as_ref());
    let log_started = start_log(&line.common);
    let mut options = report_options(&line.common, environment);
    options.output_is_taken =
        matches!(&line.command, Some(CommandArgs::Debug(arguments)) if arguments.dap);
    let mut reporter = Reporter::new(options);
    let interrupt = Interrupt::default();
    let done = log_started
        .and_then(|()| interrupt_on_signal(&interrupt))
        .inspect(|()| end_with_input(&interrupt))
        .and_then(|()| {
            let CommandLine {
                common,
                run: at_top,
                command,
            } = line;
            if command.is_some() && at_top != RunArgs::default() {
                return Err(UsageError::RunOptionsElsewhere.into());
            }
            if let Some(name) = command.as_ref().and_then(of_one_package) {
                members::refuse(&common, name)?;
            }
            if matches!(command, Some(CommandArgs::Mcp)) {
                return serve(&interrupt);
            }
            let _lock_file = LockFileGuard::of(common.manifest_path.as_deref());
            let format = common.message_format;
            if format == Some(MessageFormat::CargoJson) && compiles(command.as_ref()) {
                cargo_check::of_same_selection(&common, &mut reporter)?;
            }
            match command {
                None => run(&common, at_top, &mut reporter, &interrupt),
                Some(CommandArgs::Run(arguments)) => {
                    run(&common, *arguments, &mut reporter, &interrupt)
                }
                Some(CommandArgs::List { types }) => list::list(&common, &types, &mut reporter),
                Some(CommandArgs::Replay { what }) => {
                    replay::replay(&common, &what, &mut reporter, &interrupt)
                }
                Some(CommandArgs::Confirm { what, budget }) => {
                    confirm::confirm(&common, &what, budget, &mut reporter, &interrupt)
                }
                Some(CommandArgs::Debug(arguments)) => {
                    debug::debug(&common, &arguments, &mut reporter, &interrupt)
                }
                Some(CommandArgs::Test(arguments)) => {
                    test::test(&common, &arguments, &mut reporter, &interrupt)
                }
                Some(CommandArgs::Nextest(arguments)) => {
                    nextest::nextest(&common, &arguments, &mut reporter)
                }
                Some(CommandArgs::Merge { parts }) => reference::merge(&parts, &mut reporter),
                Some(CommandArgs::Try(arguments)) => {
                    scenario::try_scenario(&common, &arguments, &mut reporter, &interrupt)
                }
                Some(CommandArgs::Analyze { types, graph }) => {
                    analyze::analyze(&common, &types, graph.as_deref(), &mut reporter, &interrupt)
                }
                Some(CommandArgs::Orderings(arguments)) => {
                    orderings::orderings(&common, &arguments, &mut reporter, &interrupt)
                }
                Some(CommandArgs::Init(arguments)) => {
                    init::init(&common, &arguments, &mut reporter)
                }
                Some(CommandArgs::Ci(arguments)) => ci::ci(&common, &arguments, &mut reporter),
                Some(CommandArgs::Cache { clean }) => cache::cache(&common, clean),
                Some(CommandArgs::Setup) => setup::setup(&common, &mut reporter),
                Some(CommandArgs::Explain { kind }) => Ok(reference::explain(kind, &mut reporter)),
                Some(CommandArgs::Diff { old, new }) => {
                    reference::difference(&old, &new, &mut reporter)
                }
                Some(CommandArgs::Skill) => reference::skill(),
                // Served above: a session may outlive many lock files.
                Some(CommandArgs::Mcp) => Ok(ExitCode::Clean),
                Some(CommandArgs::Completions { shell }) => reference::completions(shell),
                Some(CommandArgs::Man) => reference::manual(),
            }
        });
    reporter.finish();
    if reports_findings {
        reporter.build_finished(matches!(done, Ok(ExitCode::Clean)));
    }
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

/// The name of a command for which several members of a workspace mean nothing.
fn of_one_package(command: &CommandArgs) -> Option<&'static str> {
    Some(match command {
        CommandArgs::Try(_) => "try",
        CommandArgs::Init(_) => "init",
        _ => return None,
    })
}

fn serve(interrupt: &Interrupt) -> Result<ExitCode, Failure> {
    match mcp::serve(interrupt) {
        Ok(()) => Ok(ExitCode::Clean),
        Err(error) => {
            let text = format!("cannot read standard input: {error}");
            Err(Failure::new(ExitCode::ToolFailed, text))
        }
    }
}

/// True for a command whose result is a list of findings.
fn reports_findings(command: Option<&CommandArgs>) -> bool {
    use CommandArgs::{Orderings, Replay, Run, Test, Try};
    matches!(
        command,
        None | Some(Run(_) | Test(_) | Try(_) | Orderings(_) | Replay { .. })
    )
}

/// True for a command that an editor runs in place of `cargo check`.
fn compiles(command: Option<&CommandArgs>) -> bool {
    matches!(
        command,
        None | Some(CommandArgs::Run(_) | CommandArgs::Test(_))
    )
}

fn start_log(common: &CommonArgs) -> Result<(), Failure> {
    let file = common.log_file.as_deref();
    let filter = match (&common.log, file) {
        (Some(filter), _) => filter.clone(),
        (None, Some(_)) => LogFilter::default(),
        (None, None) => return Ok(()),
    };
    log::start(filter, file).map_err(|error| {
        let file = file.unwrap_or(Path::new("standard error"));
        let message = format!("--log-file {}: {error}", file.display());
        Failure::new(ExitCode::Usage, message)
    })
}

fn report_options(common: &CommonArgs, environment: &Environment) -> ReportOptions {
    let format = format(common, environment);
    let for_agent = format == Format::Agent;
    ReportOptions {
        format,
        output_is_taken: false,
        github: environment.github.clone(),
        cargo_home: environment.cargo_home.clone(),
        color: match common.color {
            _ if for_agent => Some(false),
            ColorWhen::Auto => None,
            ColorWhen::Always => Some(true),
            ColorWhen::Never => Some(false),
        },
        quiet: common.quiet || for_agent,
        verbose: common.verbose,
        // It would garble the lines of a log.
        progress: !common.quiet
            && !for_agent
            && (common.log.is_none() || common.log_file.is_some()),
        columns: environment.columns,
        again: again(common),
    }
}

/// The format that was chosen, or the one for who runs this.
fn format(common: &CommonArgs, environment: &Environment) -> Format {
    // Whoever wants to see more than usual reads the usual text.
    let by_itself = match environment.agent {
        Some(_) if !common.verbose => Format::Agent,
        _ => Format::Human,
    };
    common.message_format.map_or(by_itself, Into::into)
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
        (common.internal, "--internal"),
        (common.public, "--public"),
        (common.behind_lock, "--behind-lock"),
    ] {
        if set {
            words.push(flag.to_string());
        }
    }
    words.join(" ")
}

/// Ends when standard input does, if that is wanted: whoever started this process may have been killed.
fn end_with_input(interrupt: &Interrupt) {
    if std::env::var_os(UNTIL_INPUT_ENDS).is_none() {
        return;
    }
    let interrupt = interrupt.clone();
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        interrupt.set();
        std::thread::sleep(TO_END);
        end_process_group();
    });
}

/// The first Ctrl-C (or SIGTERM) requests an orderly end, the second ends at once. Driver processes are in process
/// groups of their own and are killed by the tool.
fn interrupt_on_signal(interrupt: &Interrupt) -> Result<(), Failure> {
    let interrupt = interrupt.clone();
    ctrlc::set_handler(move || {
        if interrupt.is_left_alone() {
            return;
        }
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
