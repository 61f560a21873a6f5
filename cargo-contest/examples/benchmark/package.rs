//! Packages in which commands are run: copies, and small ones that depend on a crate.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::places::places;
use crate::record::{Side, root};

/// Where copies and build output go: `target/benchmark`.
pub(crate) struct Place {
    pub(crate) tool: PathBuf,
    pub(crate) folder: PathBuf,
}

impl Place {
    /// Beside this executable.
    pub(crate) fn new() -> Self {
        let (tool, folder) = places("benchmark");
        Self { tool, folder }
    }

    /// A package for one side of a record, made anew. `replaced` is a file of it and what is there instead; `further`
    /// are lines at the end of its manifest.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn package(
        &self,
        label: &str,
        side: &Side,
        replaced: Option<(&str, &Path)>,
        further: &str,
    ) -> io::Result<PathBuf> {
        let folder = self.folder.join("packages").join(label.replace('/', "-"));
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(folder.join("src"))?;
        let manifest = match &side.path {
            Some(path) => {
                copy(&root().join(path), &folder)?;
                fs::read_to_string(folder.join("Cargo.toml"))?
            }
            None => {
                fs::write(folder.join("src/main.rs"), "fn main() {}\n")?;
                if let Some(lock) = &side.lock {
                    fs::copy(root().join(lock), folder.join("Cargo.lock"))?;
                }
                of_dependencies(label, side)
            }
        };
        fs::write(
            folder.join("Cargo.toml"),
            format!("{manifest}\n{further}\n[workspace]\n"),
        )?;
        if let Some((file, with)) = replaced {
            let file = folder.join(file);
            fs::create_dir_all(file.parent().expect("a file is in a folder"))?;
            fs::copy(with, file)?;
        }
        Ok(folder)
    }
}

/// The name has that of the entry, because lock files have it too.
fn of_dependencies(label: &str, side: &Side) -> String {
    let name = label.rsplit('/').next().unwrap_or_default();
    format!(
        "[package]\nname = \"p-{name}\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\n{}\n",
        side.dependencies.join("\n"),
    )
}

/// The name of the package of a manifest.
pub(crate) fn name_of(manifest: &str) -> Option<&str> {
    let line = manifest.lines().find(|it| it.starts_with("name = "))?;
    line.split('"').nth(1)
}

/// What was built in the original stays there.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == "target" || name == "Cargo.lock" {
            continue;
        }
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to.join(name))?;
        } else {
            fs::copy(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}
