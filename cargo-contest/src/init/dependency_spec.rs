//! Where the runtime comes from: the registry, in the version of this tool, or a checkout.

use std::path::{Path, PathBuf};

use super::init_error::InitError;
use super::init_options::RUNTIME;

/// Where the runtime comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DependencySpec {
    /// The registry, this version or a compatible one.
    Version(&'static str),
    /// A directory; absolute.
    Path(PathBuf),
}

/// The source that the user chose; differences are noted.
///
/// # Errors
/// If the path leads to no checkout.
pub fn wanted(
    checkout: Option<&Path>,
    notes: &mut Vec<String>,
) -> Result<DependencySpec, InitError> {
    let Some(path) = checkout else {
        return Ok(DependencySpec::Version(env!("CARGO_PKG_VERSION")));
    };
    let missing = || InitError::NoCheckout(path.to_path_buf());
    let directory = path.canonicalize().map_err(|_| missing())?;
    let (directory, version) = [directory.join(RUNTIME), directory]
        .into_iter()
        .find_map(|directory| {
            let version = version_in(&directory)?;
            Some((directory, version))
        })
        .ok_or_else(missing)?;
    if let Some(version) = version.filter(|version| version != env!("CARGO_PKG_VERSION")) {
        notes.push(format!(
            "the checkout has version {version}, this tool is {}",
            env!("CARGO_PKG_VERSION")
        ));
    }
    Ok(DependencySpec::Path(directory))
}

/// `Some` if there is the runtime's manifest; its version, unless it inherits it.
fn version_in(directory: &Path) -> Option<Option<String>> {
    let text = std::fs::read_to_string(directory.join("Cargo.toml")).ok()?;
    let manifest: toml::Table = text.parse().ok()?;
    let package = manifest.get("package")?;
    (package.get("name")?.as_str()? == RUNTIME).then(|| {
        let version = package.get("version")?;
        Some(version.as_str()?.to_owned())
    })
}

/// A path as written in a manifest in another directory: relative, with `/`.
#[must_use]
pub fn relative(to: &Path, from: &Path) -> String {
    let from = from.canonicalize().unwrap_or_else(|_| from.to_path_buf());
    let shared = to
        .components()
        .zip(from.components())
        .take_while(|(a, b)| a == b)
        .count();
    // On another drive, or with only the root in common, an absolute path is clearer.
    if shared <= 1 {
        return to.display().to_string();
    }
    let up = from.components().skip(shared).map(|_| "..".to_owned());
    let down = to
        .components()
        .skip(shared)
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = up.chain(down).collect();
    if parts.is_empty() {
        ".".to_owned()
    } else {
        parts.join("/")
    }
}
