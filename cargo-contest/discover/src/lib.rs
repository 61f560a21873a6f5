//! Workspace and selection in, [`SubjectCatalog`] out.
//!
//! Steps: `rustdoc_json` has cargo document the package; `documentation` reads one crate of any format, `library` reads
//! that and what it needs of dependencies; `instantiation` chooses types for generic parameters; `operations`,
//! `constructors` and `recipes` find calls and their arguments; `catalog` puts them together; `pairs` adds types that
//! are made as two ends, `exclusive` those that are polled through `&mut self`, `behind_lock` on request those that are
//! changed so. Left out, always with a reason: types that are not `Sync` or cannot be made, methods that cannot be
//! called.
#![cfg_attr(doc, doc = include_str!("../DESIGN.md"))]

pub mod catalog;
pub mod documentation;
pub mod hints;
pub mod idioms;
pub mod named_library;
pub mod rustdoc_json;
pub mod scenario;

mod announced_panics;
mod associated_types;
mod behind_lock;
mod borrowed_values;
mod callbacks;
mod callers_flag;
mod calls;
mod cancel_safety;
mod captured_probes;
mod closures;
mod constants;
mod constructors;
mod conversion;
mod derived;
mod document;
mod emitted_probes;
mod exclusive;
mod extended_values;
mod extension_traits;
mod families;
mod filled;
mod fitting_texts;
mod forbidden_callbacks;
mod foreign_crates;
mod foreign_values;
mod given_out;
mod holds;
mod idiomatic;
mod impl_headers;
mod instantiation;
mod kept;
mod keys;
mod library;
mod literals;
mod makers;
mod missing_bounds;
mod modules;
mod numbers;
mod observation;
mod obstacle;
mod operations;
mod other_arguments;
mod pairs;
mod pinned;
mod polls;
mod probe_operations;
mod public_names;
mod raw_locks;
mod recipes;
mod registered;
mod related;
mod render;
mod request;
mod rust_type;
mod scope;
mod sent_probes;
mod shared_state;
mod signature;
mod solver;
mod stand_in;
mod stand_in_modes;
mod stand_ins;
mod statics;
mod std_paths;
mod std_structural;
mod std_traits;
mod std_values;
mod subject_entry;
mod text_forms;
mod trait_functions;
mod two_calls;
mod types_for_bounds;

use std::path::{Path, PathBuf};

use tracing::{info, info_span};

use contest_build::workspace::selection::{FeatureSelection, Package};
use contest_catalog::subject_catalog::SubjectCatalog;
use named_library::NamedLibrary;
use rustdoc_json::{Documenter, RustdocError};

/// Options of discovery.
#[derive(Clone, Debug)]
pub struct DiscoverOptions {
    /// Features of the workspace.
    pub features: FeatureSelection,
    /// More arguments for cargo, such as `--offline`.
    pub cargo_arguments: Vec<String>,
    /// What the manifest says of the package.
    pub hints: hints::Hints,
    /// Types behind a lock are subjects too.
    pub behind_lock: bool,
    /// Arguments that cannot be made are taken from the package's own code.
    pub idioms: bool,
    /// The program that acts as rustdoc, see [`rustdoc_json::AS_RUSTDOC`]; this one if `None`.
    pub tool: Option<PathBuf>,
}

/// Why there is no catalog.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// The package could not be documented.
    #[error(transparent)]
    Rustdoc(#[from] RustdocError),
    /// Settings of the manifest name what is not there.
    #[error("[package.metadata.contest] in Cargo.toml: {}", .0.join("; "))]
    Hints(Vec<String>),
    /// The tool does not know its own path.
    #[error("cannot find the path of this program")]
    OwnPath(#[source] std::io::Error),
}

/// Finds the types of a package that threads can share, and how to use them.
///
/// # Errors
/// If the package does not build or cannot be documented.
pub fn discover(
    package: &Package,
    options: &DiscoverOptions,
) -> Result<SubjectCatalog, DiscoverError> {
    let _span = info_span!("discover", package = package.id).entered();
    let tool = match &options.tool {
        Some(tool) => tool.clone(),
        None => std::env::current_exe().map_err(DiscoverError::OwnPath)?,
    };
    let documenter = Documenter {
        package,
        features: &options.features,
        cargo_arguments: &options.cargo_arguments,
        tool: &tool,
    };
    let documentation = documenter.package()?;
    let root = package
        .manifest_path
        .parent()
        .unwrap_or(&package.manifest_path);
    // rustc names files of a workspace relative to its root.
    let in_workspace = root.strip_prefix(&package.workspace_root).unwrap_or(root);
    let mut load = |library: &str| documenter.dependency(library);
    let library = documentation.root_name().unwrap_or_default();
    let idioms = if options.idioms {
        idioms::Idioms::of_package(root, &library)
    } else {
        idioms::Idioms::default()
    };
    // The copy may be inside of the package.
    let copy = package.internal.as_ref().map(|it| it.copy.as_path());
    let mut roots: Vec<&Path> = copy.into_iter().collect();
    roots.extend([root, in_workspace]);
    let named = package.named.iter().map(|it| NamedLibrary {
        path: it.path.clone(),
        library: it.library.clone(),
        uses: it.uses.clone(),
        is_beside: it.is_beside,
    });
    let named: Vec<NamedLibrary> = named.collect();
    let hints = &options.hints;
    let given = catalog::KnownBeside {
        named: &named,
        hints,
        idioms: &idioms,
        behind_lock: options.behind_lock,
    };
    let found = catalog::catalog_with_hints(documentation, &roots, &mut load, &given);
    let catalog = found.map_err(DiscoverError::Hints)?;
    info!(
        subjects = catalog.subjects.len(),
        skipped = catalog.skipped.len(),
        "discovered"
    );
    Ok(catalog)
}
