//! `cargo contest analyze`: method summaries, how methods depend on each other, and which pairs remain.

use std::path::Path;

use tracing::info_span;

use super::catalog_filter;
use super::failure::Failure;
use super::members::{Interface, interfaces, packages};
use super::{arguments, members};
use crate::cli::args::CommonArgs;
use crate::cli::exit_code::ExitCode;
use contest_analyse::analyse;
use contest_catalog::dependency_graph::DependencyGraph;
use contest_catalog::progress_event::ProgressEvent;
use contest_drive::campaign::Interrupt;
use contest_report::Reporter;
use contest_report::dependencies::AnalysisTotals;
use contest_report::dependency_drawing::dot;

pub(super) fn analyze(
    common: &CommonArgs,
    types: &[String],
    file: Option<&Path>,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    file.map(check_drawing).transpose()?;
    let packages = packages(common, reporter)?;
    let several = packages.are_members();
    let options = packages.options.clone();
    let (interfaces, left_out) = interfaces(packages, types, reporter)?;
    let mut graphs: Vec<DependencyGraph> = Vec::new();
    for interface in &interfaces {
        if several {
            reporter.begin_member(&interface.name(), &options);
        }
        graphs.extend(of_package(interface, reporter, interrupt)?);
    }
    members::show_left_out(&left_out, reporter);
    if let Some(file) = file {
        std::fs::write(file, dot(&graphs)).map_err(|error| {
            Failure::new(
                ExitCode::Usage,
                format!("cannot write {}: {error}", file.display()),
            )
        })?;
    }
    Ok(ExitCode::Clean)
}

/// Shows the types of a package.
fn of_package(
    interface: &Interface,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<Vec<DependencyGraph>, Failure> {
    let Interface {
        common,
        package,
        catalog,
        types,
    } = interface;
    if interrupt.is_set() {
        return Err(Failure::interrupted());
    }
    reporter.event(&ProgressEvent::Step(format!(
        "compiling {} for its analysis",
        interface.name()
    )));
    let source = arguments::source_package(package, common)?;
    let analysis = info_span!("analyse")
        .in_scope(|| analyse(&source))
        .map_err(|error| {
            let why = format!("`{}`: {error}", package.name);
            Failure::new(ExitCode::BuildFailed, why)
        })?;

    let mut totals = AnalysisTotals {
        package: interface.name(),
        sources: (analysis.files, analysis.lines),
        elapsed_ms: u64::try_from(analysis.elapsed.as_millis()).unwrap_or(u64::MAX),
        left_out: analysis.skipped.clone(),
        ..AnalysisTotals::default()
    };
    let mut graphs = Vec::new();
    for number in catalog_filter::selected(catalog, types) {
        let Some(subject) = catalog.subjects.get(usize::from(number)) else {
            continue;
        };
        let graph = analysis.subject(subject);
        reporter.dependencies(&graph, &subject.declared);
        totals.types += 1;
        totals.operations += graph.methods.len();
        totals.exact += graph.methods.iter().filter(|it| it.is_exact()).count();
        totals.pairs += graph.pairs.len();
        totals.dependent += graph.dependent();
        totals.kept += graph.kept();
        graphs.push(graph);
    }
    reporter.analysis_totals(&totals);
    Ok(graphs)
}

/// A name with the extension of another format is refused before anything is built.
fn check_drawing(file: &Path) -> Result<(), Failure> {
    match file.extension().and_then(|it| it.to_str()) {
        Some("dot" | "gv") => Ok(()),
        _ => Err(Failure::new(
            ExitCode::Usage,
            format!(
                "--graph {}: name a file that ends with .dot or .gv; `dot -Tsvg` draws it",
                file.display()
            ),
        )),
    }
}
