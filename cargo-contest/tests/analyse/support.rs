//! Sources in, summaries out.

use std::path::Path;

use cargo_contest::analyse::analysis::Analysis;
use cargo_contest::analyse::dependency_graph::DependencyGraph;
use cargo_contest::analyse::method_summary::MethodSummary;
use cargo_contest::analyse::{SourcePackage, analyse};

/// Analyses files of a package; the first is its root.
pub(crate) fn files(edition: &str, files: &[(&str, &str)]) -> Analysis {
    let scratch = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = scratch.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    directory(edition, scratch.path(), files[0].0)
}

/// Analyses what lies in a directory.
pub(crate) fn directory(edition: &str, directory: &Path, root: &str) -> Analysis {
    analyse(&SourcePackage {
        directory: directory.to_path_buf(),
        root: directory.join(root),
        edition: edition.to_string(),
        features: vec!["on".to_string()],
    })
}

/// Analyses one file.
pub(crate) fn source(text: &str) -> Analysis {
    files("2021", &[("src/lib.rs", text)])
}

/// Relates the methods of a type.
pub(crate) fn graph(analysis: &Analysis, ty: &str) -> DependencyGraph {
    DependencyGraph::new(ty.to_string(), analysis.methods(ty))
}

/// One method's summary.
#[track_caller]
pub(crate) fn method(analysis: &Analysis, ty: &str, name: &str) -> MethodSummary {
    analysis
        .methods(ty)
        .into_iter()
        .find(|it| it.operation == name)
        .unwrap_or_else(|| panic!("no method {name} of {ty}; left out {:?}", analysis.skipped))
}

/// Accesses as text, sorted.
pub(crate) fn accesses(summary: &MethodSummary) -> Vec<String> {
    sorted(summary.accesses.iter().map(ToString::to_string).collect())
}

/// Locks held at every access, as text, sorted.
pub(crate) fn locks(summary: &MethodSummary) -> Vec<String> {
    sorted(summary.locks.iter().map(ToString::to_string).collect())
}

/// Pairs of locks, as text, sorted.
pub(crate) fn pairs(summary: &MethodSummary) -> Vec<String> {
    sorted(summary.lock_pairs.iter().map(ToString::to_string).collect())
}

/// Reasons why it is not exact.
pub(crate) fn reasons(summary: &MethodSummary) -> Vec<String> {
    summary.inexact.iter().map(|it| it.why.clone()).collect()
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts.dedup();
    texts
}
