//! Cargo run that has the compiler write what the analysis reads: nothing is linked, and what has not changed is not
//! compiled again.

use std::io::BufReader;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use cargo_metadata::Message;

use super::source_package::SourcePackage;
use crate::instrument::mir_wrapper::{self, UnitNote, files_of};
use crate::workspace::cargo_metadata::cargo;

/// Why there is nothing to read.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// Cargo could not be started, or its messages not be read.
    #[error("cannot run cargo")]
    Cargo(#[source] std::io::Error),
    /// The package does not compile.
    #[error("the package does not compile by itself")]
    DoesNotCompile,
}

/// One compiled crate.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) note: UnitNote,
    /// Its MIR.
    pub(crate) mir: PathBuf,
    /// Its expanded source.
    pub(crate) expanded: PathBuf,
}

/// Checks the package and its graph. The package comes last.
pub(crate) fn compile(package: &SourcePackage) -> Result<Vec<Unit>, CompileError> {
    let of = &package.package;
    let mut command = cargo();
    command.args([
        "check",
        "--lib",
        "--quiet",
        "--message-format",
        "json",
        "-p",
        &of.id,
    ]);
    command
        .args(["--target", "host-tuple", "--manifest-path"])
        .arg(&of.graph_manifest);
    command
        .arg("--target-dir")
        .arg(of.target_directory.join("contest/mir"));
    let features = package.features.arguments();
    if !features.is_empty() && !of.is_member {
        // Cargo takes features only together with the members that have them.
        for member in &of.graph_members {
            command.args(["-p", member]);
        }
    }
    command.args(features).args(&package.cargo_arguments);
    mir_wrapper::apply(&package.tool, &mut command);
    let (found, succeeded) = units(command).map_err(CompileError::Cargo)?;
    let (mut units, own): (Vec<_>, Vec<_>) = found.into_iter().partition(|(id, _)| *id != of.id);
    if own.is_empty() || !succeeded {
        return Err(CompileError::DoesNotCompile);
    }
    units.extend(own);
    Ok(units.into_iter().map(|(_, unit)| unit).collect())
}

/// Units with their package ids, and whether cargo succeeded.
fn units(mut command: Command) -> std::io::Result<(Vec<(String, Unit)>, bool)> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut found = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        for message in Message::parse_stream(BufReader::new(stdout)) {
            let Message::CompilerArtifact(artifact) = message? else {
                continue;
            };
            for file in &artifact.filenames {
                let unit = (file.extension() == Some("rmeta"))
                    .then(|| unit(file.as_std_path()))
                    .flatten();
                found.extend(unit.map(|unit| (artifact.package_id.repr.clone(), unit)));
            }
        }
    }
    let status = child.wait()?;
    Ok((found, status.success()))
}

/// The files of a unit, if the wrapper has written them: it leaves out what is for the host.
fn unit(metadata: &std::path::Path) -> Option<Unit> {
    let [mir, expanded, note] = files_of(metadata)?;
    let note = serde_json::from_str(&std::fs::read_to_string(note).ok()?).ok()?;
    mir.is_file().then_some(Unit {
        note,
        mir,
        expanded,
    })
}
