//! The crates that are counted when none is named, and a package that depends on them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use cargo_metadata::semver::Version;
use serde::Deserialize;

use crate::list::CRATES;

/// Their names.
pub(crate) fn names() -> Vec<String> {
    let names = CRATES.iter().map(|(name, _)| (*name).to_owned());
    names.collect()
}

/// Writes a package that depends on all of them; its manifest.
///
/// # Errors
/// If the folder cannot be written.
pub(crate) fn package(folder: &Path) -> io::Result<PathBuf> {
    let mut manifest = "[package]\nname = \"reach\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
                        [workspace]\n\n[dependencies]\n"
        .to_owned();
    for (name, features) in CRATES {
        let features: Vec<String> = features.iter().map(|it| format!("{it:?}")).collect();
        let features = features.join(", ");
        let line = format_args!("{name} = {{ version = \"*\", features = [{features}] }}");
        let _ = writeln!(manifest, "{line}");
    }
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("src/lib.rs"), "")?;
    let path = folder.join("Cargo.toml");
    fs::write(&path, manifest)?;
    Ok(path)
}

/// The package of this name as cargo names one: its newest version, if the lock file has several.
pub(crate) fn newest(manifest: &Path, name: &str) -> String {
    #[derive(Deserialize)]
    struct Lock {
        package: Vec<Locked>,
    }
    #[derive(Deserialize)]
    struct Locked {
        name: String,
        version: Version,
    }
    let text = fs::read_to_string(manifest.with_file_name("Cargo.lock"));
    let lock = text.ok().and_then(|it| toml::from_str::<Lock>(&it).ok());
    let all = lock.into_iter().flat_map(|it| it.package);
    let newest = all.filter(|it| it.name == name).map(|it| it.version).max();
    newest.map_or_else(|| name.to_owned(), |it| format!("{name}@{it}"))
}
