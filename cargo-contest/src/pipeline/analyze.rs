//! `cargo contest analyze`: method summaries, how methods depend on each other, and what that leaves of the pairs.

use std::path::Path;

use super::catalog_filter;
use super::failure::Failure;
use super::prepare;
use crate::analyse::analyse;
use crate::analyse::dependency_graph::DependencyGraph;
use crate::campaign::Interrupt;
use crate::cli::args::CommonArgs;
use crate::cli::exit_code::ExitCode;
use crate::progress_event::ProgressEvent;
use crate::report::Reporter;
use crate::report::dependencies::AnalysisTotals;
use crate::report::dependency_drawing::{dot, svg};

/// How the drawing is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drawing {
    Dot,
    Svg,
}

pub(super) fn analyze(
    common: &CommonArgs,
    types: &[String],
    file: Option<&Path>,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    let drawing = file
        .map(|file| Ok::<_, Failure>((file, drawing(file)?)))
        .transpose()?;
    let package = prepare::select(common)?;
    let catalog = prepare::discover(&package, common, reporter)?;
    catalog_filter::check(&catalog, types)?;
    if interrupt.is_set() {
        return Err(Failure::interrupted());
    }
    reporter.event(&ProgressEvent::Step(format!(
        "compiling {} {} for its analysis",
        package.name, package.version
    )));
    let analysis = analyse(&prepare::source_package(&package, common)?).map_err(|error| {
        Failure::new(
            ExitCode::BuildFailed,
            format!("`{}`: {error}", package.name),
        )
    })?;

    let mut totals = AnalysisTotals {
        package: format!("{} {}", package.name, package.version),
        sources: (analysis.files, analysis.lines),
        elapsed_ms: u64::try_from(analysis.elapsed.as_millis()).unwrap_or(u64::MAX),
        left_out: analysis.skipped.clone(),
        ..AnalysisTotals::default()
    };
    let mut graphs: Vec<DependencyGraph> = Vec::new();
    for number in catalog_filter::selected(&catalog, types) {
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
    if let Some((file, drawing)) = drawing {
        let text = match drawing {
            Drawing::Dot => dot(&graphs),
            Drawing::Svg => svg(&graphs),
        };
        std::fs::write(file, text).map_err(|error| {
            Failure::new(
                ExitCode::Usage,
                format!("cannot write {}: {error}", file.display()),
            )
        })?;
    }
    Ok(ExitCode::Clean)
}

fn drawing(file: &Path) -> Result<Drawing, Failure> {
    match file.extension().and_then(|it| it.to_str()) {
        Some("dot" | "gv") => Ok(Drawing::Dot),
        Some("svg") => Ok(Drawing::Svg),
        _ => Err(Failure::new(
            ExitCode::Usage,
            format!(
                "--graph {}: name a file that ends with .dot or .svg",
                file.display()
            ),
        )),
    }
}
