//! One package of a run: its stages up to the summary, so that several can share a run.

use contest_data::finding::{Finding, Level};
use contest_data::protocol::VERSION;
use contest_data::totals::SubjectTotals;

use super::continued;
use super::explore::{self, EmittedFinding, Explored};
use super::failure::Failure;
use super::prepare::{self, Prepared};
use super::reach::Reach;
use super::steer::{self, Steering};
use super::{arguments, catalog_filter, first_run, since, tested_code};
use crate::cli::args::{CommonArgs, RunArgs};
use crate::cli::options::{EmitInto, RunOptions};
use crate::cli::settings;
use crate::state::State;
use contest_build::workspace::selection::Package;
use contest_catalog::progress_event::ProgressEvent;
use contest_catalog::run_budget::RunBudget;
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::SubjectCatalog;
use contest_drive::campaign::Interrupt;
use contest_drive::harness::kept_driver::KeptDriver;
use contest_report::Reporter;
use contest_report::causes::Causes;
use contest_report::run_summary::RunSummary;

/// A package whose interface has been read.
pub(super) struct Discovered {
    common: CommonArgs,
    package: Package,
    pub(super) options: RunOptions,
    state: Option<State>,
    pub(super) catalog: SubjectCatalog,
}

/// A package that can be explored.
pub(super) struct Member {
    common: CommonArgs,
    pub(super) options: RunOptions,
    state: Option<State>,
    pub(super) prepared: Prepared,
    /// Numbers of the types to test.
    pub(super) selected: Vec<u16>,
    /// Types that are not tested for they run the same code as at the revision of `--since`.
    pub(super) unchanged: Vec<String>,
    /// Types for which there is no time.
    not_reached: Vec<String>,
    steering: Steering,
}

impl Discovered {
    /// Settings, state and interface. With `among_others`, the state has a directory of the package's own.
    pub(super) fn read(
        common: CommonArgs,
        package: Package,
        arguments: RunArgs,
        among_others: bool,
        reporter: &mut Reporter,
    ) -> Result<Self, Failure> {
        let settings = settings::read(&package.metadata, &package.workspace_metadata)?;
        let mut options = RunOptions::new(arguments, settings)?;
        if among_others {
            options.state = options.state.map(|it| it.join(&package.name));
        }
        let state = continued::open(&options, &package.name)?;
        let (package, catalog) = tested_code::discover(package, &common, reporter)?;
        if package.internal.is_some() {
            // They would not compile outside of the crate.
            options.emit = EmitInto::Nowhere;
        }
        Ok(Self {
            common,
            package,
            options,
            state,
            catalog,
        })
    }

    /// `alpha 0.1.0`.
    pub(super) fn name(&self) -> String {
        self.package.name_and_version()
    }

    /// How many types are selected.
    pub(super) fn types(&self) -> usize {
        catalog_filter::selected(&self.catalog, &self.options.types).len()
    }

    /// Builds the driver of the selected types, beside the analysis: of those that the run can reach, if that is given.
    pub(super) fn build(
        self,
        among_others: bool,
        reach: Option<Reach>,
        reporter: &mut Reporter,
    ) -> Result<Member, Failure> {
        let Self {
            common,
            package,
            options,
            state,
            catalog,
        } = self;
        catalog_filter::check(&catalog, &options.types)?;
        let patience = options.settings.patience();
        let mut reading = steer::begin(arguments::source_package(&package, &common)?, patience);
        reading.group(&package, &options.atomic_sets)?;
        let known: Vec<Skipped> = catalog.left_out().collect();
        let selected = catalog_filter::part(catalog, &options.types);
        let (meant, all) = (selected.others.len(), selected.catalog.subjects.len());
        let part = match reach {
            // Which types have changed is seen when the driver is built.
            Some(reach) if options.since.is_none() => {
                reach.part(selected, options.settings.seed, state.as_ref())
            }
            _ => selected,
        };
        let not_reached = part.others[meant..].to_vec();
        if let Some(reach) = reach.filter(|_| !not_reached.is_empty()) {
            let warning = reach.warning(&not_reached, all);
            reporter.event(&ProgressEvent::Warning(warning));
        }
        let mut prepared = prepare::build(package, part, &common, reporter)?;
        prepared.among_others = among_others;
        let selected = catalog_filter::select(&prepared.driver.catalog, &options.types)?;
        explore::announce(&prepared.driver.catalog, &selected, reporter);
        reporter.refused(&refused(&prepared.driver.catalog, &known, &options.types));
        let steering = reading.steer(&prepared.driver.catalog, &selected, &options);
        let (selected, unchanged) = match &options.since {
            Some(revision) => since::changed(
                revision,
                prepared.package(),
                &common,
                &prepared.driver.catalog,
                selected,
                &steering,
                reporter,
            )?,
            None => (selected, Vec::new()),
        };
        Ok(Member {
            common,
            options,
            state,
            prepared,
            selected,
            unchanged,
            not_reached,
            steering,
        })
    }
}

/// What the compiler refused, beside what was `known` to be left out; with a filter, that of the types it names.
fn refused(catalog: &SubjectCatalog, known: &[Skipped], types: &[String]) -> Vec<Skipped> {
    let is_meant =
        |it: &Skipped| types.is_empty() || types.iter().any(|name| it.item.contains(name.as_str()));
    let left_out = catalog.left_out();
    left_out
        .filter(|it| is_meant(it) && !known.contains(it))
        .collect()
}

impl Member {
    /// What a campaign needs beside the driver, where it runs without this tool's other stages.
    pub(super) fn kept(&self, parts: u32) -> KeptDriver {
        KeptDriver {
            protocol: VERSION,
            package: self.prepared.name(),
            base: self.prepared.base(),
            directory: self.prepared.package_directory(),
            is_partly_seen: !self.prepared.driver.uninstrumented.is_empty(),
            catalog: self.prepared.driver.catalog.clone(),
            selected: self.selected.clone(),
            settings: explore::settings(
                &self.prepared,
                &self.options,
                &self.selected,
                &self.steering,
            ),
            parts,
        }
    }

    /// Explores the types within this budget.
    pub(super) fn explore(
        self,
        budget: RunBudget,
        reporter: &mut Reporter,
        interrupt: &Interrupt,
    ) -> Result<(RunSummary, Vec<EmittedFinding>), Failure> {
        let Self {
            common,
            mut options,
            state,
            prepared,
            selected,
            unchanged,
            mut not_reached,
            mut steering,
        } = self;
        options.settings.budget = budget.time();
        options.settings.steps = budget.steps();
        prepared.locate(reporter);
        let mut recorder =
            state.map(|state| continued::begin(state, &prepared, &options, &selected, &steering));
        let mut findings = match &mut recorder {
            Some(recorder) => continued::replay_known(
                recorder, &prepared, &options, &selected, reporter, interrupt,
            )?,
            None => Vec::new(),
        };
        let Explored {
            mut outcome,
            findings: new,
            growth,
        } = explore::explore(
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
            first_run::of_emitted_tests(&prepared, &findings, &common, reporter);
        }
        not_reached.extend(without_tests(&outcome.totals));
        let in_baseline = reporter.in_baseline(findings.iter().map(|(it, _)| it));
        let is_warning = |it: &Finding| it.level == Level::Warning;
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
            // Those of all packages of a run are found together.
            causes: Causes::default(),
            restarts: outcome.deaths,
            own_panics: outcome.own_panics,
            lost: outcome.skipped,
            elapsed: outcome.elapsed,
            growth: vec![(prepared.name(), growth)],
            state,
            unchanged,
            not_reached,
            members_not_tested: Vec::new(),
            warnings: findings.iter().filter(|(it, _)| is_warning(it)).count(),
            in_baseline: in_baseline.len(),
            warnings_in_baseline: in_baseline.iter().filter(|it| is_warning(it)).count(),
            interrupted: interrupt.is_set(),
        };
        Ok((summary, findings))
    }
}

/// Types of which pairs of calls are left to run, and no test was run.
fn without_tests(totals: &[SubjectTotals]) -> impl Iterator<Item = String> {
    let waits = |it: &&SubjectTotals| {
        it.tests == 0 && it.left_out.is_empty() && it.pairs.1 > it.pairs_pruned
    };
    totals.iter().filter(waits).map(|it| it.name.clone())
}

fn left_out(catalog: &SubjectCatalog, selected: &[u16]) -> usize {
    selected
        .iter()
        .filter_map(|number| catalog.subjects.get(usize::from(*number)))
        .map(|subject| subject.left_out.len())
        .sum()
}
