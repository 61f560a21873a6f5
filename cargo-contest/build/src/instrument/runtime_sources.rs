//! The sources of the runtime and the facade as a cargo workspace of their own.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use toml::{Table, Value};

use crate::workspace::scratch_dir::{WriteError, write_if_changed};

/// Files of the tool's workspace that a tool carries, each a path relative to the workspace and a text. None in a
/// published package: the runtime comes from the registry then.
pub type EmbeddedFiles = &'static [(&'static str, &'static str)];

/// Directories of the packages, in the tool's workspace as in the scratch workspace.
const MEMBERS: [&str; 9] = [
    "contest-runtime/data",
    "contest-runtime/engine",
    "contest-runtime/search",
    "contest-runtime/std",
    "contest-runtime/campaign",
    "contest-runtime/wire",
    "contest-runtime/driver",
    "contest-runtime/facade",
    "contest-runtime/facade-macros",
];

/// Packages that are built, and with them what they need.
pub const BUILT: [&str; 2] = ["contest-facade", "contest-driver"];

/// Packages whose speed counts, and in how many parts the compiler takes each. One part gives the fastest code; more
/// are built side by side. They are built last, so that the first run on a machine waits for them.
const FAST: [(&str, i64); 10] = [
    ("contest-data", 1),
    ("contest-engine", 1),
    ("contest-search", 2),
    ("contest-std", 1),
    ("contest-campaign", 4),
    ("contest-driver", 2),
    ("gimli", 1),
    ("addr2line", 1),
    ("corosensei", 1),
    ("batsat", 1),
];

/// A package that is not optimised: much code for what a driver does now and then.
const RARE: &str = "contest-wire";

/// Files of a workspace with the packages of [`BUILT`] and what they need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeSources {
    /// Path relative to the workspace, and contents.
    pub files: Vec<(String, String)>,
}

impl RuntimeSources {
    /// Those that a tool carries.
    ///
    /// # Panics
    /// If a manifest of this project is not what the project's own build made of it.
    #[must_use]
    pub fn of(embedded: EmbeddedFiles) -> Self {
        if embedded.is_empty() {
            Self::from_registry()
        } else {
            Self::standalone(embedded)
        }
    }

    /// A workspace that takes the facade of the same version from the registry, and with it the runtime.
    fn from_registry() -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let mut manifest = toml::toml! {
            [package]
            name = "contest-runtime-build"
            version = "0.0.0"
            edition = "2024"
            publish = false
            [lib]
            path = "lib.rs"
            [workspace]
        };
        let mut dependencies = Table::new();
        for package in BUILT {
            dependencies.insert(package.into(), Value::String(format!("={version}")));
        }
        manifest.insert("dependencies".into(), Value::Table(dependencies));
        add_profile(&mut manifest);
        Self {
            files: vec![
                ("Cargo.toml".into(), manifest.to_string()),
                ("lib.rs".into(), String::new()),
            ],
        }
    }

    /// Takes what is needed from the files of the tool's workspace, without what only its development needs.
    fn standalone(workspace: &[(&str, &str)]) -> Self {
        let files = workspace
            .iter()
            .map(|(path, text)| {
                let text = match *path {
                    "Cargo.toml" => root_manifest(text),
                    path if path.ends_with("/Cargo.toml") => member_manifest(text),
                    _ => (*text).to_owned(),
                };
                ((*path).to_owned(), text)
            })
            .collect();
        Self { files }
    }

    /// Short name of these contents; two tools with the same sources share a build.
    #[must_use]
    pub fn fingerprint(&self, toolchain: &str) -> String {
        let mut hasher = DefaultHasher::new();
        self.files.hash(&mut hasher);
        toolchain.hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// Writes them to `directory`. An existing lock file stays: cargo has updated it.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, directory: &Path) -> Result<(), WriteError> {
        for (path, contents) in &self.files {
            let path = directory.join(path);
            if !(path.ends_with("Cargo.lock") && path.exists()) {
                write_if_changed(&path, contents)?;
            }
        }
        Ok(())
    }
}

fn parse(manifest: &str) -> Table {
    manifest
        .parse()
        .expect("cargo has read this manifest before")
}

/// The members inherit from it, so its tables stay; only the list of members and the profile are different.
fn root_manifest(text: &str) -> String {
    let mut manifest = parse(text);
    let members = MEMBERS.map(Value::from).to_vec();
    if let Some(Value::Table(workspace)) = manifest.get_mut("workspace") {
        workspace.insert("members".into(), Value::Array(members));
        for other in ["exclude", "default-members", "metadata"] {
            workspace.remove(other);
        }
    }
    add_profile(&mut manifest);
    manifest.to_string()
}

/// Tests and benchmarks are not embedded, and what only they need may not be downloadable where the tool runs.
fn member_manifest(text: &str) -> String {
    let mut manifest = parse(text);
    for development in [
        "dev-dependencies",
        "test",
        "bench",
        "example",
        "bin",
        "lints",
    ] {
        manifest.remove(development);
    }
    if let Some(Value::Table(targets)) = manifest.get_mut("target") {
        for (_, target) in targets.iter_mut() {
            if let Value::Table(target) = target {
                target.remove("dev-dependencies");
            }
        }
    }
    manifest.to_string()
}

/// What runs during executions and between them is optimised fully, and what reads debug information, for which the
/// first finding waits. What is read and written now and then takes as long to compile at level 1 as at 3, so it is not
/// optimised at all. Unwinding: panics are observed. No LTO: the rlibs
/// are linked into other builds, and LTO among the parts of one package costs more time than fewer parts do.
fn add_profile(manifest: &mut Table) {
    let mut profile = toml::toml! {
        [release]
        opt-level = 1
        panic = "unwind"
        debug = false
        strip = "none"
        lto = "off"
        [release.package."*"]
        debug = false
    };
    let release = profile.get_mut("release").and_then(Value::as_table_mut);
    let packages = release.and_then(|it| it.get_mut("package")?.as_table_mut());
    if let Some(packages) = packages {
        for (package, parts) in FAST {
            let fast = toml::toml! {
                opt-level = 3
                codegen-units = parts
            };
            packages.insert(package.into(), Value::Table(fast));
        }
        let rare = toml::toml! {
            opt-level = 0
        };
        packages.insert(RARE.into(), Value::Table(rare));
    }
    manifest.insert("profile".into(), Value::Table(profile));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_toolchain_or_another_source_is_another_build() {
        let sources = RuntimeSources {
            files: vec![("a".into(), "b".into())],
        };
        let other = RuntimeSources {
            files: vec![("a".into(), "c".into())],
        };
        let fingerprint = sources.fingerprint("rustc 1");
        assert_eq!(fingerprint, sources.fingerprint("rustc 1"));
        assert_ne!(fingerprint, sources.fingerprint("rustc 2"));
        assert_ne!(fingerprint, other.fingerprint("rustc 1"));
    }

    #[test]
    fn without_embedded_sources_the_same_version_comes_from_the_registry() {
        let sources = RuntimeSources::from_registry();
        let manifest: Table = sources.files[0].1.parse().unwrap();
        assert_eq!(
            manifest["dependencies"]["contest-facade"].as_str().unwrap(),
            concat!("=", env!("CARGO_PKG_VERSION"))
        );
    }
}
