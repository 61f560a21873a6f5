//! The emitted tests of a package again, each under its own schedule.

use std::path::{Path, PathBuf};

use contest_data::finding::{Allowed, FindingKind};
use contest_data::token::Token;

use super::failure::Failure;
use super::prepare;
use super::replay::{self, OwnSchedules};
use super::tested_code;
use super::tested_packages::{TestedPackage, TestedPackages};
use super::{resolved_features, scenario};
use crate::cli::args::CommonArgs;
use crate::cli::exit_code::ExitCode;
use crate::cli::levels::Levels;
use crate::emit::token_in_file::emitted_tests;
use contest_build::workspace::selection::Package;
use contest_drive::campaign::{Interrupt, ReplayEnd};
use contest_report::{EmittedResult, Reporter};

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

/// How emitted tests are run again.
#[derive(Clone, Copy)]
pub(super) struct RunAgain<'a> {
    /// What selects the packages.
    pub(super) all: &'a CommonArgs,
    /// What becomes of their findings.
    pub(super) levels: &'a Levels,
    pub(super) interrupt: &'a Interrupt,
}

/// Runs those of one of the packages. Returns how many failed.
pub(super) fn run(
    tested: &TestedPackages,
    number: usize,
    tests: &[EmittedTest],
    how: RunAgain<'_>,
    reporter: &mut Reporter,
) -> Result<usize, Failure> {
    let RunAgain { all, interrupt, .. } = how;
    let TestedPackage { package, common } = &tested.packages[number];
    let mut failed = 0_usize;
    let (scenarios, tests): (Vec<_>, Vec<_>) = tests
        .iter()
        .partition(|(_, _, token)| replay::scenario_of(token).is_some());
    // Each scenario has a driver of its own.
    for (name, _, token) in scenarios {
        let text = replay::scenario_of(token).unwrap_or_default();
        let common = replay::common_for(token, common);
        let prepared = scenario::prepare_again(&text, &common, reporter);
        let end = prepared.and_then(|it| replay::one(&it, token, interrupt));
        let result = how.result(token, end)?;
        failed += usize::from(result.fails());
        reporter.test(name, &result);
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
            let result = how.result(token, prepared.run(token, interrupt))?;
            failed += usize::from(result.fails());
            reporter.test(name, &result);
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
            let result = how.result(token, replay::one(&prepared, token, interrupt))?;
            failed += usize::from(result.fails());
            reporter.test(name, &result);
        }
    }
    Ok(failed)
}

impl RunAgain<'_> {
    /// What a token shows when it is run again; also that it does not fit any more, which must not prevent the other
    /// tests.
    fn result(
        &self,
        token: &str,
        end: Result<ReplayEnd, Failure>,
    ) -> Result<EmittedResult, Failure> {
        let finding = match end {
            Ok(ReplayEnd::Interrupted) => return Err(Failure::interrupted()),
            Ok(ReplayEnd::Died(context)) => return Ok(EmittedResult::Fails(context.to_string())),
            Ok(ReplayEnd::Replayed(replayed)) => replayed.finding,
            Err(failure) if failure.code == ExitCode::Usage => {
                return Ok(EmittedResult::Fails(failure.message));
            }
            Err(failure) => return Err(failure),
        };
        let Some(finding) = finding else {
            return Ok(EmittedResult::Passes);
        };
        // What one draw or another test brings about is a panic for a replay, which has nothing to compare it with.
        let told = Token::decode(token).map(|it| it.kind);
        let by_others = [FindingKind::Randomness, FindingKind::Interference];
        let kind = match told {
            Ok(told) if finding.kind == FindingKind::Panic && by_others.contains(&told) => told,
            _ => finding.kind,
        };
        let is_in = |rules: &[Allowed]| {
            let mut rules = rules.iter();
            rules.any(|it| it.covers(kind, &finding.locations))
        };
        let text = format!("{kind}: {}", finding.message);
        Ok(if is_in(&self.levels.allow) {
            EmittedResult::Passes
        } else if is_in(&self.levels.warn) {
            EmittedResult::Warns(text)
        } else {
            EmittedResult::Fails(text)
        })
    }
}
