//! Sources of a package and its [`SubjectCatalog`](contest_catalog::subject_catalog::SubjectCatalog) in, a
//! [`MethodSummary`](contest_catalog::method_summary::MethodSummary) for each operation and a
//! [`DependencyGraph`](contest_catalog::dependency_graph::DependencyGraph) for each type out (DepCon+: Terragni and
//! Pezzè, "Statically Driven Generation of Concurrent Tests for Thread-Safe Classes").
//!
//! Steps: `compile` has cargo check the package and its graph, and the compiler write their MIR (through
//! [`mir_wrapper`](contest_build::instrument::mir_wrapper)); `mir` and `declarations` read it, `program` is all of it;
//! `call_graph` finds what calls mean; `interpret` (what locals refer to: `bindings`; what the standard library does:
//! `library`) and `fixpoint` make summaries; `analysis` says them in names that all methods of a type share,
//! `operations` finds those of the catalog.
//!
//! What is not understood (code of other languages, function pointers, pointers made from numbers) makes a summary
//! inexact, with the reason and the place, never the analysis fail. Type arguments are taken to be plain values, as
//! discovery chooses them.
#![cfg_attr(doc, doc = include_str!("../DESIGN.md"))]

pub mod analysis;
pub mod check;
pub mod compile;
pub mod fields;
pub mod source_package;

mod bindings;
mod call_effects;
mod call_graph;
mod callees;
mod code;
mod composition;
mod declarations;
mod declared_code;
mod drops;
mod fixpoint;
mod held_locks;
mod impl_header;
mod interpret;
mod library;
mod mir;
mod operations;
mod place;
mod program;
mod summary;
mod type_facts;

use std::time::Instant;

use analysis::Analysis;
use compile::CompileError;

use contest_build::workspace::stop_handle::StopHandle;
pub use source_package::SourcePackage;

/// Analyses the library of a package.
///
/// # Errors
/// If the package does not compile, or nothing of its MIR can be read.
pub fn analyse(package: &SourcePackage) -> Result<Analysis, CompileError> {
    analyse_until(package, &StopHandle::default())
}

/// The same, until the handle ends it.
///
/// # Errors
/// As [`analyse`], and if it is ended.
pub fn analyse_until(package: &SourcePackage, stop: &StopHandle) -> Result<Analysis, CompileError> {
    let start = Instant::now();
    let units = compile::compile(package, stop)?;
    let mut skipped = Vec::new();
    let program = program::read(&units, &mut skipped);
    let is_own = |it: &program::Function| it.krate == program.own();
    if !program.functions.iter().any(is_own) && units.last().is_some_and(compile::Unit::has_code) {
        return Err(CompileError::UnknownMir);
    }
    let mut analysis = Analysis::new(program, skipped);
    analysis.elapsed = start.elapsed();
    Ok(analysis)
}
