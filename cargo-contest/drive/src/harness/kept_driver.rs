//! A driver beside the test executables of a workspace: cargo-nextest takes it into its archives, and the generated
//! tests of a package run on machines without a compiler and without the sources.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use contest_data::protocol::VERSION;
use contest_data::settings::Settings;
use serde::{Deserialize, Serialize};

use super::Driver;
use contest_build::workspace::scratch_dir::{RunDirectory, WriteError, make_directory};
use contest_catalog::subject_catalog::SubjectCatalog;

/// Directory of the drivers in the target directory of the test executables.
pub const DIRECTORY: &str = "contest-generated";
/// What is known of a driver.
const DESCRIPTION: &str = "driver.json";

/// A driver, with what a campaign needs beside it.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeptDriver {
    /// [`VERSION`] of the wall that it speaks.
    pub protocol: u32,
    /// `accounts 0.1.0`.
    pub package: String,
    /// The directory that locations are relative to, on the machine that has compiled it.
    pub base: PathBuf,
    /// Directory of the package there.
    pub directory: PathBuf,
    /// Some code is not instrumented.
    pub is_partly_seen: bool,
    /// What is linked in.
    pub catalog: SubjectCatalog,
    /// Numbers of the types to test.
    pub selected: Vec<u16>,
    /// How each of them is tested: the time is that of one part.
    pub settings: Settings,
    /// Parts that the tests of a type have.
    pub parts: u32,
}

impl KeptDriver {
    /// Puts the driver and what is known of it below this target directory, in place of an earlier one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep(&self, driver: &Driver, target: &Path, package: &str) -> Result<(), WriteError> {
        let directory = target.join(DIRECTORY).join(package);
        make_directory(&directory)?;
        let executable = executable_in(&directory);
        let failed = |path: &Path, source| WriteError::new(path, source);
        // An earlier one may be running.
        match fs::remove_file(&executable) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed(&executable, error));
            }
            _ => {}
        }
        fs::copy(driver.executable(), &executable).map_err(|error| failed(&executable, error))?;
        let description = directory.join(DESCRIPTION);
        let text = serde_json::to_string(self).map_err(std::io::Error::from);
        text.and_then(|text| fs::write(&description, text))
            .map_err(|error| failed(&description, error))
    }

    /// That of the package, if one is kept near this test executable.
    ///
    /// # Errors
    /// If it cannot be used: why, and what to do.
    pub fn near(executable: &Path, package: &str) -> Result<Option<(Self, PathBuf)>, String> {
        let mut directories = (executable.ancestors()).map(|it| it.join(DIRECTORY).join(package));
        let Some(directory) = directories.find(|it| it.join(DESCRIPTION).is_file()) else {
            return Ok(None);
        };
        let description = directory.join(DESCRIPTION);
        let unusable = |why: &str| {
            format!(
                "the generated tests of `{package}` do not take part: {} {why}; \
                 `cargo contest nextest` with --generated makes it anew",
                description.display()
            )
        };
        let text = fs::read_to_string(&description)
            .map_err(|error| unusable(&format!("cannot be read ({error})")))?;
        let kept: Option<Self> = serde_json::from_str(&text).ok();
        let of_another = || unusable("was written by another version of cargo-contest");
        let kept = kept.filter(|it| it.protocol == VERSION);
        let kept = kept.ok_or_else(of_another)?;
        Ok(Some((kept, executable_in(&directory))))
    }

    /// The driver, whose processes write to `scratch`.
    #[must_use]
    pub fn driver(&self, executable: PathBuf, scratch: RunDirectory) -> Driver {
        Driver {
            catalog: self.catalog.clone(),
            instrumented: 0,
            uninstrumented: Vec::new(),
            executable,
            scratch,
        }
    }
}

/// Removes what earlier runs have kept below this target directory.
///
/// # Errors
/// If it cannot be removed.
pub fn forget(target: &Path) -> Result<(), WriteError> {
    let directory = target.join(DIRECTORY);
    match fs::remove_dir_all(&directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(WriteError::new(&directory, error))
        }
        _ => Ok(()),
    }
}

fn executable_in(directory: &Path) -> PathBuf {
    directory.join(format!("driver{}", std::env::consts::EXE_SUFFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_of_another_version_is_named_and_none_is_none() {
        let target = tempfile::tempdir().unwrap();
        let executable = target.path().join("tests/a-1");
        assert!(matches!(KeptDriver::near(&executable, "a"), Ok(None)));
        let directory = target.path().join(DIRECTORY).join("a");
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join(DESCRIPTION), r#"{"protocol": 0}"#).unwrap();
        let why = KeptDriver::near(&executable, "a").unwrap_err();
        assert!(why.contains("another version of cargo-contest"), "{why}");
    }
}
