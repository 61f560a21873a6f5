//! Libtest's own lists, of the instrumented executables and of those of a plain `cargo test`.
//!
//! The plain executables are built where the user's own `cargo test` builds them, so that they are there already if it
//! was run since the last change.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use cargo_metadata::Artifact;

use super::build_event::{BuildEvent, BuildStage};
use super::harness_error::HarnessError;
use super::harness_options::HarnessOptions;
use super::own_tests::OwnTests;
use super::planned_tests::{name_of, package_name};
use super::test_build::TestExecutable;
use super::test_targets::TestTargets;
use contest_build::workspace::build_target::other_targets;
use contest_build::workspace::cargo_build::{CargoMessage, Toolchain, run_cargo};
use contest_build::workspace::cargo_selection::CargoSelection;
use contest_build::workspace::logged_command::logged_output;
use contest_build::workspace::selection::Package;

/// Most names of tests in one line.
const MOST_NAMES: usize = 10;

/// Builds the tests plainly, and compares the lists of each executable; what does not build is in none. Examples of
/// documentation are not compared: rustdoc lists them here too.
///
/// # Errors
/// If the lists differ, or one cannot be had.
pub fn compare_lists(
    selection: &CargoSelection,
    packages: &[Package],
    tests: &[Option<OwnTests>],
    targets: &TestTargets,
    options: &HarnessOptions,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<(), HarnessError> {
    if !targets.are_built() {
        return Ok(());
    }
    let toolchain = Toolchain::find(&selection.directory)?;
    let mut command = toolchain.cargo(&selection.directory);
    command
        .args(["test", "--no-run", "--message-format", "json"])
        .args(selection.arguments())
        .args(targets.options())
        .args(&options.cargo_arguments);
    if !other_targets(&toolchain, &selection.directory).is_empty() {
        command.args(["--target", &toolchain.host]);
    }
    on_event(BuildEvent::Started(BuildStage::Plain));
    let mut artifacts: Vec<Artifact> = Vec::new();
    let end = run_cargo(&mut command, &mut |message| {
        if let Some(event) = BuildEvent::of(BuildStage::Plain, &message) {
            on_event(event);
        }
        if let CargoMessage::Artifact(artifact) = message {
            artifacts.push(*artifact);
        }
    });
    let end = end.map_err(|error| HarnessError::Cargo(toolchain.cargo.clone(), error))?;
    if !end.success && artifacts.iter().all(|it| !it.profile.test) {
        return Err(HarnessError::SubjectDoesNotBuild {
            package: packages
                .iter()
                .map(|it| it.name.as_str())
                .collect::<Vec<_>>()
                .join("`, `"),
            diagnostics: end.stderr,
        });
    }
    let mut differences = Vec::new();
    for (package, tests) in packages.iter().zip(tests) {
        for executable in tests.iter().flat_map(|it| &it.executables) {
            let mut plain = artifacts.iter().filter(|it| it.profile.test);
            let plain = plain
                .find(|it| it.package_id.repr == package.id && name_of(it) == executable.name)
                .and_then(|it| it.executable.as_ref());
            let (Some(plain), Some(tests)) = (plain, tests) else {
                continue;
            };
            let here = tests.plain(executable);
            let mut there = tests.plain(executable);
            there = with_program(there, plain.as_std_path());
            let of = format!("{} of {}", executable.name, package_name(&package.id));
            match (names(there), names(here)) {
                (Ok(plain), Ok(here)) => differences.extend(difference(&of, &plain, &here)),
                (Err(why), _) | (_, Err(why)) => {
                    differences.push(format!("{of} does not list its tests: {why}"));
                }
            }
        }
    }
    if differences.is_empty() {
        Ok(())
    } else {
        Err(HarnessError::OtherTests(differences))
    }
}

/// The same command with another program.
fn with_program(command: Command, program: &std::path::Path) -> Command {
    let mut other = Command::new(program);
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            other.env(name, value);
        }
    }
    if let Some(directory) = command.get_current_dir() {
        other.current_dir(directory);
    }
    other
}

/// Number of tests that an executable lists with these arguments of libtest; `None` if it lists none at all.
#[must_use]
pub fn listed_tests(
    tests: &OwnTests,
    executable: &TestExecutable,
    arguments: &[String],
) -> Option<usize> {
    let mut command = tests.plain(executable);
    command.args(arguments);
    names(command).ok().map(|names| names.len())
}

/// The names that an executable lists.
fn names(mut executable: Command) -> Result<BTreeSet<String>, String> {
    executable
        .args(["--list", "--format", "terse"])
        .stdin(Stdio::null());
    let output = logged_output(&mut executable).map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(output.status.to_string());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let tests = text.lines().filter_map(|it| it.strip_suffix(": test"));
    Ok(tests.map(str::to_owned).collect())
}

fn difference(of: &str, plain: &BTreeSet<String>, here: &BTreeSet<String>) -> Vec<String> {
    let line = |only: Vec<&String>, has: &str| {
        let shown = only.iter().take(MOST_NAMES).map(|it| format!("`{it}`"));
        let mut text = shown.collect::<Vec<_>>().join(", ");
        if only.len() > MOST_NAMES {
            text += &format!(" and {} more", only.len() - MOST_NAMES);
        }
        (!only.is_empty()).then(|| format!("{of}: {has} {text}"))
    };
    let missing = line(plain.difference(here).collect(), "only a plain build has");
    let more = line(here.difference(plain).collect(), "a plain build has not");
    missing.into_iter().chain(more).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_the_tests() {
        let set = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
        let (plain, here): (BTreeSet<String>, BTreeSet<String>) =
            (set(&["a", "b"]), set(&["b", "c"]));
        assert!(difference("lib of x 0.1.0", &plain, &plain).is_empty());
        assert_eq!(
            difference("lib of x 0.1.0", &plain, &here),
            [
                "lib of x 0.1.0: only a plain build has `a`",
                "lib of x 0.1.0: a plain build has not `c`"
            ]
        );
    }
}
