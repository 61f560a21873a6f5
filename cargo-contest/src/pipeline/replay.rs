//! `cargo contest replay TOKEN|FILE`: one schedule again, and its interleaving.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use contest_data::protocol::Replayed;
use contest_data::token::Token;

use super::failure::Failure;
use super::finish::Finisher;
use super::prepare::{self, Prepared};
use super::tested_code;
use super::tested_packages::TestedPackages;
use super::{resolved_features, scenario};
use crate::cli::args::CommonArgs;
use crate::cli::exit_code::ExitCode;
use crate::emit::token_in_file;
use contest_build::workspace::selection::Package;
use contest_catalog::part::Part;
use contest_catalog::subject_catalog::SCENARIO;
use contest_catalog::subject_catalog::SubjectCatalog;
use contest_drive::campaign::{self, CampaignError, Interrupt, ReplayEnd};
use contest_drive::harness::{DebuggedDriver, OwnTests, TestExecutable, TestTargets};
use contest_report::Reporter;

pub(super) fn replay(
    common: &CommonArgs,
    what: &str,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    let token = token(what)?;
    if let Ok(decoded) = Token::decode(&token)
        && decoded.own_test().is_some()
    {
        let common = common_for(&token, common);
        let replayed = own_test(&common, &token, &decoded, reporter, interrupt)?;
        return shown(replayed, reporter);
    }
    let prepared = prepared(&token, common, reporter)?;
    let replayed = match one(&prepared, &token, interrupt)? {
        ReplayEnd::Died(context) => {
            Replay::Died(prepared.short_locations().text(&context.to_string()))
        }
        ReplayEnd::Replayed(replayed) => Replay::Replayed(replayed),
        ReplayEnd::Interrupted => Replay::Interrupted,
    };
    shown(replayed, reporter)
}

/// What the token of a generated test or of a scenario needs.
pub(super) fn prepared(
    token: &str,
    typed: &CommonArgs,
    reporter: &mut Reporter,
) -> Result<Prepared, Failure> {
    let common = common_for(token, &of_package(token, typed));
    let prepared = match scenario_of(token) {
        Some(text) => scenario::prepare_again(&text, &common, reporter)?,
        None => {
            let package = prepare::select(&common)?;
            let (common, package) = resolved_features::as_typed(typed, &common, package);
            let (package, catalog) = tested_code::discover(package, &common, reporter)?;
            let part = part_of([&token.to_owned()], catalog);
            prepare::build(package, part, &common, reporter)?
        }
    };
    prepared.locate(reporter);
    Ok(prepared)
}

/// What came of a replay, with short locations.
enum Replay {
    Replayed(Box<Replayed>),
    Died(String),
    Interrupted,
}

fn shown(replay: Replay, reporter: &mut Reporter) -> Result<ExitCode, Failure> {
    match replay {
        Replay::Interrupted => Err(Failure::interrupted()),
        Replay::Died(text) => {
            reporter.replay_died(&text);
            Ok(ExitCode::Findings)
        }
        Replay::Replayed(replayed) => {
            reporter.replayed(&replayed);
            Ok(if replayed.finding.is_some() {
                ExitCode::Findings
            } else {
                ExitCode::Clean
            })
        }
    }
}

/// Runs the schedule of a test that the crate has.
fn own_test(
    common: &CommonArgs,
    token: &str,
    decoded: &Token,
    reporter: &mut Reporter,
    interrupt: &Interrupt,
) -> Result<Replay, Failure> {
    let schedules = own_schedules(common, decoded, reporter)?;
    reporter.locate(&[
        &prepare::package_directory(&schedules.package),
        &schedules.package.workspace_root,
    ]);
    reporter.describe(&schedules.package);
    Ok(match schedules.run(token, interrupt)? {
        ReplayEnd::Interrupted => Replay::Interrupted,
        ReplayEnd::Died(context) => {
            let short = prepare::short_locations(&schedules.package);
            Replay::Died(short.text(&context.to_string()))
        }
        ReplayEnd::Replayed(replayed) => Replay::Replayed(replayed),
    })
}

/// The tests of the package of a token, built.
pub(super) fn own_schedules(
    common: &CommonArgs,
    token: &Token,
    reporter: &mut Reporter,
) -> Result<OwnSchedules, Failure> {
    let name = &token.package.0;
    let tested = TestedPackages::with(name, common, reporter)?;
    let number = tested.built.iter().position(|it| it.name == *name);
    let number = number.unwrap_or_default();
    is_of(token, &tested.built[number])?;
    OwnSchedules::prepare(&tested, number, &targets_of([token]), common, reporter)
}

/// The tests of a package that these tokens are about.
pub(super) fn targets_of<'a>(tokens: impl IntoIterator<Item = &'a Token>) -> TestTargets {
    let names = tokens.into_iter().filter_map(Token::own_test);
    let targets = names.map(|(executable, _)| TestTargets::of_executable(executable));
    targets.fold(TestTargets::default(), TestTargets::or)
}

/// Refuses a token of another package.
fn is_of(token: &Token, package: &Package) -> Result<(), Failure> {
    let (name, version) = &token.package;
    if (name, version) == (&package.name, &package.version) {
        return Ok(());
    }
    Err(Failure::new(
        ExitCode::Usage,
        format!(
            "this token was made for {name} {version}, this is {} {}; select that package with -p, or find the bug again",
            package.name, package.version
        ),
    ))
}

/// The tests that a package has itself, to run schedules of them.
pub(super) struct OwnSchedules {
    /// Where its tests can be built.
    package: Package,
    tests: OwnTests,
}

impl OwnSchedules {
    /// Builds those of one of the packages, as they are built together.
    pub(super) fn prepare(
        tested: &TestedPackages,
        number: usize,
        targets: &TestTargets,
        common: &CommonArgs,
        reporter: &mut Reporter,
    ) -> Result<Self, Failure> {
        let mut built = tested.build(targets, common, reporter)?;
        let tests = built.packages[number].take();
        Ok(Self {
            package: tested.built[number].clone(),
            tests: tests.ok_or_else(Failure::interrupted)?,
        })
    }

    /// For a debugger: the test of this token.
    pub(super) fn debugged(&self, token: &str) -> Result<DebuggedDriver, Failure> {
        let decoded = Token::decode(token).map_err(|error| refused(error.to_string()))?;
        let (executable, _) = self.test_of(&decoded)?;
        Ok(self.tests.debugged(executable, token)?)
    }

    pub(super) fn package_directory(&self) -> PathBuf {
        prepare::package_directory(&self.package)
    }

    /// The executable and the name of the test that a token is of.
    fn test_of<'t>(&self, token: &'t Token) -> Result<(&TestExecutable, &'t str), Failure> {
        let package = &self.package;
        is_of(token, package)?;
        let Some((executable, test)) = token.own_test() else {
            return Err(refused(
                "this token is not of a test of the package".to_owned(),
            ));
        };
        let mut executables = self.tests.executables.iter();
        let Some(found) = executables.find(|it| it.name == executable) else {
            return Err(refused(format!(
                "this token is of a test in `{executable}`, which `{}` does not have any more",
                package.name
            )));
        };
        Ok((found, test))
    }

    pub(super) fn run(&self, token: &str, interrupt: &Interrupt) -> Result<ReplayEnd, Failure> {
        let package = &self.package;
        let decoded = Token::decode(token).map_err(|error| refused(error.to_string()))?;
        let (found, test) = self.test_of(&decoded)?;
        let short = prepare::short_locations(package);
        let schedule = Some(decoded.schedule.to_text());
        match campaign::rerun_own_test(&self.tests, found, test, schedule, token, interrupt) {
            Ok(ReplayEnd::Replayed(mut replayed)) => {
                short.replayed(&mut replayed);
                Ok(ReplayEnd::Replayed(replayed))
            }
            Err(CampaignError::Refused(why)) => Err(refused(format!(
                "this token cannot be run with {} {}: {why}",
                package.name, package.version
            ))),
            other => Ok(other?),
        }
    }
}

fn refused(why: String) -> Failure {
    Failure::new(ExitCode::Usage, why)
}

/// Without a package on the command line, the token's own: its finding may be of any member of the workspace.
fn of_package(token: &str, common: &CommonArgs) -> CommonArgs {
    let Ok(token) = Token::decode(token) else {
        return common.clone();
    };
    let name = token.package.0;
    if common.package.is_some() || prepare::select(common).is_ok_and(|it| it.name == name) {
        return common.clone();
    }
    let named = CommonArgs {
        package: Some(name),
        ..common.clone()
    };
    // Else the error is about the package that is selected.
    if prepare::select(&named).is_ok() {
        named
    } else {
        common.clone()
    }
}

/// The types that these tokens are about; all if one of them is not found by its name.
pub(super) fn part_of<'a>(
    tokens: impl IntoIterator<Item = &'a String>,
    catalog: SubjectCatalog,
) -> Part {
    let tokens = tokens.into_iter().map(|it| Token::decode(it).ok());
    let names = tokens.map(|it| Some(it?.subject_name));
    let names: Option<HashSet<String>> = names.collect();
    let all = Part::whole(catalog);
    let subjects = &all.catalog.subjects;
    let is_there = |name: &String| subjects.iter().any(|it| it.shown() == *name);
    match names {
        Some(names) if names.iter().all(is_there) => {
            all.only(|subject| names.contains(&*subject.shown()))
        }
        _ => all,
    }
}

/// The text of the scenario that a token is of, if it is of one.
pub(super) fn scenario_of(token: &str) -> Option<String> {
    let decoded = Token::decode(token).ok()?;
    decoded.subject.strip_prefix(SCENARIO).map(str::to_owned)
}

/// A finding about memory accesses shows again only if they are watched.
pub(super) fn common_for(token: &str, common: &CommonArgs) -> CommonArgs {
    CommonArgs {
        no_memory: common.no_memory && !needs_memory(token),
        ..common.clone()
    }
}

/// True for a bug that shows in memory accesses. A token that cannot be read needs nothing; the driver reports what is
/// wrong with it.
pub(super) fn needs_memory(token: &str) -> bool {
    Token::decode(token)
        .is_ok_and(|token| token.kind.needs_memory() || !token.schedule.visible.is_empty())
}

/// Runs one token; a token that does not fit this crate is a usage error.
pub(super) fn one(
    prepared: &Prepared,
    token: &str,
    interrupt: &Interrupt,
) -> Result<ReplayEnd, Failure> {
    match campaign::replay(&prepared.driver, token, interrupt) {
        Ok(ReplayEnd::Replayed(mut replayed)) => {
            prepared.short_locations().replayed(&mut replayed);
            if let Some(finding) = &mut replayed.finding {
                Finisher::of(prepared).finish(finding);
            }
            Ok(ReplayEnd::Replayed(replayed))
        }
        Err(CampaignError::Refused(why)) => Err(Failure::new(
            ExitCode::Usage,
            format!("this token cannot be run with {}: {why}", prepared.name()),
        )),
        other => Ok(other?),
    }
}

/// The argument: a file that holds a token, or the token itself.
pub(super) fn token(what: &str) -> Result<String, Failure> {
    let path = Path::new(what);
    if !path.is_file() {
        return Ok(what.to_string());
    }
    let source = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(ExitCode::Usage, format!("cannot read {what}: {error}")))?;
    token_in_file::token_of(&source).ok_or_else(|| {
        Failure::new(
            ExitCode::Usage,
            format!(
                "{what} holds no `const {}: &str = \"…\"`; name a test that cargo contest emitted",
                token_in_file::CONSTANT
            ),
        )
    })
}
