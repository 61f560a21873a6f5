//! The emitted tests of a package again, each under its own schedule.

use std::path::{Path, PathBuf};

use contest_data::token::Token;

use super::failure::Failure;
use super::prepare::{self, Prepared};
use super::replay::{self, OwnSchedules, shown_bug};
use super::tested_code;
use super::tested_packages::{TestedPackage, TestedPackages};
use super::{resolved_features, scenario};
use crate::campaign::Interrupt;
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

/// Runs those of one of the packages, which `all` selects. Returns how many failed.
pub(super) fn run(
    tested: &TestedPackages,
    number: usize,
    tests: &[EmittedTest],
    all: &CommonArgs,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<usize, Failure> {
    let TestedPackage { package, common } = &tested.packages[number];
    let mut failed = 0_usize;
    let (scenarios, tests): (Vec<_>, Vec<_>) = tests
        .iter()
        .partition(|(_, _, token)| replay::scenario_of(token).is_some());
    // Each scenario has a driver of its own.
    for (name, _, token) in scenarios {
        let text = replay::scenario_of(token).unwrap_or_default();
        let common = replay::common_for(token, common);
        let failure = match scenario::prepare_again(&text, &common, reporter) {
            Ok(prepared) => failure(&prepared, token, interrupt)?,
            Err(failure) if failure.code == ExitCode::Usage => Some(failure.message),
            Err(failure) => return Err(failure),
        };
        failed += usize::from(failure.is_some());
        reporter.test(name, failure.as_deref());
    }
    // The executables of the package's own tests are all built at once.
    let (own, tests): (Vec<_>, Vec<_>) = tests.into_iter().partition(|(_, _, token)| {
        Token::decode(token).is_ok_and(|decoded| decoded.own_test().is_some())
    });
    if !own.is_empty() {
        let tokens: Vec<Token> = own.iter().flat_map(|it| Token::decode(&it.2)).collect();
        let targets = replay::targets_of(&tokens);
        let prepared = OwnSchedules::prepare(tested, number, &targets, all, reporter)?;
        for (name, _, token) in own {
            let failure = prepared.failure(token, interrupt)?;
            failed += usize::from(failure.is_some());
            reporter.test(name, failure.as_deref());
        }
    }
    // One driver for each way of watching that is needed.
    let (watched, plain): (Vec<_>, Vec<_>) = tests
        .into_iter()
        .partition(|(_, _, token)| replay::needs_memory(token));
    for group in [plain, watched] {
        let Some((_, _, first)) = group.first() else {
            continue;
        };
        let (common, package) = resolved_features::as_typed(all, common, package.clone());
        let common = replay::common_for(first, &common);
        let (package, catalog) = tested_code::discover(package, &common, reporter)?;
        let part = replay::part_of(group.iter().map(|(_, _, token)| token), catalog);
        let prepared = prepare::build(package, part, &common, reporter)?;
        for (name, _, token) in group {
            let failure = failure(&prepared, token, interrupt)?;
            failed += usize::from(failure.is_some());
            reporter.test(name, failure.as_deref());
        }
    }
    Ok(failed)
}

/// What a token shows when it is run again; also that it does not fit any more, which must not prevent the other tests.
fn failure(
    prepared: &Prepared,
    token: &str,
    interrupt: &Interrupt,
) -> Result<Option<String>, Failure> {
    match replay::one(prepared, token, interrupt) {
        Ok(end) => shown_bug(end),
        Err(failure) if failure.code == ExitCode::Usage => Ok(Some(failure.message)),
        Err(failure) => Err(failure),
    }
}
