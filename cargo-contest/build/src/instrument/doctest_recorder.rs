//! The tool as cargo's `RUSTDOC` while cargo tests documentation: it has rustdoc list the examples, and notes what they
//! would be compiled with. Nothing runs.
//!
//! The list is unstable, so rustdoc is called with `RUSTC_BOOTSTRAP=1`; the code under test is not compiled with it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::UNIX_EPOCH;
use std::{env, fs, io};

use serde::{Deserialize, Serialize};

use crate::instrument::rustc_wrapper::library_directories;

/// The directory for files with [`RecordedDoctests`].
const DIRECTORY: &str = "CONTEST_DOCTESTS";
const REAL_RUSTDOC: &str = "CONTEST_DOCTESTS_RUSTDOC";

/// What rustdoc was called with, and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedDoctests {
    /// Arguments that cargo gave to rustdoc.
    pub arguments: Vec<String>,
    /// Libraries among them, with the time of their last change in nanoseconds.
    pub libraries: BTreeMap<String, u128>,
    /// The list, as JSON.
    pub list: String,
}

/// Makes `cargo test --doc` call `tool` for rustdoc, which writes a file for each package into `directory`.
pub fn record_doctests(cargo: &mut Command, tool: &Path, rustdoc: &Path, directory: &Path) {
    cargo
        .env("RUSTDOC", tool)
        .env(DIRECTORY, directory)
        .env(REAL_RUSTDOC, rustdoc);
}

/// The file of a package.
#[must_use]
pub fn recorded_file(directory: &Path, package: &str, version: &str) -> PathBuf {
    directory.join(format!("{package}-{version}.json"))
}

/// The file that says that cargo has called rustdoc: an older list may be there although it has not.
#[must_use]
pub fn called(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".called");
    name.into()
}

/// True if this process was started in place of rustdoc; `first` is its first argument. A wrapper of the compiler has
/// the path of that there.
#[must_use]
pub fn is_doctest_recorder(first: Option<&OsStr>) -> bool {
    env::var_os(DIRECTORY).is_some()
        && first.is_some_and(|it| it.to_string_lossy().starts_with('-'))
}

/// Called as rustdoc, with these arguments. Returns the exit code.
#[must_use]
pub fn run_as_doctest_recorder(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    let directory = PathBuf::from(env::var_os(DIRECTORY).unwrap_or_default());
    // Cargo says for which package it calls rustdoc.
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let file = recorded_file(
        &directory,
        &variable("CARGO_PKG_NAME"),
        &variable("CARGO_PKG_VERSION"),
    );
    record(arguments.into_iter().collect(), &file).unwrap_or_else(|error| {
        eprintln!("error: cargo-contest as rustdoc: {error}");
        70
    })
}

fn record(arguments: Vec<OsString>, file: &Path) -> io::Result<i32> {
    let mut rustdoc = Command::new(env::var_os(REAL_RUSTDOC).unwrap_or_else(|| "rustdoc".into()));
    rustdoc.args(&arguments);
    if !arguments.iter().any(|it| it == "--test") {
        // A question of cargo.
        return Ok(rustdoc.status()?.code().unwrap_or(1));
    }
    fs::write(called(file), "")?;
    let text = |it: &OsString| it.to_string_lossy().into_owned();
    let arguments: Vec<String> = arguments.iter().map(text).collect();
    let libraries = libraries(&arguments);
    let before = fs::read_to_string(file).unwrap_or_default();
    if let Ok(before) = serde_json::from_str::<RecordedDoctests>(&before)
        && before.arguments == arguments
        && before.libraries == libraries
    {
        return Ok(0);
    }
    for directory in library_directories()? {
        let mut dependency = OsString::from("dependency=");
        dependency.push(directory);
        rustdoc.arg("-L").arg(dependency);
    }
    let output = rustdoc
        .args(["-Zunstable-options", "--output-format", "doctest"])
        .args(["--cap-lints", "allow"])
        .env("RUSTC_BOOTSTRAP", "1")
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        // An older list is not that of these sources.
        let _ = fs::remove_file(file);
        return Ok(output.status.code().unwrap_or(1));
    }
    let recorded = RecordedDoctests {
        arguments,
        libraries,
        list: String::from_utf8_lossy(&output.stdout).into_owned(),
    };
    fs::write(file, serde_json::to_string(&recorded)?)?;
    Ok(0)
}

fn libraries(arguments: &[String]) -> BTreeMap<String, u128> {
    let mut libraries = BTreeMap::new();
    for library in arguments.iter().filter_map(|it| it.split_once('=')) {
        let changed = fs::metadata(library.1).and_then(|it| it.modified()).ok();
        let since = changed.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
        if let Some(since) = since {
            libraries.insert(library.1.to_owned(), since.as_nanos());
        }
    }
    libraries
}
