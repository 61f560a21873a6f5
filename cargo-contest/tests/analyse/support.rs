//! Sources in, summaries out.

use std::path::Path;

use contest_analyse::analysis::Analysis;
use contest_analyse::compile::CompileError;
use contest_analyse::{SourcePackage, analyse};
use contest_build::workspace::cargo_metadata::select;
use contest_build::workspace::selection::{FeatureSelection, Selection};
use contest_catalog::dependency_graph::DependencyGraph;
use contest_catalog::method_summary::MethodSummary;

/// Analyses files of a package; the first is its root. They have to compile.
#[track_caller]
pub(crate) fn files(edition: &str, files: &[(&str, &str)]) -> Analysis {
    let bytes: Vec<_> = files
        .iter()
        .map(|(name, text)| (*name, text.as_bytes()))
        .collect();
    analysed(edition, &bytes).unwrap()
}

/// The same for any bytes, and for what does not compile.
pub(crate) fn analysed(edition: &str, files: &[(&str, &[u8])]) -> Result<Analysis, CompileError> {
    let scratch = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = scratch.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let manifest = format!(
        "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"{edition}\"\n\n[lib]\npath = \"{}\"\n\n\
         [features]\ndefault = [\"on\"]\non = []\n\n[workspace]\n",
        files[0].0
    );
    std::fs::write(scratch.path().join("Cargo.toml"), manifest).unwrap();
    directory(scratch.path(), scratch.path())
}

/// Analyses the package that lies in a directory; what is built goes into another one.
pub(crate) fn directory(directory: &Path, target: &Path) -> Result<Analysis, CompileError> {
    let selection = Selection {
        manifest_path: Some(directory.join("Cargo.toml")),
        ..Selection::default()
    };
    let mut package = select(&selection).unwrap();
    package.target_directory = target.join("target");
    analyse(&SourcePackage {
        package,
        features: FeatureSelection::default(),
        cargo_arguments: vec!["--offline".to_string()],
        tool: env!("CARGO_BIN_EXE_cargo-contest").into(),
    })
}

/// Analyses one file.
#[track_caller]
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
