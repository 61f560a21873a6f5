//! Builds a program that uses the package as it is: no facade, no runtime, optimised.

use std::path::PathBuf;

use super::build_event::{BuildEvent, BuildStage};
use super::driver_build::{naming, write_lock_file};
use super::driver_manifest::{driver_manifest, read_root_manifest};
use super::driver_source::SOURCE_FILE;
use super::harness_error::HarnessError;
use super::harness_options::HarnessOptions;
use super::subject_package::SubjectPackage;
use contest_build::workspace::cargo_build::{CargoMessage, Toolchain, build_into, run_cargo};
use contest_build::workspace::scratch_dir::write_if_changed;

/// A program, and where its package is.
#[derive(Clone, Debug)]
pub struct NativeProgram {
    /// What to run.
    pub executable: PathBuf,
    /// Its manifest.
    pub manifest: PathBuf,
}

/// Writes and builds the program with this source, which depends on `package`.
///
/// # Errors
/// If files cannot be written, or it does not build: see [`HarnessError`].
pub fn build_native(
    package: &SubjectPackage,
    source: &str,
    options: &HarnessOptions,
    on_event: &mut dyn FnMut(BuildEvent),
) -> Result<NativeProgram, HarnessError> {
    let toolchain = Toolchain::find(&package.workspace_root)?;
    let package = &naming(package, source);
    let directory = package.driver_directory();
    let manifest = directory.join("Cargo.toml");
    let text = driver_manifest(package, &read_root_manifest(&package.workspace_root));
    write_if_changed(&manifest, &text)?;
    write_lock_file(package, &directory)?;
    write_if_changed(&directory.join(SOURCE_FILE), source)?;
    let mut command = toolchain.cargo(&package.workspace_root);
    command
        .args(["build", "--release", "--message-format", "json"])
        .arg("--manifest-path")
        .arg(&manifest)
        .args(&options.cargo_arguments);
    build_into(&mut command, &package.contest_directory().join("native"));
    on_event(BuildEvent::Started(BuildStage::Plain));
    let mut executable = None;
    let mut diagnostics = String::new();
    let end = run_cargo(&mut command, &mut |message| {
        if let Some(event) = BuildEvent::of(BuildStage::Plain, &message) {
            on_event(event);
        }
        match message {
            CargoMessage::Artifact(artifact) => {
                executable = artifact.executable.map(Into::into).or(executable.take());
            }
            CargoMessage::Compiler(message) => {
                diagnostics += message.message.rendered.as_deref().unwrap_or_default();
            }
            CargoMessage::BuildScript(_) | CargoMessage::Progress { .. } => {}
        }
    });
    let end = end.map_err(|error| HarnessError::Cargo(toolchain.cargo.clone(), error))?;
    match executable.filter(|_| end.success) {
        Some(executable) => Ok(NativeProgram {
            executable,
            manifest,
        }),
        None => Err(HarnessError::SubjectDoesNotBuild {
            package: package.driver_crate(),
            diagnostics: if diagnostics.is_empty() {
                end.stderr
            } else {
                diagnostics
            },
        }),
    }
}
