//! Where a package is tested.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// All but the examples of the documentation.
pub(crate) const TARGETS: [&str; 4] = ["--lib", "--bins", "--tests", "--examples"];

/// A small package that depends on the newest version of the one whose tests are run.
pub(crate) struct Scratch {
    /// The name of the package under test.
    pub(crate) name: &'static str,
    /// Where the small package is.
    pub(crate) folder: PathBuf,
    /// Where everything is built.
    pub(crate) target: PathBuf,
}

impl Scratch {
    /// Writes it.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn new(root: &Path, name: &'static str, features: &[&str]) -> io::Result<Self> {
        let folder = root.join(name);
        let mut manifest =
            "[package]\nname = \"tested\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [workspace]\n\n[dependencies]\n"
                .to_owned();
        let _ = writeln!(
            manifest,
            "{name} = {{ version = \"*\", features = {features:?} }}"
        );
        fs::create_dir_all(folder.join("src"))?;
        fs::write(folder.join("Cargo.toml"), manifest)?;
        fs::write(folder.join("src/lib.rs"), "")?;
        Ok(Self {
            name,
            folder,
            target: root.join("target"),
        })
    }

    /// The copy that `cargo contest` has made of the package, if it has.
    ///
    /// # Errors
    /// If the folder of copies cannot be read.
    pub(crate) fn copy(&self) -> io::Result<Option<PathBuf>> {
        let mut found = None;
        let copies = self.target.join("contest/copies");
        if !copies.exists() {
            return Ok(None);
        }
        for entry in fs::read_dir(copies)? {
            let entry = entry?;
            let name = entry.file_name();
            let rest = name.to_str().and_then(|it| it.strip_prefix(self.name));
            let version = rest.and_then(|it| it.strip_prefix('-'));
            if version.is_some_and(|it| it.starts_with(|first: char| first.is_ascii_digit())) {
                found = Some(entry.path());
            }
        }
        Ok(found)
    }
}
