//! Documentation of a package as JSON, by `cargo rustdoc`.
//!
//! The JSON form needs `RUSTC_BOOTSTRAP=1`. Only rustdoc may see it, since build scripts use it to probe for nightly
//! features. So cargo is configured with this program as its rustdoc ([`run_as_rustdoc`]), which sets the variable and
//! calls the real one.

use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use super::documentation::{Documentation, FORMATS, Unreadable};
use contest_build::workspace::cargo_build::build_into;
use contest_build::workspace::cargo_metadata::cargo;
use contest_build::workspace::internal_sources::InternalSources;
use contest_build::workspace::logged_command::logged_output;
use contest_build::workspace::selection::{FeatureSelection, Package};

/// If set, this program was called in place of rustdoc.
pub const AS_RUSTDOC: &str = "CONTEST_AS_RUSTDOC";
/// The rustdoc to call; `rustdoc` without it.
pub const REAL_RUSTDOC: &str = "CONTEST_REAL_RUSTDOC";

/// [`InternalSources`] of the package, as JSON, if its internal types are to be public.
const INTERNAL: &str = "CONTEST_INTERNAL_SOURCES";
/// Its output directory.
const JSON_DIRECTORY: &str = "CONTEST_JSON_DIRECTORY";

/// Why there is no documentation.
#[derive(Debug, thiserror::Error)]
pub enum RustdocError {
    /// Cargo or rustdoc failed, with their output.
    #[error("`{package}` does not build:\n{output}")]
    DoesNotBuild {
        /// Package id.
        package: String,
        /// What they printed.
        output: String,
    },
    /// The requested crate is not a dependency of the package.
    #[error("not a dependency of the package")]
    NotADependency,
    /// Cargo could not be started.
    #[error("cannot start cargo")]
    Start(#[source] std::io::Error),
    /// The file is not there or not readable.
    #[error("cannot read {path}")]
    Read {
        /// Which file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A toolchain that is too old or too new.
    #[error(
        "this toolchain writes rustdoc JSON of format {found}, this build of cargo contest reads formats {} to {} ({why}); use \
         another Rust, with `rustup override set`, or a cargo contest made for your toolchain",
        FORMATS.start(),
        FORMATS.end()
    )]
    Format {
        /// In the file.
        found: u32,
        /// What is missing.
        why: String,
    },
    /// Not JSON, or not what its format version promises.
    #[error("cannot understand {path}")]
    Parse {
        /// Which file.
        path: PathBuf,
        /// The cause.
        source: serde_json::Error,
    },
}

impl RustdocError {
    /// The most informative line of its message.
    #[must_use]
    pub(super) fn first_line(&self) -> String {
        let text = self.to_string();
        let error = text.lines().find(|it| it.starts_with("error"));
        error.or(text.lines().next()).unwrap_or_default().to_owned()
    }
}

/// True if this process was started in place of rustdoc.
#[must_use]
pub fn is_rustdoc() -> bool {
    std::env::var_os(AS_RUSTDOC).is_some()
}

/// Arguments of the real rustdoc.
const FLAGS: &[&str] = &[
    "-Zunstable-options",
    "--output-format",
    "json",
    // Hidden items are named with the reason; private fields show whether a type can change while it is shared.
    "--document-hidden-items",
    "--document-private-items",
    "--cap-lints",
    "allow",
];

/// Called as rustdoc: calls the real one as if on nightly, for JSON.
#[must_use]
pub fn run_as_rustdoc(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(directory) = std::env::var_os(JSON_DIRECTORY) {
        write_json(&mut arguments, directory);
    }
    let internal = std::env::var(INTERNAL).ok();
    let internal = internal.and_then(|it| serde_json::from_str::<InternalSources>(&it).ok());
    if let (Some(internal), Ok(here)) = (internal, std::env::current_dir()) {
        internal.redirect(&mut arguments, &here);
    }
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

/// Turns a call that writes pages into one that writes JSON. Other calls (`-vV`) stay as they are. Cargo does not find
/// the pages it expects, so it has the documentation written again each time: it is never that of other features or of
/// another toolchain.
fn write_json(arguments: &mut Vec<OsString>, directory: OsString) {
    let output = arguments
        .iter()
        .position(|it| it == "-o" || it == "--out-dir");
    if let Some(value) = output.and_then(|it| arguments.get_mut(it + 1)) {
        *value = directory;
        arguments.extend(FLAGS.iter().map(OsString::from));
    }
}

/// How to call cargo for documentation.
#[derive(Clone, Debug)]
pub struct Documenter<'a> {
    /// The package whose graph is used.
    pub package: &'a Package,
    /// Features of the workspace.
    pub features: &'a FeatureSelection,
    /// More arguments for cargo, such as `--offline`.
    pub cargo_arguments: &'a [String],
    /// The program that acts as rustdoc, see [`AS_RUSTDOC`].
    pub tool: &'a Path,
}

impl Documenter<'_> {
    /// Documentation of the package itself.
    ///
    /// # Errors
    /// If it does not build, or its documentation cannot be read.
    pub fn package(&self) -> Result<Documentation, RustdocError> {
        self.document(&self.package.id, &self.package.library)
    }

    /// Documentation of a dependency, by crate name.
    ///
    /// # Errors
    /// If it is not a dependency, or cannot be documented.
    pub fn dependency(&self, library: &str) -> Result<Documentation, RustdocError> {
        let dependency = self
            .package
            .dependencies
            .iter()
            .find(|it| it.library == library);
        let dependency = dependency.ok_or(RustdocError::NotADependency)?;
        let (id, library) = (&dependency.id, &dependency.library);
        if id.starts_with("path+") {
            return self.document(id, library);
        }
        // What is published does not change: it is documented once for each toolchain and set of features.
        let directory = self.json_directory(id, library);
        let file = directory.join("as-of");
        let stamp = self.stamp(library, &dependency.version);
        if std::fs::read_to_string(&file).is_ok_and(|it| it == stamp)
            && let Ok(kept) = read(&directory.join(format!("{library}.json")))
        {
            return Ok(kept);
        }
        let read = self.document(id, library)?;
        // Without it the crate is documented again.
        let _ = std::fs::write(&file, stamp);
        Ok(read)
    }

    /// All that the documentation of a published crate depends on.
    fn stamp(&self, library: &str, version: &str) -> String {
        let mut rustc = Command::new("rustc");
        rustc.arg("-vV").current_dir(&self.package.workspace_root);
        let toolchain = logged_output(&mut rustc)
            .map(|it| it.stdout)
            .unwrap_or_default();
        let mut others = self.package.others.iter();
        let features = others.find(|it| it.library == library && it.version == version);
        let variable = |name| std::env::var(name).unwrap_or_default();
        format!(
            "{}{FLAGS:?}{:?}{}{}",
            String::from_utf8_lossy(&toolchain),
            features.map(|it| &it.features),
            variable("RUSTFLAGS"),
            variable("RUSTDOCFLAGS")
        )
    }

    fn json_directory(&self, id: &str, library: &str) -> PathBuf {
        let directory = self.package.target_directory.join("contest").join("doc");
        // Several versions of a crate, or crates of one name in workspaces that share a target directory, are kept
        // apart.
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        directory
            .join("json")
            .join(format!("{library}-{:016x}", hasher.finish()))
    }

    fn document(&self, id: &str, library: &str) -> Result<Documentation, RustdocError> {
        let directory = self.package.target_directory.join("contest").join("doc");
        let json = self.json_directory(id, library);
        let mut command = cargo();
        command.args(["doc", "--no-deps", "--lib", "--manifest-path"]);
        command.arg(&self.package.graph_manifest);
        command.args(["-p", id]);
        build_into(&mut command, &directory);
        // For the target of drivers, whatever the user's configuration selects.
        command.args(["--target", "host-tuple"]);
        let features = self.features.arguments();
        if !features.is_empty() {
            // Cargo takes features only together with the members that have them.
            let members = match self.package.is_member {
                true => std::slice::from_ref(&self.package.id),
                false => &self.package.graph_members,
            };
            for member in members.iter().filter(|it| *it != id) {
                command.args(["-p", member]);
            }
        }
        command.args(features);
        command.args(self.cargo_arguments);
        let real = std::env::var_os(REAL_RUSTDOC).or_else(|| std::env::var_os("RUSTDOC"));
        if let Some(real) = real.filter(|it| it.as_os_str() != OsStr::new("")) {
            command.env(REAL_RUSTDOC, real);
        }
        command.env("RUSTDOC", self.tool).env(AS_RUSTDOC, "1");
        command.env(JSON_DIRECTORY, &json);
        if let Some(internal) = &self.package.internal
            && let Ok(internal) = serde_json::to_string(internal)
        {
            command.env(INTERNAL, internal);
        }
        let output = logged_output(&mut command).map_err(RustdocError::Start)?;
        if !output.status.success() {
            return Err(RustdocError::DoesNotBuild {
                package: id.to_owned(),
                output: String::from_utf8_lossy(&output.stderr)
                    .trim_end()
                    .to_owned(),
            });
        }
        read(&json.join(format!("{library}.json")))
    }
}

/// Reads a file of rustdoc.
///
/// # Errors
/// If it is not there, or not even its root can be read.
pub fn read(path: &Path) -> Result<Documentation, RustdocError> {
    let text = std::fs::read(path).map_err(|source| RustdocError::Read {
        path: path.to_owned(),
        source,
    })?;
    Documentation::of(&text).map_err(|unreadable| match unreadable {
        Unreadable::Format(found, why) => RustdocError::Format { found, why },
        Unreadable::Json(source) => RustdocError::Parse {
            path: path.to_owned(),
            source,
        },
    })
}
