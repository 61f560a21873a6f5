//! Which checkout of a workspace a unit was compiled from.
//!
//! Cargo knows the members of a workspace by paths relative to its root. So where several checkouts share a target
//! directory (`CARGO_TARGET_DIR`), what another one has built passes as fresh if the sources here are older, and its
//! tests would run. A unit that depends on a variable of the environment is compiled again when that has changed: the
//! compiler says so in the file that lists what the unit is made of, and the wrapper adds one more line there.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::rustc_attempt::pass_through;
use super::rustc_unit::dependency_list;

/// The root of the workspace, for cargo and its wrapper.
const VARIABLE: &str = "CONTEST_CHECKOUT";

/// Tells cargo and its wrapper where the workspace is.
pub(super) fn set(cargo: &mut Command, root: &Path) {
    cargo.env(VARIABLE, root);
}

/// Compiles a unit that is not instrumented, or answers a question of cargo.
pub(super) fn compile(mut command: Command, arguments: &[OsString]) -> io::Result<i32> {
    if list_of_own(arguments).is_none() {
        return pass_through(command);
    }
    let status = command.status()?;
    if status.success() {
        note(arguments)?;
    }
    Ok(status.code().unwrap_or(101))
}

/// Adds the line for the unit of this command line of the compiler, which was compiled, if it belongs to the workspace.
pub(super) fn note(arguments: &[OsString]) -> io::Result<()> {
    let Some((list, root)) = list_of_own(arguments) else {
        return Ok(());
    };
    let mut file = match File::options().append(true).open(list) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    let root = root.to_string_lossy().replace('\\', "\\\\");
    writeln!(file, "\n# env-dep:{VARIABLE}={root}")
}

/// The file for a unit of the workspace, and the workspace's root.
fn list_of_own(arguments: &[OsString]) -> Option<(PathBuf, OsString)> {
    let root = std::env::var_os(VARIABLE)?;
    let package = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
    let list = dependency_list(arguments).filter(|_| package.starts_with(&root))?;
    Some((list, root))
}
