//! `cargo contest try SCENARIO`: the calls that the user has typed, under every interleaving; all outcomes.

use std::path::Path;
use std::time::Duration;

use contest_data::finding::Finding;
use contest_data::orderings::OrderingSettings;
use contest_data::scenario::Scenario;
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

use super::failure::Failure;
use super::finish::Finisher;
use super::prepare::{self, Prepared};
use super::resolved_features;
use super::tested_code;
use crate::cli::args::{CommonArgs, TryArgs};
use crate::cli::exit_code::ExitCode;
use crate::cli::options;
use crate::emit;
use contest_build::workspace::selection::Package;
use contest_catalog::part::Part;
use contest_catalog::progress_event::ProgressEvent;
use contest_discover::scenario::ScenarioText;
use contest_drive::campaign::{Interrupt, ScenarioEnd, explore_scenario};
use contest_report::Reporter;

/// Most executions.
const EXECUTIONS: u64 = 1_000_000;
const BUDGET: Duration = Duration::from_secs(20);

pub(super) fn try_scenario(
    common: &CommonArgs,
    arguments: &TryArgs,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    let text = read(&arguments.scenario)?;
    let strategy = options::strategy(arguments.strategy.clone())?;
    let memory_model = options::one_memory_model(arguments.memory_model.clone())?;
    let (text, prepared) = prepare(text, common, reporter)?;
    prepared.locate(reporter);
    let budget = arguments.budget.unwrap_or(BUDGET);
    let scenario = Scenario {
        test: test(&text),
        budget_ms: u64::try_from(budget.as_millis()).unwrap_or(u64::MAX),
        executions: EXECUTIONS,
        seed: arguments.seed.unwrap_or(1),
        strategy,
        strict: arguments.strict,
        observe: false,
        memory_model,
        orderings: OrderingSettings::default(),
    };
    let (findings, report) = match explore_scenario(&prepared.driver, scenario, interrupt)? {
        ScenarioEnd::Explored(findings, report) => (findings, report),
        ScenarioEnd::Interrupted => return Err(Failure::interrupted()),
        ScenarioEnd::Died(context) => {
            let text = prepared.short_locations().text(&context.to_string());
            reporter.replay_died(&text);
            return Ok(ExitCode::Findings);
        }
    };
    let found = findings.len();
    for mut finding in findings {
        Finisher::of(&prepared).finish(&mut finding);
        let emitted = match &arguments.emit {
            Some(directory) => Some(emitted(&prepared, &text, &finding, directory)?),
            None => None,
        };
        reporter.event(&ProgressEvent::Finding {
            finding: Box::new(finding),
            emitted,
            known: None,
        });
    }
    reporter.scenario(&text.lanes, &report, found);
    let any_bug = found > 0 || report.outcomes.iter().any(|it| it.is_bug);
    Ok(if any_bug {
        ExitCode::Findings
    } else if report.executions == 0 {
        ExitCode::NothingToTest
    } else {
        ExitCode::Clean
    })
}

/// Writes the test of a finding, and says where it is, as seen from the working directory.
fn emitted(
    prepared: &Prepared,
    text: &ScenarioText,
    finding: &Finding,
    directory: &Path,
) -> Result<String, Failure> {
    let library = &prepared.package().library;
    let directory = prepared.package_directory().join(directory);
    let path = emit::emit_scenario(
        finding,
        text,
        &prepared.driver.catalog.support_items,
        library,
        &prepared.name(),
        &directory,
    )?;
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(&here).unwrap_or(&path);
    Ok(path.display().to_string())
}

/// The scenario as typed.
///
/// # Errors
/// What is wrong with it.
fn read(text: &str) -> Result<ScenarioText, Failure> {
    ScenarioText::parse(text)
        .map_err(|why| Failure::new(ExitCode::Usage, format!("the scenario: {why}")))
}

/// A driver for the scenario of a token.
pub(super) fn prepare_again(
    text: &str,
    common: &CommonArgs,
    reporter: &mut Reporter,
) -> Result<Prepared, Failure> {
    let (_, prepared) = prepare(read(text)?, common, reporter)?;
    Ok(prepared)
}

/// The driver for a scenario, and the scenario with what is in its scope.
fn prepare(
    text: ScenarioText,
    common: &CommonArgs,
    reporter: &mut Reporter,
) -> Result<(ScenarioText, Prepared), Failure> {
    let package = prepare::select(common)?;
    let (common, package) = &resolved_features::as_typed(common, common, package);
    let package = package.clone();
    let tested = tested_code::sources(&package, common, reporter)?;
    let is_public = tested.internal.is_none();
    let mut built = build(&text, tested, common, reporter);
    if is_public
        && does_not_compile(&built)
        && let Some(internal) = tested_code::internal_instead(&package, common)?
        && let Ok(with_internal) = build(&text, internal, common, reporter)
    {
        built = Ok(with_internal);
    }
    let (text, built) = built.map_err(|failure| match failure.code {
        ExitCode::NothingToTest => Failure::new(
            ExitCode::Usage,
            format!("the scenario does not compile:\n{}", failure.message),
        ),
        _ => failure,
    })?;
    let left_out = &built.driver.catalog.skipped;
    if let Some(skipped) = left_out.first() {
        return Err(Failure::new(
            ExitCode::Usage,
            format!("the scenario does not compile: {}", skipped.why),
        ));
    }
    Ok((text, built))
}

fn does_not_compile<T>(built: &Result<T, Failure>) -> bool {
    matches!(built, Err(failure) if failure.code == ExitCode::NothingToTest)
}

/// The driver with this code of the package: with what the crate's root has in scope, and where that does not compile,
/// with what a list shows without its path.
fn build(
    text: &ScenarioText,
    package: Package,
    common: &CommonArgs,
    reporter: &mut Reporter,
) -> Result<(ScenarioText, Prepared), Failure> {
    let library = package.library.clone();
    let mut support = Vec::new();
    if text.names_stand_ins() {
        support = prepare::read_interface(&package, common, reporter)?.support_items;
    }
    let build = |text: &ScenarioText, reporter: &mut Reporter| {
        let mut catalog = text.catalog(&library);
        catalog.support_items.extend(support.clone());
        prepare::build(package.clone(), Part::typed(catalog), common, reporter)
    };
    let built = build(text, reporter);
    if does_not_compile(&built)
        && let Ok(interface) = prepare::read_interface(&package, common, reporter)
    {
        let with_scope = text
            .with_scope(&interface, &library)
            .map_err(|why| Failure::new(ExitCode::Usage, format!("the scenario: {why}")))?;
        if let Ok(built) = build(&with_scope, reporter) {
            return Ok((with_scope, built));
        }
    }
    Ok((text.clone(), built?))
}

/// One object, and a thread for each lane; calls are numbered through.
fn test(text: &ScenarioText) -> ConcurrentTest {
    let mut next = 0;
    let mut call = || {
        next += 1;
        TestCall {
            object: 0,
            operation: next - 1,
            choices: Vec::new(),
        }
    };
    ConcurrentTest {
        subject: 0,
        objects: vec![TestObject {
            constructor: 0,
            choices: Vec::new(),
        }],
        prefix: Vec::new(),
        threads: (text.lanes.iter())
            .map(|lane| lane.iter().map(|_| call()).collect())
            .collect(),
    }
}
