//! Cargo run that has the compiler write what the analysis reads: nothing is linked, and what has not changed is not
//! compiled again.

use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::diagnostic::DiagnosticLevel;
use fnv::FnvHasher;

use super::source_package::SourcePackage;
use contest_build::instrument::mir_wrapper::{self, UnitNote, files_of};
use contest_build::workspace::cargo_build::{CargoMessage, build_into, run_cargo_until};
use contest_build::workspace::cargo_metadata::cargo;
use contest_build::workspace::selection::Package;
use contest_build::workspace::stop_handle::StopHandle;

/// Why there is nothing to read.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// Cargo could not be started, or its messages not be read.
    #[error("cannot run cargo")]
    Cargo(#[source] std::io::Error),
    /// The package does not compile, or the compiler does not know an option that is used here. The text is the error.
    #[error(
        "the package does not compile by itself, or this toolchain refuses to write its MIR: {0}"
    )]
    DoesNotCompile(String),
    /// The compiler has written something else than it did when this was written.
    #[error("this toolchain writes MIR in a form that is not known")]
    UnknownMir,
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

impl Unit {
    /// True if the compiler has written some function, in whatever form.
    pub(crate) fn has_code(&self) -> bool {
        let text = std::fs::read_to_string(&self.mir).unwrap_or_default();
        text.lines().any(|it| it.ends_with('{'))
    }
}

/// Checks the package and its graph. The package comes last.
pub(crate) fn compile(
    package: &SourcePackage,
    stop: &StopHandle,
) -> Result<Vec<Unit>, CompileError> {
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
    build_into(&mut command, &directory_of(of));
    let features = package.features.arguments();
    if !features.is_empty() && !of.is_member {
        // Cargo takes features only together with the members that have them.
        for member in &of.graph_members {
            command.args(["-p", member]);
        }
    }
    command.args(features).args(&package.cargo_arguments);
    mir_wrapper::apply(&package.tool, &mut command);
    let Compiled {
        units: found,
        refused,
    } = units(command, stop).map_err(CompileError::Cargo)?;
    let (mut units, mut own): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(id, _)| *id != of.id);
    if own.is_empty() || refused.is_some() {
        let nothing = "the compiler wrote none";
        let why = refused.unwrap_or_else(|| nothing.to_owned());
        return Err(CompileError::DoesNotCompile(why));
    }
    // A binary is built by a manifest elsewhere, and its places are those of the package.
    if let Some(directory) = of.manifest_path.parent() {
        for (_, unit) in &mut own {
            unit.note.package_directory = directory.to_owned();
        }
    }
    units.extend(own);
    Ok(units.into_iter().map(|(_, unit)| unit).collect())
}

/// Where the MIR of a workspace is. Cargo takes a copy of a package elsewhere for the same one, where both share a
/// target directory; but notes of units name the directories that they were compiled in.
fn directory_of(package: &Package) -> PathBuf {
    let mut hasher = FnvHasher::default();
    package.workspace_root.hash(&mut hasher);
    let name = format!("{:016x}", hasher.finish());
    package.target_directory.join("contest/mir").join(name)
}

/// What a run of cargo has made.
struct Compiled {
    /// Units with their package ids.
    units: Vec<(String, Unit)>,
    /// The first error if cargo failed.
    refused: Option<String>,
}

fn units(mut command: Command, stop: &StopHandle) -> std::io::Result<Compiled> {
    let mut found = Vec::new();
    let mut error = None;
    let end = run_cargo_until(&mut command, stop, &mut |message| match message {
        CargoMessage::Artifact(artifact) => {
            for file in &artifact.filenames {
                let unit = (file.extension() == Some("rmeta"))
                    .then(|| unit(file.as_std_path()))
                    .flatten();
                found.extend(unit.map(|unit| (artifact.package_id.repr.clone(), unit)));
            }
        }
        CargoMessage::Compiler(said) if said.message.level == DiagnosticLevel::Error => {
            error.get_or_insert(said.message.message);
        }
        _ => {}
    })?;
    let of_cargo = || {
        let lines = end.stderr.lines();
        let errors = lines.filter_map(|it| it.trim_start().strip_prefix("error: "));
        let errors: Vec<&str> = errors.collect();
        // That a package does not compile is cargo's error; the compiler says why, before it or after it.
        let of_compiler = errors
            .iter()
            .rfind(|it| !it.starts_with("could not compile"));
        let why = of_compiler.or(errors.last()).unwrap_or(&"cargo failed");
        (*why).to_owned()
    };
    let refused = (!end.success).then(|| error.unwrap_or_else(of_cargo));
    Ok(Compiled {
        units: found,
        refused,
    })
}

/// The files of a unit, if the wrapper has written them: it leaves out what is for the host.
fn unit(metadata: &Path) -> Option<Unit> {
    let [mir, expanded, note] = files_of(metadata)?;
    let note = serde_json::from_str(&std::fs::read_to_string(note).ok()?).ok()?;
    mir.is_file().then_some(Unit {
        note,
        mir,
        expanded,
    })
}
