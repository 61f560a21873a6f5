//! Runs cargo-nextest so that it builds test executables instrumented, and calls this tool for each test.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::build_event::BuildEvent;
use super::driver_build::set_profile;
use super::harness_error::HarnessError;
use super::harness_options::HarnessOptions;
use super::kept_driver::DIRECTORY;
use super::libc_calls::call_libc;
use super::own_tests::instrumentation;
use super::runtime::obtain_runtime;
use contest_build::instrument::runtime_sources::RuntimeSources;
use contest_build::instrument::test_harness::{build_test_harness, fingerprint};
use contest_build::workspace::cargo_build::{Toolchain, build_into};
use contest_build::workspace::scratch_dir::{BuildLock, write_if_changed};

/// First argument of this tool where nextest calls it in place of a test executable.
pub const RUNNER: &str = "run-test-of-nextest";

/// A workspace, as nextest sees it.
#[derive(Clone, Copy, Debug)]
pub struct NextestWorkspace<'a> {
    /// Its root.
    pub root: &'a Path,
    /// Cargo's target directory.
    pub target_directory: &'a Path,
    /// Its lock file.
    pub lock_file: &'a Path,
}

/// True if cargo finds nextest.
#[must_use]
pub fn is_installed(root: &Path) -> bool {
    let mut command = contest_build::workspace::cargo_metadata::cargo();
    command
        .args(["nextest", "--version"])
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A command of nextest.
#[derive(Debug)]
pub struct NextestCommand {
    /// With its arguments.
    pub command: Command,
    /// The target directory of what it builds; nothing if it takes an archive.
    pub target: Option<PathBuf>,
}

/// The command for these arguments of nextest, the first of which is its own command. What it builds is instrumented.
/// If it takes an archive, which was built so, nothing is built here. `generated`: archives get the drivers that are
/// [kept](super::kept_driver) beside the executables.
///
/// # Errors
/// See [`HarnessError`].
pub fn nextest(
    workspace: NextestWorkspace<'_>,
    options: &HarnessOptions,
    arguments: &[OsString],
    generated: bool,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<NextestCommand, HarnessError> {
    let toolchain = Toolchain::find(workspace.root)?;
    if let Some(event) = BuildEvent::other_target(&toolchain, workspace.root) {
        on_event(event);
    }
    let (first, rest) = arguments.split_at(1.min(arguments.len()));
    let mut command = toolchain.cargo(workspace.root);
    let runner = format!(
        "target.{}.runner = [{:?}, {RUNNER:?}]",
        toolchain.host,
        options.wrapper.to_string_lossy()
    );
    command
        .arg("nextest")
        .args(first)
        .args(["--config", &runner]);
    // `archive` has an option of that name too, for the one that it writes.
    let mut target = None;
    if first == ["archive"] || !takes_an_archive(rest) {
        target = Some(build_instrumented(
            &mut command,
            &toolchain,
            workspace,
            options,
            on_event,
        )?);
    }
    if generated {
        let file = workspace.target_directory.join("contest/nextest.toml");
        write_if_changed(&file, &archive_configuration())?;
        command
            .arg("--tool-config-file")
            .arg(format!("cargo-contest:{}", file.display()));
    }
    command.args(rest);
    Ok(NextestCommand { command, target })
}

/// Nextest's own configuration, which what the workspace says goes before.
fn archive_configuration() -> String {
    format!(
        "[profile.default]\narchive.include = [{{ path = \"{DIRECTORY}\", relative-to = \"target\" }}]\n"
    )
}

/// True for arguments before `--` that name an archive to run.
fn takes_an_archive(arguments: &[OsString]) -> bool {
    let mut options = arguments.iter().take_while(|it| *it != "--");
    options.any(|it| {
        let text = it.to_string_lossy();
        text == "--archive-file" || text.starts_with("--archive-file=")
    })
}

fn build_instrumented(
    command: &mut Command,
    toolchain: &Toolchain,
    workspace: NextestWorkspace<'_>,
    options: &HarnessOptions,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<PathBuf, HarnessError> {
    let contest = workspace.target_directory.join("contest");
    let _lock = BuildLock::take(&contest)?;
    let sources = RuntimeSources::of(options.embedded);
    let runtime = obtain_runtime(toolchain, &sources, &contest, options, on_event)?;
    let facade = runtime.facade.clone();
    let accesses = options.memory && facade.accesses_refused.is_none();
    let kind = if accesses { "-memory" } else { "" };
    let target = contest.join(format!("tests-{}{kind}", fingerprint(&facade)));
    let harness = build_test_harness(toolchain, &facade, &target.join("harness"), accesses)?;
    instrumentation(workspace.root, facade, harness, &target, accesses)
        .apply(&options.wrapper, command);
    call_libc(command, workspace.lock_file);
    set_profile(command, options);
    command
        .args(["--target", &toolchain.host])
        .args(&options.cargo_arguments);
    build_into(command, &target);
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_that_is_run_is_not_built() {
        let takes = |line: &str| {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            takes_an_archive(&arguments)
        };
        assert!(takes("--archive-file tests.tar.zst"));
        assert!(takes("--partition slice:1/2 --archive-file=tests.tar.zst"));
        assert!(!takes("--partition slice:1/2 -- --archive-file"));
    }
}
