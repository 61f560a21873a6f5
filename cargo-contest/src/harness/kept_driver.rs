//! A driver beside the test executables of a workspace: cargo-nextest takes it into its archives, and the generated
//! tests of a package run on machines without a compiler and without the sources.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use contest_data::protocol::VERSION;
use contest_data::settings::Settings;
use serde::{Deserialize, Serialize};

use super::Driver;
use crate::discover::subject_catalog::SubjectCatalog;
use crate::workspace::scratch_dir::{RunDirectory, WriteError, make_directory};

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
    #[must_use]
    pub fn near(executable: &Path, package: &str) -> Option<(Self, PathBuf)> {
        let directory = executable
            .ancestors()
            .map(|it| it.join(DIRECTORY).join(package))
            .find(|it| it.join(DESCRIPTION).is_file())?;
        let text = fs::read_to_string(directory.join(DESCRIPTION)).ok()?;
        // Another version of this tool may have written it.
        let kept: Self = serde_json::from_str(&text).ok()?;
        (kept.protocol == VERSION).then(|| (kept, executable_in(&directory)))
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
