//! `cargo contest ci`: shows a workflow for GitHub Actions, and writes it when confirmed.

use super::failure::Failure;
use super::init::{confirmed, diff};
use super::members::packages;
use crate::ci::{Workflow, file_for};
use crate::cli::args::{CiArgs, CommonArgs};
use crate::cli::exit_code::ExitCode;
use crate::init::FileEdit;
use contest_build::workspace::scratch_dir::write_if_changed;
use contest_report::Reporter;

pub(super) fn ci(
    common: &CommonArgs,
    arguments: &CiArgs,
    reporter: &mut Reporter,
) -> Result<ExitCode, Failure> {
    let packages = packages(common, reporter)?;
    let [(_, package), ..] = packages.selected.as_slice() else {
        return Err(Failure::new(ExitCode::NothingToTest, "no package to test"));
    };
    let named = common.package.iter().map(|it| format!(" -p {it}"));
    let workflow = Workflow {
        packages: named.collect::<String>() + &packages.options,
        pull_request: arguments.pull_request,
        parts: arguments.parts,
        nightly: arguments.nightly,
        install: (arguments.install.clone()).unwrap_or_else(Workflow::install_from_registry),
    };
    let path = file_for(&package.workspace_root);
    let before = std::fs::read_to_string(&path).ok();
    let edit = FileEdit {
        after: workflow.text(),
        before,
        path,
    };
    let is_there = edit.before.as_ref() == Some(&edit.after);
    if is_there {
        let text = format!("{} is as it would be written\n", edit.path.display());
        reporter.text(&text);
    } else {
        reporter.text(&diff(&edit));
    }
    let done = if is_there {
        false
    } else if arguments.dry_run {
        reporter.text("nothing was changed: --dry-run\n");
        false
    } else if arguments.yes || confirmed(reporter) {
        write_if_changed(&edit.path, &edit.after)?;
        reporter.text(&format!("written: {}\n", edit.path.display()));
        true
    } else {
        let text = "nothing was changed: it was not confirmed; `--yes` writes without confirmation";
        return Err(Failure::new(ExitCode::Usage, text));
    };
    reporter.initialised(&package.name, &[edit.path], done);
    Ok(ExitCode::Clean)
}
