//! What the arguments and the settings of the manifest mean for each stage.

use std::io::IsTerminal;
use std::path::PathBuf;

use super::failure::Failure;
use crate::cli::args::{ColorWhen, CommonArgs, MemberArgs};
use crate::cli::cache_directory::cache_directory;
use crate::cli::exit_code::ExitCode;
use crate::cli::options::UsageError;
use crate::cli::settings;
use crate::embedded::EMBEDDED;
use contest_analyse::SourcePackage;
use contest_build::workspace::cargo_metadata::Workspace;
use contest_build::workspace::selection::{FeatureSelection, Package, Selection};
use contest_drive::harness::HarnessOptions;

/// What the arguments say of the package.
pub(super) fn selection(common: &CommonArgs) -> Selection {
    Selection {
        manifest_path: common.manifest_path.clone(),
        package: common.package.clone(),
        features: features(common),
        cargo_arguments: cargo_arguments(common),
    }
}

/// How its tests are built for nextest.
pub(super) fn nextest_options(
    workspace: &Workspace,
    common: &CommonArgs,
) -> Result<HarnessOptions, Failure> {
    let settings = settings::read(&serde_json::Value::Null, &workspace.metadata)?;
    let cache = cache_directory(common, settings.cache_dir, &workspace.root)
        .map_err(|error| Failure::new(ExitCode::Usage, format!("--cache-dir: {error}")))?;
    let mut options = options(common, cache)?;
    let features = features(common).arguments();
    options
        .cargo_arguments
        .extend(features.into_iter().map(Into::into));
    Ok(options)
}

/// How drivers and tests of a package are built.
pub(super) fn harness_options(
    package: &Package,
    common: &CommonArgs,
) -> Result<HarnessOptions, Failure> {
    options(common, cache(package, common)?)
}

fn options(common: &CommonArgs, cache: Option<PathBuf>) -> Result<HarnessOptions, Failure> {
    let arguments = cargo_arguments(common).into_iter().map(Into::into);
    Ok(HarnessOptions {
        profile: "dev".to_string(),
        color: colored(common),
        memory: !common.no_memory,
        debuggable: common.debuggable,
        cargo_arguments: arguments.collect(),
        cache,
        wrapper: this_tool()?,
        embedded: EMBEDDED,
    })
}

pub(super) fn this_tool() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| {
        let text = format!("cannot find the executable of this tool: {error}");
        Failure::new(ExitCode::ToolFailed, text)
    })
}

/// Where runtimes are kept for all projects.
fn cache(package: &Package, common: &CommonArgs) -> Result<Option<PathBuf>, Failure> {
    let settings = settings::read(&package.metadata, &package.workspace_metadata)?;
    cache_directory(common, settings.cache_dir, &package.workspace_root)
        .map_err(|error| Failure::new(ExitCode::Usage, format!("--cache-dir: {error}")))
}

/// What static analysis has to know.
pub(super) fn source_package(
    package: &Package,
    common: &CommonArgs,
) -> Result<SourcePackage, Failure> {
    Ok(SourcePackage {
        package: package.clone(),
        features: features(common),
        cargo_arguments: cargo_arguments(common),
        tool: this_tool()?,
    })
}

/// The options that select members, as a user types them.
pub(super) fn options_of(members: &MemberArgs) -> String {
    let mut options = String::new();
    if members.workspace {
        options.push_str(" --workspace");
    }
    for name in &members.exclude {
        options.push_str(&format!(" --exclude '{name}'"));
    }
    options
}

/// Refuses exclusions from nothing.
pub(super) fn check(members: &MemberArgs) -> Result<(), Failure> {
    if !members.exclude.is_empty() && !members.workspace {
        return Err(UsageError::ExcludeAlone.into());
    }
    Ok(())
}

pub(super) fn features(common: &CommonArgs) -> FeatureSelection {
    FeatureSelection {
        features: common.features.clone(),
        all_features: common.all_features,
        no_default_features: common.no_default_features,
    }
}

pub(super) fn cargo_arguments(common: &CommonArgs) -> Vec<String> {
    [(common.offline, "--offline"), (common.locked, "--locked")]
        .into_iter()
        .filter(|(set, _)| *set)
        .map(|(_, flag)| flag.to_string())
        .collect()
}

/// True if diagnostics should be coloured.
fn colored(common: &CommonArgs) -> bool {
    match common.color {
        ColorWhen::Auto => std::io::stderr().is_terminal(),
        ColorWhen::Always => true,
        ColorWhen::Never => false,
    }
}
