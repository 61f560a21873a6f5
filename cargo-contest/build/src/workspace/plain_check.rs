//! Checks that a package compiles without instrumentation: rustdoc does not check bodies.

use super::cargo_build::build_into;
use super::cargo_metadata::cargo;
use super::logged_command::logged_output;
use super::selection::{FeatureSelection, Package};

/// Checks the library of a package, without any part of the tool. `Err` has the output of cargo and the compiler.
///
/// # Errors
/// If it does not compile, or cargo cannot be started.
pub fn plain_check(
    package: &Package,
    features: &FeatureSelection,
    cargo_arguments: &[String],
) -> Result<(), String> {
    let mut command = cargo();
    command
        .args([
            "check",
            "--target",
            "host-tuple",
            "--lib",
            "--quiet",
            "-p",
            &package.id,
            "--manifest-path",
        ])
        .arg(&package.graph_manifest)
        .args(features.arguments())
        .args(cargo_arguments);
    let directory = package.target_directory.join("contest/plain");
    build_into(&mut command, &directory);
    let output =
        logged_output(&mut command).map_err(|error| format!("cannot start cargo: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr)
            .trim_end()
            .to_string())
    }
}
