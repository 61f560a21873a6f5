//! The tool as cargo's `RUSTC_WRAPPER` for static analysis: has the compiler write the MIR of each unit, and its
//! expanded source.
//!
//! MIR with its places in the source needs `RUSTC_BOOTSTRAP=1`. Only the compiler of such a unit may see it: build
//! scripts probe for nightly features by it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::rustc_attempt::pass_through;
use super::rustc_unit::Unit;

/// Set: the process is this wrapper.
const MARKER: &str = "CONTEST_MIR_WRAPPER";

const MIR_FLAGS: [&str; 6] = [
    "--emit=mir",
    // Nothing is propagated or merged: a move stays a move.
    "-Zmir-opt-level=0",
    // Statements say where they stand.
    "-Zmir-include-spans=on",
    // Full paths: `std::sync::Mutex`, not `Mutex`.
    "-Ztrim-diagnostic-paths=no",
    "--cap-lints",
    "allow",
];

/// What the analysis has to know of a unit beside its MIR.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitNote {
    /// Crate name.
    pub crate_name: String,
    /// Directory that relative file names are relative to.
    pub working_directory: PathBuf,
    /// Directory of its manifest.
    pub package_directory: PathBuf,
}

/// Files of one unit: its MIR, its expanded source, its [`UnitNote`]. Given the library metadata that cargo names.
#[must_use]
pub fn files_of(metadata: &Path) -> Option<[PathBuf; 3]> {
    let unit = metadata.file_stem()?.to_str()?.strip_prefix("lib")?;
    Some(
        ["mir", "expanded.rs", "unit.json"]
            .map(|it| metadata.with_file_name(format!("{unit}.{it}"))),
    )
}

/// Makes a cargo command write MIR; `tool` is this program.
pub fn apply(tool: &Path, cargo: &mut Command) {
    cargo.env("RUSTC_WRAPPER", tool).env(MARKER, "1");
}

/// True if this process was started as the wrapper.
#[must_use]
pub fn is_mir_wrapper() -> bool {
    std::env::var_os(MARKER).is_some()
}

/// Compiles one unit: `arguments` are those of the process, its own name left out. Returns the exit code.
#[must_use]
pub fn run_as_mir_wrapper(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // Cargo reports a wrapper that cannot start the compiler.
    wrap(&arguments).unwrap_or(70)
}

fn wrap(arguments: &[OsString]) -> io::Result<i32> {
    let Some((rustc, arguments)) = arguments.split_first() else {
        return Ok(70);
    };
    let mut command = Command::new(rustc);
    command.args(arguments);
    let Some(unit) = Unit::of(arguments) else {
        return pass_through(command);
    };
    if let Some(directory) = unit.out_dir.as_deref() {
        let metadata = Path::new(directory).join(format!("lib{}.rmeta", unit.file_name()));
        if let Some([_, expanded, note]) = files_of(&metadata) {
            write_expanded(rustc, arguments, &expanded)?;
            write_note(&unit, &note)?;
        }
    }
    command.args(MIR_FLAGS).env("RUSTC_BOOTSTRAP", "1");
    pass_through(command)
}

/// A failure is seen by the compilation that follows, or by the analysis that finds no declarations.
fn write_expanded(rustc: &OsString, arguments: &[OsString], file: &Path) -> io::Result<()> {
    let output = Command::new(rustc)
        .args(arguments)
        .args(["-Zunpretty=expanded", "--cap-lints", "allow"])
        .env("RUSTC_BOOTSTRAP", "1")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    fs::write(file, output.stdout)
}

fn write_note(unit: &Unit, file: &Path) -> io::Result<()> {
    let working_directory = std::env::current_dir()?;
    let note = UnitNote {
        crate_name: unit.crate_name.clone(),
        package_directory: std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| working_directory.clone(), PathBuf::from),
        working_directory,
    };
    fs::write(
        file,
        serde_json::to_string(&note).map_err(io::Error::other)?,
    )
}
