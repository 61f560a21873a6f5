//! Builds the facade and the runtime, by a cargo run of their own, once per tool and toolchain.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};
use tracing::{debug, info_span};

use crate::instrument::access_flags::{ACCESS_FLAGS, KEPT, why_refused};
use crate::instrument::runtime_sources::{BUILT, RuntimeSources};
use crate::workspace::cargo_build::{CargoMessage, FailureCause, Toolchain, run_cargo};
use crate::workspace::scratch_dir::{WriteError, make_directory, write_if_changed};

/// Where the built facade is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facade {
    /// Stands in for `std`, `core` and `alloc`.
    pub facade_rlib: PathBuf,
    /// The driver's library, `contest` in the generated driver.
    pub driver_rlib: PathBuf,
    /// Where rustc finds what these depend on.
    pub dependency_directories: Vec<PathBuf>,
    /// Names sources and toolchain; what is compiled with the facade goes to a directory with this in its name.
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

/// Builds the facade under `directory`, in `runtime-<fingerprint>`, unless it is there.
///
/// # Errors
/// If it cannot be written or built.
pub fn build_facade(
    toolchain: &Toolchain,
    sources: &RuntimeSources,
    directory: &Path,
    on_message: &mut dyn FnMut(CargoMessage),
) -> Result<Facade, FacadeError> {
    // Cargo does not know the flags that the wrapper adds: with other flags it is another build.
    let fingerprint = sources.fingerprint(&format!(
        "{}{ACCESS_FLAGS:?}{KEPT:?}",
        toolchain.version_text
    ));
    let _span = info_span!("facade build", fingerprint).entered();
    let scratch = directory.join(format!("runtime-{fingerprint}"));
    let stamp = scratch.join("built.json");
    if let Some(facade) = built_before(&stamp) {
        debug!(stamp = %stamp.display(), "built before");
        return Ok(facade);
    }
    sources.write(&scratch)?;
    let target = scratch.join("target");
    make_directory(&target)?;

    let mut artifacts = Vec::new();
    let mut diagnostics = String::new();
    let mut run = |offline: bool| {
        diagnostics.clear();
        let mut command = build_command(toolchain, &scratch, &target);
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
        if end.cause() == FailureCause::NotWritable {
            let source = io::Error::other(end.stderr.trim().to_owned());
            return Err(WriteError::new(target, source).into());
        }
        return Err(does_not_build(toolchain, diagnostics + &end.stderr));
    }

    let rlib = |name: &str| {
        artifacts
            .iter()
            .filter(|artifact| artifact.target.name.replace('-', "_") == name)
            .find_map(|artifact| rlib_of(artifact.filenames.iter().map(AsRef::as_ref)))
            .ok_or_else(|| {
                does_not_build(
                    toolchain,
                    format!("cargo did not name the library `{name}`"),
                )
            })
    };
    let facade = Facade {
        facade_rlib: rlib("contest_facade")?,
        driver_rlib: rlib("contest_driver")?,
        dependency_directories: vec![
            target.join(&toolchain.host).join("release/deps"),
            // Macros, which are loaded with the crates that re-export them.
            target.join("release/deps"),
        ],
        fingerprint,
        accesses_refused: why_refused(toolchain),
    };
    // Paths that are not UTF-8 cannot be stored; the next run then calls cargo again.
    if let Ok(text) = serde_json::to_string(&facade) {
        write_if_changed(&stamp, &text)?;
    }
    Ok(facade)
}

fn does_not_build(toolchain: &Toolchain, text: String) -> FacadeError {
    FacadeError::DoesNotBuild {
        release: toolchain.release.clone(),
        text,
    }
}

/// What an earlier run built, if it is still there.
fn built_before(stamp: &Path) -> Option<Facade> {
    let facade: Facade = serde_json::from_str(&fs::read_to_string(stamp).ok()?).ok()?;
    let rlibs = [&facade.facade_rlib, &facade.driver_rlib];
    rlibs.iter().all(|it| it.is_file()).then_some(facade)
}

/// Outside the user's configuration and flags: they are for the user's crates, and their contents (vendored sources,
/// code coverage, LTO) need not fit the runtime.
fn build_command(toolchain: &Toolchain, scratch: &Path, target: &Path) -> Command {
    let root = scratch.ancestors().last().unwrap_or(scratch);
    let mut command = toolchain.cargo(root);
    command
        .args(["build", "--release"])
        .args(BUILT.iter().flat_map(|it| ["--package", it]))
        .args(["--message-format", "json"])
        .args(["--target", &toolchain.host])
        .arg("--manifest-path")
        .arg(scratch.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        // Call stacks of the code under test are followed through the runtime.
        .env("CARGO_ENCODED_RUSTFLAGS", "-Cforce-frame-pointers=yes")
        .env_remove("RUSTFLAGS")
        // Libraries are searched there, even if the user keeps intermediate ones elsewhere.
        .env("CARGO_BUILD_BUILD_DIR", target);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PROFILE_") || text.starts_with("CONTEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// The library in `deps`, whose name has a hash: of the file that cargo copies out, rustc does not know that it is the
/// same.
fn rlib_of<'a>(mut filenames: impl Iterator<Item = &'a Path>) -> Option<PathBuf> {
    filenames
        .find(|path| {
            path.extension().is_some_and(|it| it == "rmeta")
                && path.parent().is_some_and(|it| it.ends_with("deps"))
        })
        .map(|path| path.with_extension("rlib"))
}
