//! The crate that stands in for the compiler's `test` in test executables.
//!
//! What `--test` generates names it by that name, so a path given for it decides which crate it is. It uses the real
//! one, which is unstable; so it is compiled with `RUSTC_BOOTSTRAP=1`, the code under test is not.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::instrument::facade_build::{Facade, FacadeError};
use crate::workspace::cargo_build::Toolchain;
use crate::workspace::logged_command::logged_output;
use crate::workspace::scratch_dir::{WriteError, make_directory, write_if_changed};

const SOURCE: &str = include_str!("test_harness.rs.in");
/// What libtest of 1.97 takes instead of a vector of tests: named by the compiler where it does.
const TEST_LIST: &str = "TestList";

/// Names the source and the runtime; what is linked with it goes to a directory with this in its name.
#[must_use]
pub fn fingerprint(facade: &Facade) -> String {
    let mut hasher = DefaultHasher::new();
    SOURCE.hash(&mut hasher);
    facade.fingerprint.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Compiles it in `directory`, unless that was done before; `accesses`: for code that reports every memory access.
///
/// # Errors
/// If the directory cannot be written, or the compiler has another `test` than this was written for.
pub fn build_test_harness(
    toolchain: &Toolchain,
    facade: &Facade,
    directory: &Path,
    accesses: bool,
) -> Result<PathBuf, FacadeError> {
    make_directory(directory)?;
    let library = directory.join("libcontest_test_harness.rlib");
    let source = directory.join("test_harness.rs");
    if !write_if_changed(&source, SOURCE)? && library.is_file() {
        return Ok(library);
    }
    let made = directory.join("made");
    make_directory(&made)?;
    let failed = |source| WriteError::new(&made, source);
    let mut output = logged_output(&mut compiler(toolchain, facade, &made, &source, accesses))
        .map_err(failed)?;
    if !output.status.success() && String::from_utf8_lossy(&output.stderr).contains(TEST_LIST) {
        let mut again = compiler(toolchain, facade, &made, &source, accesses);
        output = logged_output(again.args(["--cfg", "contest_test_list"])).map_err(failed)?;
    }
    if !output.status.success() {
        return Err(FacadeError::DoesNotBuild {
            release: toolchain.release.clone(),
            text: String::from_utf8_lossy(&output.stderr).into_owned(),
        });
    }
    // Whole or not at all, if the tool is killed.
    let file = library.file_name().unwrap_or_default();
    std::fs::rename(made.join(file), &library).map_err(failed)?;
    Ok(library)
}

/// The compiler for it, which writes into `made`.
fn compiler(
    toolchain: &Toolchain,
    facade: &Facade,
    made: &Path,
    source: &Path,
    accesses: bool,
) -> Command {
    let mut command = Command::new(&toolchain.rustc);
    command
        .args(["--crate-name", "contest_test_harness", "--edition", "2024"])
        .args(["--crate-type", "rlib", "--target", &toolchain.host])
        .args([
            "--cap-lints",
            "allow",
            "-C",
            "opt-level=1",
            "-C",
            "metadata=contest",
        ])
        .arg("--extern")
        .arg(format!("contest={}", facade.driver_rlib.display()))
        .env("RUSTC_BOOTSTRAP", "1");
    for dependencies in &facade.dependency_directories {
        command
            .arg("-L")
            .arg(format!("dependency={}", dependencies.display()));
    }
    if accesses {
        command.args(["--cfg", "contest_accesses"]);
    }
    command.args(["--check-cfg", "cfg(contest_accesses)"]);
    command.args(["--check-cfg", "cfg(contest_test_list)", "--out-dir"]);
    command.arg(made).arg(source);
    command
}
