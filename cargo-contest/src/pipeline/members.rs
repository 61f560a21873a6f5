//! Which packages a command tests: one, or several members of the workspace in one run.

use super::failure::Failure;
use super::prepare;
use crate::cli::args::{CommonArgs, MemberArgs};
use crate::cli::options::UsageError;
use crate::progress_event::ProgressEvent;
use crate::report::Reporter;
use crate::skipped::Skipped;
use crate::workspace::cargo_metadata::select;
use crate::workspace::members::{Scope, select_members};
use crate::workspace::selection::{Package, SelectionError};

/// The packages to test.
pub(super) struct Packages {
    /// Each with the arguments that mean it; at least one.
    pub(super) selected: Vec<(CommonArgs, Package)>,
    /// Members that are not tested, with the reason.
    pub(super) left_out: Vec<Skipped>,
    /// The options that select them, for messages; nothing without such options.
    pub(super) options: String,
}

impl Packages {
    /// True if there are several, or if there could have been.
    pub(super) fn are_members(&self) -> bool {
        self.selected.len() > 1 || !self.options.is_empty()
    }
}

/// The packages that the arguments mean: what cargo would test with the same ones.
pub(super) fn packages(
    common: &CommonArgs,
    scope: &MemberArgs,
    reporter: &mut Reporter,
) -> Result<Packages, Failure> {
    if scope.workspace && common.package.is_some() {
        return Err(UsageError::WorkspaceAndPackage.into());
    }
    if !scope.workspace && !has_several_defaults(common)? {
        return Ok(Packages {
            selected: vec![(common.clone(), prepare::select(common)?)],
            left_out: Vec::new(),
            options: String::new(),
        });
    }
    let found = select_members(
        &prepare::selection(common),
        &Scope {
            workspace: scope.workspace,
            exclude: scope.exclude.clone(),
        },
    )?;
    for name in &found.unknown {
        let text = format!("--exclude {name}: no member of the workspace has this name");
        reporter.event(&ProgressEvent::Warning(text));
    }
    let mut selected = Vec::new();
    for member in found.selected {
        let common = CommonArgs {
            manifest_path: Some(member.manifest_path),
            features: member.features,
            ..common.clone()
        };
        let mut package = prepare::select_at_manifest(&common)?;
        // Named in the summary.
        package.other_members.clear();
        selected.push((common, package));
    }
    let mut options = String::new();
    if scope.workspace {
        options.push_str(" --workspace");
    }
    for name in &scope.exclude {
        options.push_str(&format!(" --exclude '{name}'"));
    }
    Ok(Packages {
        selected,
        left_out: found.left_out,
        options,
    })
}

/// True if no package is named and the workspace has several default members that can be tested.
fn has_several_defaults(common: &CommonArgs) -> Result<bool, Failure> {
    if common.package.is_some() {
        return Ok(false);
    }
    // All other errors are those of the selection of one package.
    match select(&prepare::selection(common)) {
        Err(SelectionError::Choose(_)) => Ok(true),
        _ => Ok(false),
    }
}
