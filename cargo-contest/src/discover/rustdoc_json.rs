//! Documentation of a package as JSON, by `cargo rustdoc`.
//!
//! The JSON form needs `RUSTC_BOOTSTRAP=1`. Only rustdoc may see it: build scripts probe for nightly features by it. So cargo is told
//! that this very program is rustdoc ([`run_as_rustdoc`]), which sets the variable and calls the real one.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use rustdoc_types::Crate;
use serde::Deserialize;

use crate::workspace::cargo_metadata::cargo;
use crate::workspace::selection::{FeatureSelection, Package};

/// If set, this program is called in place of rustdoc.
pub const AS_RUSTDOC: &str = "CONTEST_AS_RUSTDOC";
/// The rustdoc to call; `rustdoc` without it.
pub const REAL_RUSTDOC: &str = "CONTEST_REAL_RUSTDOC";

/// Why there is no documentation.
#[derive(Debug, thiserror::Error)]
pub enum RustdocError {
    /// Cargo or rustdoc failed; their own words.
    #[error("`{package}` does not build:\n{output}")]
    DoesNotBuild {
        /// Package id.
        package: String,
        /// What they printed.
        output: String,
    },
    /// Cargo could not be started.
    #[error("cannot start cargo")]
    Start(#[source] std::io::Error),
    /// The file is not there or not readable.
    #[error("cannot read {path}")]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Another toolchain.
    #[error(
        "this toolchain writes rustdoc JSON of format {found}, this build of cargo contest reads format {expected}; \
         use Rust 1.95 or a cargo contest made for your toolchain"
    )]
    Format {
        /// In the file.
        found: u32,
        /// That this program reads.
        expected: u32,
    },
    /// Not JSON, or not what its format version promises.
    #[error("cannot understand {path}")]
    Parse {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
}

/// True if this process was started in place of rustdoc.
#[must_use]
pub fn is_rustdoc() -> bool {
    std::env::var_os(AS_RUSTDOC).is_some()
}

/// Called as rustdoc: calls the real one with the same arguments, as if on nightly.
#[must_use]
pub fn run_as_rustdoc(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let rustdoc = std::env::var_os(REAL_RUSTDOC).unwrap_or_else(|| "rustdoc".into());
    let status = Command::new(&rustdoc)
        .args(arguments)
        .env("RUSTC_BOOTSTRAP", "1")
        .env_remove(AS_RUSTDOC)
        .status();
    match status {
        Ok(status) => u8::try_from(status.code().unwrap_or(1)).unwrap_or(1).into(),
        // Cargo shows what its rustdoc wrote when it fails.
        Err(_) => ExitCode::from(127),
    }
}

/// How to call cargo for documentation.
#[derive(Clone, Debug)]
pub struct Documenter<'a> {
    /// Whose graph.
    pub package: &'a Package,
    /// Features of the workspace.
    pub features: &'a FeatureSelection,
    /// More arguments for cargo, such as `--offline`.
    pub cargo_arguments: &'a [String],
    /// The program that answers to [`AS_RUSTDOC`].
    pub tool: &'a Path,
}

impl Documenter<'_> {
    /// Documentation of the package itself.
    ///
    /// # Errors
    /// If it does not build, or its documentation cannot be read.
    pub fn package(&self) -> Result<Crate, RustdocError> {
        self.document(
            &self.package.id,
            &self.package.library,
            &self.package.version,
        )
    }

    /// Documentation of a dependency, by crate name.
    ///
    /// # Errors
    /// In words: it is one gap in what is known, not the end.
    pub fn dependency(&self, library: &str) -> Result<Crate, String> {
        let dependency = self
            .package
            .dependencies
            .iter()
            .find(|it| it.library == library);
        let dependency = dependency.ok_or_else(|| "not a dependency of the package".to_owned())?;
        self.document(&dependency.id, &dependency.library, &dependency.version)
            .map_err(|error| first_line(&error.to_string()))
    }

    fn document(&self, id: &str, library: &str, version: &str) -> Result<Crate, RustdocError> {
        // Two versions of a crate write to the same file, so each has a directory for the last step, sharing no state.
        let directory = self.package.target_directory.join("contest").join("doc");
        let run = |rerun: bool| self.run(id, &directory, rerun);
        run(false)?;
        let path = json_path(&directory, library);
        let content = read(&path)?;
        if content.crate_version.as_deref() == Some(version) {
            return Ok(content);
        }
        run(true)?;
        read(&path)
    }

    fn run(&self, id: &str, directory: &Path, rerun: bool) -> Result<(), RustdocError> {
        let mut command = cargo();
        command
            .arg("rustdoc")
            .arg("--manifest-path")
            .arg(&self.package.graph_manifest);
        command
            .args(["--lib", "-p", id, "--target-dir"])
            .arg(directory);
        command.args(self.features.arguments());
        command.args(self.cargo_arguments);
        command.args(["--", "-Zunstable-options", "--output-format", "json"]);
        // Hidden items are named with the reason; private fields tell whether a type can change while it is shared.
        command.args(["--document-hidden-items", "--document-private-items"]);
        command.args(["--cap-lints", "allow"]);
        if rerun {
            // Cargo takes the file of another version for this one's.
            command.args(["--cfg", "contest_rerun"]);
        }
        let real = std::env::var_os(REAL_RUSTDOC).or_else(|| std::env::var_os("RUSTDOC"));
        if let Some(real) = real.filter(|it| it.as_os_str() != OsStr::new("")) {
            command.env(REAL_RUSTDOC, real);
        }
        command.env("RUSTDOC", self.tool).env(AS_RUSTDOC, "1");
        let output = command.output().map_err(RustdocError::Start)?;
        if output.status.success() {
            return Ok(());
        }
        Err(RustdocError::DoesNotBuild {
            package: id.to_owned(),
            output: String::from_utf8_lossy(&output.stderr)
                .trim_end()
                .to_owned(),
        })
    }
}

fn first_line(text: &str) -> String {
    let lines = text.lines().find(|it| it.starts_with("error"));
    lines.or(text.lines().next()).unwrap_or_default().to_owned()
}

/// With a default target in the user's configuration the file is one level deeper.
fn json_path(directory: &Path, library: &str) -> PathBuf {
    let file = format!("{library}.json");
    let plain = directory.join("doc").join(&file);
    let mut found: Vec<PathBuf> = vec![plain.clone()];
    if let Ok(entries) = std::fs::read_dir(directory) {
        found.extend(
            entries
                .flatten()
                .map(|it| it.path().join("doc").join(&file)),
        );
    }
    let written = |it: &PathBuf| std::fs::metadata(it).and_then(|it| it.modified()).ok();
    found
        .into_iter()
        .filter(|it| it.exists())
        .max_by_key(written)
        .unwrap_or(plain)
}

/// Reads a file of rustdoc.
///
/// # Errors
/// If it is not there, or of another format version.
pub fn read(path: &Path) -> Result<Crate, RustdocError> {
    #[derive(Deserialize)]
    struct Version {
        format_version: u32,
    }
    let text = std::fs::read(path).map_err(|source| RustdocError::Read {
        path: path.to_owned(),
        source,
    })?;
    let parse = |source| RustdocError::Parse {
        path: path.to_owned(),
        source,
    };
    // The version first: nothing else is promised to stay.
    let version: Version = serde_json::from_slice(&text).map_err(parse)?;
    if version.format_version != rustdoc_types::FORMAT_VERSION {
        return Err(RustdocError::Format {
            found: version.format_version,
            expected: rustdoc_types::FORMAT_VERSION,
        });
    }
    serde_json::from_slice(&text).map_err(parse)
}
