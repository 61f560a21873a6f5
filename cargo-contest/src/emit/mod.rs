//! A finding in, a Rust test file out; and back: the schedule token of such a file. An edited file is never
//! overwritten.

use std::path::{Path, PathBuf};
use std::{fs, io};

use contest_data::finding::Finding;

use contest_catalog::subject_catalog::{SubjectEntry, SupportItem};
use contest_discover::scenario::ScenarioText;

pub mod annotation;

pub mod emitted_test;
mod futures;

mod in_threads;

mod libraries;

mod native;

mod own_test;

mod test_code;

mod turns;

pub mod test_names;

pub mod token_in_file;

pub use libraries::Libraries;
pub use native::program;

/// A test file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}; choose a directory with `--emit DIR`, or `--no-emit`", .path.display())]
pub struct EmitError {
    path: PathBuf,
    source: io::Error,
}

/// Writes the test of a finding into a directory and says where it is. The same finding gets the same file again;
/// another finding of this type and kind gets the next number.
///
/// # Errors
/// If the directory or the file cannot be written.
pub fn emit(
    finding: &Finding,
    subject: &SubjectEntry,
    support: &[SupportItem],
    package: &str,
    libraries: Libraries<'_>,
    directory: &Path,
) -> Result<PathBuf, EmitError> {
    let name = |n| test_names::test_name(&subject.path, finding.kind, n);
    let source =
        |name: &str| emitted_test::source(name, finding, subject, support, package, libraries);
    write_numbered(finding, directory, &name, &source)
}

/// The same for a finding about a scenario.
///
/// # Errors
/// If the directory or the file cannot be written.
pub fn emit_scenario(
    finding: &Finding,
    scenario: &ScenarioText,
    support: &[SupportItem],
    library: &str,
    package: &str,
    directory: &Path,
) -> Result<PathBuf, EmitError> {
    let name = |n| test_names::test_name("Scenario", finding.kind, n);
    let source = |name: &str| {
        emitted_test::source_of_scenario(name, finding, scenario, support, library, package)
    };
    write_numbered(finding, directory, &name, &source)
}

/// The same for a finding in a test that the crate has itself.
///
/// # Errors
/// If the directory or the file cannot be written.
pub fn emit_own_test(
    finding: &Finding,
    executable: &str,
    package: &str,
    directory: &Path,
) -> Result<PathBuf, EmitError> {
    let test = test_names::identifier(&finding.subject);
    let name = |n| test_names::test_name(&test, finding.kind, n);
    let source = |name: &str| own_test::source(name, finding, executable, package);
    write_numbered(finding, directory, &name, &source)
}

/// Writes into the file of the first number whose file is of this finding or not there; an edited file stays.
fn write_numbered(
    finding: &Finding,
    directory: &Path,
    name: &dyn Fn(u32) -> String,
    source: &dyn Fn(&str) -> String,
) -> Result<PathBuf, EmitError> {
    let failed = |path: &Path, source| EmitError {
        path: path.to_path_buf(),
        source,
    };
    fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
    for n in 1.. {
        let name = name(n);
        let path = directory.join(format!("{name}.rs"));
        match fs::read_to_string(&path) {
            Ok(old) if !emitted_test::is_about(&old, finding) => continue,
            Ok(old) if !emitted_test::is_untouched(&old) => return Ok(path),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(&path, error)),
        }
        fs::write(&path, source(&name)).map_err(|error| failed(&path, error))?;
        return Ok(path);
    }
    unreachable!("there are more numbers than files")
}

#[cfg(test)]
mod tests;
