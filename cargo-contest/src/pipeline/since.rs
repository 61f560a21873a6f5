//! `--since REV`: which types run other code than at another revision.
//!
//! The tree of that revision is written into a directory of its own and analysed; a type is unchanged if the hash of
//! the code that it may run is the same there (`Analysis::code_of`). The user's working tree and index are not touched.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::arguments::{cargo_arguments, features, source_package};
use super::failure::Failure;
use super::prepare::package_directory;
use super::steer::Steering;
use crate::cli::args::CommonArgs;
use crate::cli::exit_code::ExitCode;
use contest_analyse::{SourcePackage, analyse};
use contest_build::workspace::cargo_metadata::select;
use contest_build::workspace::logged_command::logged_output;
use contest_build::workspace::scratch_dir::{BuildLock, WriteError};
use contest_build::workspace::selection::{Package, Selection};
use contest_catalog::progress_event::ProgressEvent;
use contest_catalog::subject_catalog::SubjectCatalog;
use contest_report::Reporter;

/// Splits the selected types into those to test and the names of those that are unchanged since the revision. Where
/// that cannot be known, all are tested, and a warning says why.
pub(super) fn changed(
    revision: &str,
    package: &Package,
    common: &CommonArgs,
    catalog: &SubjectCatalog,
    selected: Vec<u16>,
    steering: &Steering,
    reporter: &mut Reporter,
) -> Result<(Vec<u16>, Vec<String>), Failure> {
    let root = PathBuf::from(git(
        &package_directory(package),
        &["rev-parse", "--show-toplevel"],
    )?);
    let commit = format!("{revision}^{{commit}}");
    let commit = git(
        &root,
        &[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &commit,
        ],
    )
    .map_err(|_| {
        usage(format!(
            "there is no revision `{revision}` in {}",
            root.display()
        ))
    })?;
    reporter.event(&ProgressEvent::Step(format!("comparing with {revision}")));
    // Always the same place, so that what has not changed is not compiled again.
    let scratch = package.target_directory.join("contest/since");
    let _one_at_a_time = BuildLock::take(&scratch)?;
    check_out(&root, &commit, &scratch)?;
    let all = |reporter: &mut Reporter, why: String, selected: Vec<u16>| {
        let text = format!("--since {revision}: all types are tested, for {why}");
        reporter.event(&ProgressEvent::Warning(text));
        Ok((selected, Vec::new()))
    };
    let before = match sources_there(package, common, &root, &scratch) {
        Ok(before) => before,
        Err(why) => return all(reporter, why, selected),
    };
    let before = match analyse(&before) {
        Ok(analysis) => analysis,
        Err(error) => {
            let why = format!("the package cannot be analysed as it was there: {error}");
            return all(reporter, why, selected);
        }
    };
    let mut unchanged = Vec::new();
    let mut changed = Vec::new();
    for number in selected {
        let subject = catalog.subjects.get(usize::from(number));
        let is_same = subject
            .is_some_and(|subject| steering.code_of(subject) == Some(before.code_of(subject)));
        match subject {
            Some(subject) if is_same => unchanged.push(subject.shown().into_owned()),
            _ => changed.push(number),
        }
    }
    Ok((changed, unchanged))
}

fn usage(why: String) -> Failure {
    Failure::new(ExitCode::Usage, format!("--since: {why}"))
}

/// Writes the tree of a commit, with an index of its own.
fn check_out(root: &Path, commit: &str, into: &Path) -> Result<(), Failure> {
    let (index, tree) = (into.join("index"), into.join("tree"));
    for old in [&index, &tree] {
        let removed = if old.is_dir() {
            std::fs::remove_dir_all(old)
        } else {
            std::fs::remove_file(old)
        };
        match removed {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(WriteError::new(old, error).into());
            }
            _ => {}
        }
    }
    let prefix = format!("--prefix={}/", tree.display());
    for arguments in [
        vec!["read-tree", commit],
        vec!["checkout-index", "--all", &prefix],
    ] {
        let mut command = Command::new("git");
        command
            .arg("-C")
            .arg(root)
            .args(arguments)
            .env("GIT_INDEX_FILE", &index);
        run(command)?;
    }
    Ok(())
}

/// The package in that tree.
fn sources_there(
    package: &Package,
    common: &CommonArgs,
    root: &Path,
    scratch: &Path,
) -> Result<SourcePackage, String> {
    let root = root.canonicalize().map_err(|error| error.to_string())?;
    let there = |path: &Path| -> Result<PathBuf, String> {
        let path = path.canonicalize().map_err(|error| error.to_string())?;
        let below = path.strip_prefix(&root);
        let below = below.map_err(|_| format!("{} is not in the repository", path.display()))?;
        Ok(scratch.join("tree").join(below))
    };
    let manifest = there(&package.manifest_path)?;
    if !manifest.is_file() {
        return Err("the package did not exist there".to_owned());
    }
    // The same versions of dependencies, unless the lock file is part of the revision.
    if package.lock_file.is_file() {
        let lock_file = there(&package.lock_file)?;
        if !lock_file.exists() {
            std::fs::copy(&package.lock_file, lock_file).map_err(|error| error.to_string())?;
        }
    }
    let mut before = select(&Selection {
        manifest_path: Some(manifest),
        package: common.package.clone(),
        features: features(common),
        cargo_arguments: cargo_arguments(common),
    })
    .map_err(|error| format!("cargo cannot read it as it was there: {error}"))?;
    before.target_directory = scratch.join("target");
    source_package(&before, common).map_err(|failure| failure.message)
}

fn git(directory: &Path, arguments: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(arguments);
    run(command)
}

fn run(mut command: Command) -> Result<String, Failure> {
    let output =
        logged_output(&mut command).map_err(|error| usage(format!("cannot run git: {error}")))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(usage(format!("git: {}", text.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned())
}
