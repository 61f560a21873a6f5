//! Sources of a package and its [`SubjectCatalog`](crate::discover::subject_catalog::SubjectCatalog) in, a
//! [`MethodSummary`](method_summary::MethodSummary) for each operation and a [`DependencyGraph`](dependency_graph::DependencyGraph) for
//! each type out (DepCon+: Terragni and Pezzè, "Statically Driven Generation of Concurrent Tests for Thread-Safe Classes").
//!
//! Steps: `source_tree` follows modules, decides `cfg` and expands macros; `collect` fills the tables of `index`; `walk` turns each body
//! into its effects, with Rust's rules for when a guard is dropped; `interpret` and `fixpoint` make summaries of them; `analysis` says
//! them in names that all methods of a type share, `operations` finds those of the catalog.
//!
//! Nothing is compiled. What is not understood (calls into other crates, macros that cannot be expanded, raw pointers) makes a summary
//! inexact, with the reason and the place, never the analysis fail; files that cannot be read are in
//! [`Analysis::skipped`](analysis::Analysis::skipped). Type arguments are taken to be plain values, as discovery chooses them.

pub mod analysis;
pub mod check;
pub mod dependency_graph;
pub mod fields;
pub mod method_summary;

mod cfg_attributes;
mod collect;
mod effect;
mod fixpoint;
mod held_locks;
mod implied;
mod index;
mod interpret;
mod known_types;
mod macro_rules;
mod operations;
mod place;
mod resolve;
mod source_tree;
mod summary;
mod type_facts;
mod types;
mod walk;
mod workers;

use std::path::PathBuf;

use crate::workspace::selection::Package;
use analysis::Analysis;

/// Where the sources of a package are and how they are to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePackage {
    /// Directory of its manifest.
    pub directory: PathBuf,
    /// Root file of the library.
    pub root: PathBuf,
    /// Its edition: `2021`.
    pub edition: String,
    /// Features it is built with.
    pub features: Vec<String>,
}

impl From<&Package> for SourcePackage {
    fn from(package: &Package) -> Self {
        Self {
            directory: package
                .manifest_path
                .parent()
                .map(PathBuf::from)
                .unwrap_or_default(),
            root: package.library_source.clone(),
            edition: package.edition.clone(),
            features: package.features.clone(),
        }
    }
}

/// Analyses the library of a package.
#[must_use]
pub fn analyse(package: &SourcePackage) -> Analysis {
    workers::run(package)
}
