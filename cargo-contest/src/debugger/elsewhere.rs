//! Systems on which no driver runs, so that there is nothing to debug.

use std::io;
use std::path::Path;

use super::debugged::{Debugged, LaunchArguments};
use contest_drive::campaign::Interrupt;

const REFUSED: &str = "cargo contest debug needs Linux";

/// Refuses.
///
/// # Errors
/// Always.
pub fn serve(
    _: &Path,
    _: &mut dyn FnMut(LaunchArguments) -> Result<Debugged, String>,
    _: &Interrupt,
) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, REFUSED))
}

/// Refuses.
///
/// # Errors
/// Always.
pub fn at_the_terminal(_: &Path, _: &Debugged) -> Result<(), String> {
    Err(REFUSED.to_owned())
}
