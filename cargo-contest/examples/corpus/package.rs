//! A small package that depends on one version of a crate.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::entries::{Entry, lock};

/// Writes the package below `root`: `bug` or `fix` of an entry.
///
/// # Errors
/// If the folder cannot be written.
pub(crate) fn write(
    root: &Path,
    entry: &Entry,
    suffix: &str,
    version: &str,
) -> io::Result<PathBuf> {
    let label = format!("{}-{suffix}", entry.id);
    let folder = root.join("packages").join(&label);
    let features: Vec<String> = entry.features.iter().map(|it| format!("{it:?}")).collect();
    let beside = match &entry.beside_fixed {
        Some(other) if version == entry.fixed => Some(other),
        _ => entry.beside.as_ref(),
    };
    let manifest = format!(
        "[package]\nname = \"p-{label}\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n\
         [dependencies]\n{} = {{ version = \"={version}\", default-features = {}, features = [{}] }}\n{}\n\n\
         [workspace]\n",
        entry.package,
        entry.default_features,
        features.join(", "),
        beside.map_or("", String::as_str),
    );
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::write(folder.join("src/main.rs"), "fn main() {}\n")?;
    if let Some(lock) = lock(&label) {
        fs::write(folder.join("Cargo.lock"), lock)?;
    }
    Ok(folder)
}
