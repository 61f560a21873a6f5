//! What is debugged, and what a client says of it.

use std::any::Any;
use std::path::PathBuf;

use serde::Deserialize;

use contest_drive::harness::DebuggedDriver;

/// A driver to debug, and what it needs as long as it runs.
#[derive(Debug)]
pub struct Debugged {
    /// What gdb starts.
    pub driver: DebuggedDriver,
    /// The compiler's directory of itself, where its printers of values for gdb are.
    pub sysroot: Option<PathBuf>,
    /// Keeps the executable.
    pub keeps: Box<dyn Any>,
}

/// What a client asks to debug; what is missing is as on the command line.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LaunchArguments {
    /// The token of a finding, or the emitted test file that holds it.
    pub token: Option<String>,
    /// Path to `Cargo.toml`.
    pub manifest_path: Option<PathBuf>,
    /// The package.
    pub package: Option<String>,
}
