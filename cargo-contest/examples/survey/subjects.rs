//! What is surveyed.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use crate::list::CRATES;

/// One package to run on.
pub(crate) struct Subject {
    /// Its name.
    pub(crate) name: &'static str,
    /// Those that are on.
    pub(crate) features: Vec<&'static str>,
}

/// Those with these names, or all.
pub(crate) fn named(names: &[String]) -> Vec<Subject> {
    let all = CRATES.iter().filter(|(name, _)| {
        let mut named = names.iter();
        names.is_empty() || named.any(|it| it == name)
    });
    all.map(|&(name, features)| Subject {
        name,
        features: features.to_vec(),
    })
    .collect()
}

impl Subject {
    /// Writes a small package that depends on the newest version of the one under test.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn write_package(&self, folder: &Path) -> io::Result<()> {
        let mut manifest =
            "[package]\nname = \"surveyed\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
                            [workspace]\n\n[dependencies]\n"
                .to_owned();
        let features: Vec<String> = self.features.iter().map(|it| format!("{it:?}")).collect();
        let (name, features) = (self.name, features.join(", "));
        let _ = writeln!(
            manifest,
            "{name} = {{ version = \"*\", features = [{features}] }}"
        );
        fs::create_dir_all(folder.join("src"))?;
        fs::write(folder.join("Cargo.toml"), manifest)?;
        fs::write(folder.join("src/lib.rs"), "")
    }
}
