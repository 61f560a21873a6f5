//! The main path. Read [`run`] from top to bottom: it calls the stages in order.

use super::failure::Failure;
use super::{
    catalog_filter, continued, explore, first_run, prepare, report_files, since, steer, under_loom,
};
use crate::campaign::Interrupt;
use crate::cli::args::{CommonArgs, RunArgs};
use crate::cli::exit_code::ExitCode;
use crate::cli::options::RunOptions;
use crate::cli::settings::{self, ManifestSettings};
use crate::discover::reasons::reasons;
use crate::discover::subject_catalog::SubjectCatalog;
use crate::report::Reporter;
use crate::report::causes::Causes;
use crate::report::results::Results;
use crate::report::run_summary::RunSummary;

/// `cargo contest run`: generate, explore, report, emit.
pub(super) fn run(
    common: &CommonArgs,
    arguments: RunArgs,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    if under_loom::is_requested(&arguments) {
        return under_loom::run(common, &arguments, reporter);
    }
    // Once without the settings: a wrong argument is reported before any slow step.
    RunOptions::new(arguments.clone(), ManifestSettings::default())?;
    let package = prepare::select(common)?;
    let settings = settings::read(&package.metadata, &package.workspace_metadata)?;
    let options = RunOptions::new(arguments, settings)?;
    let baseline = (options.baseline.as_deref())
        .map(Results::read)
        .transpose()?;
    report_files::check(&options)?;
    let state = continued::open(&options, &package.name)?;

    let catalog = prepare::discover(&package, common, reporter)?;
    catalog_filter::check(&catalog, &options.types)?;
    let mut reading = steer::begin(prepare::source_package(&package, common)?);
    reading.group(&package, &options.atomic_sets)?;
    let prepared = prepare::build(package, catalog, common, reporter)?;
    prepared.locate(reporter);
    let selected = catalog_filter::select(&prepared.driver.catalog, &options.types)?;
    explore::announce(&prepared.driver.catalog, &selected, reporter);

    let mut steering = reading.steer(&prepared.driver.catalog, &selected, &options);
    let (selected, unchanged) = match &options.since {
        Some(revision) => since::changed(
            revision,
            prepared.package(),
            common,
            &prepared.driver.catalog,
            selected,
            &steering,
            reporter,
        )?,
        None => (selected, Vec::new()),
    };
    if selected.is_empty() && !unchanged.is_empty() {
        reporter.nothing_changed(&unchanged);
        return Ok(ExitCode::Clean);
    }
    let mut recorder =
        state.map(|state| continued::begin(state, &prepared, &options, &selected, &steering));
    reporter.compare_with(baseline.map_or_else(Vec::new, |baseline| baseline.findings));
    let mut findings = match &mut recorder {
        Some(recorder) => continued::replay_known(
            recorder, &prepared, &options, &selected, reporter, interrupt,
        )?,
        None => Vec::new(),
    };
    let (mut outcome, new) = explore::explore(
        &prepared,
        &options,
        &selected,
        &steering,
        recorder.as_mut(),
        reporter,
        interrupt,
    )?;
    for (finding, _) in &findings {
        *outcome.findings.entry(finding.kind).or_default() += 1;
    }
    findings.extend(new);
    let state = recorder.map(|recorder| {
        let (state, totals) = recorder.finish(&outcome.totals, outcome.elapsed);
        outcome.totals = totals;
        state
    });

    if options.settings.behaviour {
        steering.check(&prepared, &outcome.totals);
    }
    if !interrupt.is_set() {
        first_run::of_emitted_tests(&prepared, &findings, common, reporter);
    }

    let summary = RunSummary {
        package: prepared.name(),
        subjects: outcome.totals,
        types_left_out: prepared.driver.catalog.skipped.len(),
        operations_left_out: left_out(&prepared.driver.catalog, &selected),
        instrumented: prepared.driver.instrumented,
        uninstrumented: prepared.driver.uninstrumented.clone(),
        analysed: steering.analysed,
        alone: outcome.alone,
        findings: outcome.findings,
        causes: Causes::of_all(findings.iter().map(|(finding, _)| finding)),
        restarts: outcome.deaths,
        lost: outcome.skipped,
        elapsed: outcome.elapsed,
        state,
        unchanged,
        in_baseline: reporter.in_baseline(&findings),
        interrupted: interrupt.is_set(),
    };
    reporter.summary(&summary);
    reporter.step_summary(&summary, &findings)?;
    let left_out = reasons(&prepared.driver.catalog);
    report_files::write(&options, &summary, &findings, &left_out, reporter)?;
    Ok(exit_code(&summary))
}

/// Findings take precedence, also after Ctrl-C. A wrong analysis is a bug of this tool whatever was found.
fn exit_code(summary: &RunSummary) -> ExitCode {
    let checked = summary.analysed.checked.as_ref();
    if checked.is_some_and(|checked| !checked.wrong.is_empty()) {
        ExitCode::ToolFailed
    } else if summary.finding_count() > summary.in_baseline {
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
