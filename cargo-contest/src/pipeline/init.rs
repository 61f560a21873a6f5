//! `cargo contest init`: shows what would change, and applies it when confirmed.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use similar::TextDiff;

use super::failure::Failure;
use crate::cli::args::{CommonArgs, InitArgs};
use crate::cli::exit_code::ExitCode;
use crate::init::{self, FileEdit, InitError, InitOptions, Plan};
use contest_report::Reporter;

pub(super) fn init(
    common: &CommonArgs,
    arguments: &InitArgs,
    reporter: &mut Reporter,
) -> Result<ExitCode, Failure> {
    let options = InitOptions {
        manifest_path: common.manifest_path.clone(),
        package: common.package.clone(),
        checkout: arguments.path.clone(),
        registry: arguments.registry,
        cargo_arguments: super::arguments::cargo_arguments(common),
    };
    let plan = init::plan(&options)?;
    for edit in &plan.edits {
        reporter.text(&diff(edit));
    }
    for note in &plan.notes {
        reporter.text(&format!("note: {note}\n"));
    }
    let done = if plan.edits.is_empty() {
        reporter.text(&format!("`{}` is set up already\n", plan.package));
        false
    } else if arguments.dry_run {
        reporter.text("nothing was changed: --dry-run\n");
        false
    } else if arguments.yes || confirmed(reporter) {
        plan.apply(&options)?;
        reporter.text(&format!("done; try it: {}\n", plan.next));
        true
    } else {
        return Err(InitError::NotConfirmed.into());
    };
    reporter.initialised(&plan.package, &paths(&plan), done);
    Ok(ExitCode::Clean)
}

fn paths(plan: &Plan) -> Vec<PathBuf> {
    plan.edits.iter().map(|edit| edit.path.clone()).collect()
}

/// Prompts for confirmation; end of input means no.
pub(super) fn confirmed(reporter: &mut Reporter) -> bool {
    reporter.text("apply these changes? [y/N] ");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

/// Unified, with three lines around each change.
pub(super) fn diff(edit: &FileEdit) -> String {
    let name = short(&edit.path);
    let before = edit.before.as_deref().unwrap_or("");
    let old = if edit.before.is_some() {
        &name
    } else {
        "/dev/null"
    };
    TextDiff::from_lines(before, &edit.after)
        .unified_diff()
        .header(old, &name)
        .to_string()
        .replace('\r', "")
}

/// Relative to the working directory, if it is below.
fn short(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here)
        .unwrap_or(path)
        .display()
        .to_string()
}
