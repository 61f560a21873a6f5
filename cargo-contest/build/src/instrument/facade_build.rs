//! Builds the facade and the runtime, by a cargo run of their own.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::instrument::access_flags::{ACCESS_FLAGS, KEPT};
use crate::instrument::runtime_sources::{BUILT, RuntimeSources};
use crate::instrument::unit_notes::{self, UnitNotes, note_units};
use crate::workspace::cargo_build::{CargoMessage, FailureCause, Toolchain, build_into, run_cargo};
use crate::workspace::scratch_dir::{WriteError, make_directory};

/// Call stacks of the code under test are followed through the runtime.
const FLAGS: &str = "-Cforce-frame-pointers=yes";

/// Where the built facade is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facade {
    /// Stands in for `std`, `core` and `alloc`.
    pub facade_rlib: PathBuf,
    /// The driver's library, `contest` in the generated driver.
    pub driver_rlib: PathBuf,
    /// Directory of the directories of the sources of drop-ins for lock libraries.
    pub lock_sources: PathBuf,
    /// Where rustc finds what these depend on.
    pub dependency_directories: Vec<PathBuf>,
    /// Names sources, toolchain and the libraries themselves; what is compiled with them goes to a directory with this
    /// in its name.
    pub fingerprint: String,
    /// Why memory accesses cannot be made visible with this toolchain, if so.
    pub accesses_refused: Option<String>,
}

/// Why there is no facade.
#[derive(Debug, thiserror::Error)]
pub enum FacadeError {
    /// The target directory cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Cargo cannot be run.
    #[error("cannot run {path}: {1}", path = .0.display())]
    Cargo(PathBuf, #[source] io::Error),
    /// Its dependencies are not in the registry cache, and there is no network. The text is cargo's.
    #[error(
        "the runtime of cargo-contest needs crates that are not in the registry cache; run once with network access\n{0}"
    )]
    Offline(String),
    /// It does not compile: a toolchain too old or too new. The text is the compiler's.
    #[error(
        "the runtime of cargo-contest does not build with Rust {release}; it needs Rust {} or newer\n{text}",
        env!("CARGO_PKG_RUST_VERSION")
    )]
    DoesNotBuild {
        /// Release of the compiler.
        release: String,
        /// Diagnostics.
        text: String,
    },
}

/// What cargo has built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltLibraries {
    /// The facade.
    pub facade_rlib: PathBuf,
    /// The driver's library.
    pub driver_rlib: PathBuf,
    /// Directory of the directories of the sources of drop-ins for lock libraries, if cargo named it.
    pub lock_sources: Option<PathBuf>,
    /// These two and all that they depend on, macros included.
    pub files: Vec<PathBuf>,
}

/// Name of a build: of these sources, by this toolchain, with the flags of this tool.
#[must_use]
pub fn fingerprint(toolchain: &Toolchain, sources: &RuntimeSources) -> String {
    // Cargo does not know the flags that the wrapper adds: with other flags it is another build.
    sources.fingerprint(&format!(
        "{}{FLAGS:?}{ACCESS_FLAGS:?}{KEPT:?}{}",
        toolchain.version_text,
        unit_notes::VERSION
    ))
}

/// Builds the facade and the driver's library in `scratch`, a directory for the sources and what cargo makes of them.
/// What an earlier run has built there is not built again. `tool` is this program, which cargo calls for each unit.
///
/// # Errors
/// If they cannot be written or built. A directory without space is [`FacadeError::Write`].
pub fn build_libraries(
    toolchain: &Toolchain,
    sources: &RuntimeSources,
    scratch: &Path,
    tool: &Path,
    on_message: &mut dyn FnMut(CargoMessage),
) -> Result<BuiltLibraries, FacadeError> {
    sources.write(scratch)?;
    let target = scratch.join("target");
    make_directory(&target)?;
    let notes = UnitNotes::new(target.join("notes"));

    let mut artifacts = Vec::new();
    let mut diagnostics = String::new();
    let mut run = |offline: bool| {
        diagnostics.clear();
        let mut command = build_command(toolchain, scratch, &target);
        note_units(&mut command, tool, &notes);
        if offline {
            command.arg("--offline");
        }
        run_cargo(&mut command, &mut |message| {
            match &message {
                CargoMessage::Artifact(artifact) => artifacts.push((**artifact).clone()),
                CargoMessage::Compiler(message) => {
                    if let Some(text) = &message.message.rendered
                        && message.message.level
                            == cargo_metadata::diagnostic::DiagnosticLevel::Error
                    {
                        diagnostics.push_str(text);
                    }
                }
                CargoMessage::BuildScript(_) | CargoMessage::Progress { .. } => {}
            }
            on_message(message);
        })
        .map_err(|error| FacadeError::Cargo(toolchain.cargo.clone(), error))
    };
    let mut end = run(false)?;
    if !end.success && end.cause() == FailureCause::Offline {
        // Without a network cargo gives up even if everything it needs is in the cache.
        let online = end;
        end = run(true)?;
        if !end.success {
            return Err(FacadeError::Offline(online.stderr));
        }
    }
    if !end.success {
        let said = diagnostics + &end.stderr;
        if let Some(line) = line_about_space(&said) {
            return Err(WriteError::new(target, io::Error::other(line.to_owned())).into());
        }
        if is_full(&target) {
            // A linker writes to mapped memory, and dies without a word about space.
            let full = io::Error::other("No space left on device");
            return Err(WriteError::new(target, full).into());
        }
        if end.cause() == FailureCause::NotWritable {
            let source = io::Error::other(end.stderr.trim().to_owned());
            return Err(WriteError::new(target, source).into());
        }
        return Err(does_not_build(toolchain, said));
    }

    let mut files = BTreeMap::new();
    for artifact in &artifacts {
        let paths = || artifact.filenames.iter().map(|it| it.as_std_path());
        let name = artifact.target.name.replace('-', "_");
        if artifact.target.is_proc_macro() {
            // Loaded with the crates that re-export it.
            files.extend(paths().map(|path| (path.to_owned(), name.clone())));
        } else if let Some(made) = notes.noted(paths()) {
            // The compiler writes metadata and library side by side, under one name. Of a copy that cargo makes it does
            // not know that it is the same.
            files.insert(made.with_extension("rlib"), name);
        }
    }
    let rlib = |name: &str| {
        let mut named = files.iter().filter(|(_, it)| *it == name);
        named.next().map(|(path, _)| path.clone()).ok_or_else(|| {
            does_not_build(
                toolchain,
                format!("cargo did not name the library `{name}`"),
            )
        })
    };
    // From wherever the sources come: a published tool takes them from the registry.
    let drop_ins = artifacts.iter().find(|it| it.target.name == "contest_std");
    let drop_ins = drop_ins.and_then(|it| it.target.src_path.parent());
    Ok(BuiltLibraries {
        lock_sources: drop_ins.map(|it| it.as_std_path().to_owned()),
        facade_rlib: rlib("contest_facade")?,
        driver_rlib: rlib("contest_driver")?,
        files: files.into_keys().collect(),
    })
}

/// The line that says that the disk is full: by cargo, by the compiler, or by the signal for a process that writes to
/// mapped memory for which the disk has no place.
fn line_about_space(said: &str) -> Option<&str> {
    const PHRASES: [&str; 4] = [
        "No space left on device",
        "Disk quota exceeded",
        "File too large",
        "SIGBUS",
    ];
    said.lines()
        .map(str::trim)
        .find(|line| PHRASES.iter().any(|it| line.contains(it)))
}

/// True if the file system of this directory has hardly any room left.
#[cfg(unix)]
fn is_full(directory: &Path) -> bool {
    const ROOM: u64 = 1 << 20;
    rustix::fs::statvfs(directory).is_ok_and(|it| it.f_bavail.saturating_mul(it.f_frsize) < ROOM)
}

#[cfg(not(unix))]
fn is_full(_directory: &Path) -> bool {
    false
}

fn does_not_build(toolchain: &Toolchain, text: String) -> FacadeError {
    FacadeError::DoesNotBuild {
        release: toolchain.release.clone(),
        text,
    }
}

/// Outside the user's configuration and flags: they are for the user's crates, and their contents (vendored sources,
/// code coverage, LTO) need not fit the runtime.
fn build_command(toolchain: &Toolchain, scratch: &Path, target: &Path) -> Command {
    let root = scratch.ancestors().last().unwrap_or(scratch);
    let mut flags = std::ffi::OsString::from(FLAGS);
    // The same libraries come out wherever they are built.
    flags.push("\x1f--remap-path-prefix=");
    flags.push(scratch);
    flags.push("=/cargo-contest");
    let mut command = toolchain.cargo(root);
    command
        .args(["build", "--release"])
        .args(BUILT.iter().flat_map(|it| ["--package", it]))
        .args(["--message-format", "json"])
        .args(["--target", &toolchain.host])
        .arg("--manifest-path")
        .arg(scratch.join("Cargo.toml"))
        .env("CARGO_ENCODED_RUSTFLAGS", flags)
        .env_remove("RUSTFLAGS");
    build_into(&mut command, target);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PROFILE_") || text.starts_with("CONTEST_") {
            command.env_remove(&name);
        }
    }
    command
}
