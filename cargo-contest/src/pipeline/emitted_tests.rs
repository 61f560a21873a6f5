//! The emitted tests of a package again, each under its own schedule.

use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::{prepare, replay};
use crate::campaign::{Interrupt, ReplayEnd};
use crate::cli::args::CommonArgs;
use crate::cli::exit_code::ExitCode;
use crate::emit::token_in_file::emitted_tests;
use crate::report::Reporter;
use crate::workspace::selection::Package;

/// An emitted test: name, file and token.
pub(super) type EmittedTest = (String, PathBuf, String);

/// The emitted tests whose names contain all of these.
pub(super) fn find(
    package: &Package,
    directory: Option<&Path>,
    filters: &[String],
) -> Result<Vec<EmittedTest>, Failure> {
    let mut directories = vec![
        prepare::package_directory(package).join("tests"),
        prepare::emitted_directory(package),
    ];
    directories.extend(directory.map(Path::to_path_buf));
    let mut tests: Vec<EmittedTest> = Vec::new();
    for directory in &directories {
        let found = emitted_tests(directory).map_err(|(path, error)| {
            Failure::new(
                ExitCode::Usage,
                format!("cannot read {}: {error}", path.display()),
            )
        })?;
        for (name, path, token) in found {
            // One that was written to both places is one test.
            let again = tests
                .iter()
                .any(|(known, _, other)| *known == name && *other == token);
            let wanted =
                filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()));
            if wanted && !again {
                tests.push((name, path, token));
            }
        }
    }
    Ok(tests)
}

/// Runs them. Returns how many failed.
pub(super) fn run(
    package: &Package,
    tests: &[EmittedTest],
    common: &CommonArgs,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<usize, Failure> {
    // One driver for each way of watching that is needed.
    let (watched, plain): (Vec<_>, Vec<_>) = tests
        .iter()
        .partition(|(_, _, token)| replay::needs_memory(token));
    let mut failed = 0_usize;
    for group in [plain, watched] {
        let Some((_, _, first)) = group.first() else {
            continue;
        };
        let common = replay::common_for(first, common);
        let catalog = prepare::discover(package, &common, reporter)?;
        let prepared = prepare::build(package.clone(), catalog, &common, reporter)?;
        for (name, _, token) in group {
            let failure = match replay::one(&prepared, token, interrupt) {
                Ok(ReplayEnd::Interrupted) => return Err(Failure::interrupted()),
                Ok(ReplayEnd::Died(context)) => Some(context.to_string()),
                Ok(ReplayEnd::Replayed(replayed)) => replayed
                    .finding
                    .map(|finding| format!("{}: {}", finding.kind, finding.message)),
                // A stale token must not prevent the other tests.
                Err(failure) if failure.code == ExitCode::Usage => Some(failure.message),
                Err(failure) => return Err(failure),
            };
            failed += usize::from(failure.is_some());
            reporter.test(name, failure.as_deref());
        }
    }
    Ok(failed)
}
