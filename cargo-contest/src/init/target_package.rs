//! Which package is edited: a member of the workspace, by `cargo metadata --no-deps`, which needs neither network nor
//! lock file.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::init_error::InitError;
use super::init_options::InitOptions;
use super::manifest::Manifest;
use contest_build::workspace::cargo_metadata::cargo;
use contest_build::workspace::logged_command::logged_output;

/// A member of a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetPackage {
    /// Name.
    pub name: String,
    /// Its manifest.
    pub manifest: PathBuf,
    /// The manifest of the workspace; the same, if the package is its own.
    pub root_manifest: PathBuf,
    /// There are other members.
    pub in_larger_workspace: bool,
    /// Cargo finds files in `tests/` by itself.
    pub finds_tests: bool,
    /// `rust-version`.
    pub rust_version: Option<String>,
}

impl TargetPackage {
    /// Where its manifest is.
    ///
    /// # Panics
    /// Never: a manifest is in a directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.manifest
            .parent()
            .expect("a manifest is in a directory")
    }
}

/// The selected package.
///
/// # Errors
/// If cargo cannot read the workspace, or it is not clear which member is meant.
pub fn find(options: &InitOptions) -> Result<TargetPackage, InitError> {
    let metadata = metadata(options)?;
    let root = PathBuf::from(text(&metadata["workspace_root"])).join("Cargo.toml");
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let names = || {
        packages
            .iter()
            .map(|it| text(&it["name"]))
            .collect::<Vec<_>>()
    };
    let manifest_of = |package: &Value| PathBuf::from(text(&package["manifest_path"]));
    let package = match &options.package {
        Some(name) => packages
            .iter()
            .find(|it| it["name"] == **name)
            .ok_or_else(|| InitError::NotAMember {
                name: name.clone(),
                members: names(),
            })?,
        None => {
            // As cargo does: the package of the manifest that is given, or of the nearest one.
            let here = nearest_manifest(options);
            match packages.iter().find(|it| Some(manifest_of(it)) == here) {
                Some(package) => package,
                None if packages.len() == 1 => &packages[0],
                None => return Err(InitError::Choose(names())),
            }
        }
    };
    let manifest = manifest_of(package);
    Ok(TargetPackage {
        name: text(&package["name"]),
        finds_tests: finds_tests(&manifest)?,
        manifest,
        root_manifest: root,
        in_larger_workspace: packages.len() > 1,
        rust_version: package["rust_version"].as_str().map(str::to_owned),
    })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn metadata(options: &InitOptions) -> Result<Value, InitError> {
    let mut command = cargo();
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    if let Some(manifest) = &options.manifest_path {
        command.arg("--manifest-path").arg(manifest);
    }
    command.args(&options.cargo_arguments);
    let output = logged_output(&mut command)
        .map_err(|error| InitError::Metadata(format!("cannot start cargo: {error}")))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(InitError::Metadata(message.trim_end().to_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| InitError::Metadata(error.to_string()))
}

/// `cargo locate-project`: the manifest that commands are about.
fn nearest_manifest(options: &InitOptions) -> Option<PathBuf> {
    let mut command = cargo();
    command.args(["locate-project", "--message-format", "plain"]);
    if let Some(manifest) = &options.manifest_path {
        command.arg("--manifest-path").arg(manifest);
    }
    let output = logged_output(&mut command).ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    Some(PathBuf::from(path.trim_end()))
}

/// `autotests`, which is true unless said otherwise.
fn finds_tests(manifest: &Path) -> Result<bool, InitError> {
    let manifest = Manifest::read(manifest)?;
    Ok(manifest
        .get(&["package", "autotests"])
        .and_then(toml_edit::Item::as_bool)
        .unwrap_or(true))
}
