//! Where the runtime comes from: the registry, in the version of this tool, or a checkout.

use std::path::{Path, PathBuf};

use super::init_error::InitError;
use super::init_options::{InitOptions, RUNTIME};

/// Where the runtime comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DependencySpec {
    /// The registry, this version or a compatible one.
    Version(&'static str),
    /// A directory; absolute.
    Path(PathBuf),
    /// The checkout that this tool was built from, where the user has not chosen; absolute.
    OwnCheckout(PathBuf),
}

/// The source that the user chose; differences are noted. Without a choice it is the checkout that the tool was built
/// from, if there is one: what comes from there is perhaps not published.
///
/// # Errors
/// If the path leads to no checkout.
pub fn wanted(options: &InitOptions, notes: &mut Vec<String>) -> Result<DependencySpec, InitError> {
    let Some(path) = &options.checkout else {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(RUNTIME);
        let own = own.canonicalize().ok().filter(|_| !options.registry);
        return Ok(match own.filter(|own| version_in(own).is_some()) {
            Some(own) => DependencySpec::OwnCheckout(own),
            None => DependencySpec::Version(env!("CARGO_PKG_VERSION")),
        });
    };
    let missing = || InitError::NoCheckout(path.clone());
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
