//! One test of a run of cargo-nextest: nextest calls this tool in place of the test executable.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use contest_data::own_tests::{OwnResult, OwnTestSettings, OwnVerdict};
use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::generated_test::Part;
use crate::cli::exit_code::ExitCode as Status;
use crate::emit::token_in_file::token_of;
use contest_build::workspace::scratch_dir::RunDirectory;
use contest_catalog::progress_event::ProgressEvent;
use contest_drive::campaign::{CampaignError, Interrupt, OwnTestEvent, explore_own_tests};
use contest_drive::harness::kept_driver::KeptDriver;
use contest_drive::harness::nextest::RUNNER;
use contest_drive::harness::{OwnTests, TestExecutable};
use contest_report::merged::Merged;
use contest_report::short_locations::ShortLocations;
use contest_report::{Format, ReportOptions, Reporter};

/// Variable with what is [handed](Handed) to each of these processes.
pub(super) const SETTINGS: &str = "CONTEST_NEXTEST";
/// What builds have in their environment; tests shall not.
const OF_BUILDS: [&str; 4] = [
    "RUSTC_WRAPPER",
    "CONTEST_WRAPPER",
    "CONTEST_WRAPPER_SETTINGS",
    SETTINGS,
];
/// What stands for an executable of generated tests.
const GENERATED: &str = "generated";
/// Exit status of a failing test, as libtest has it.
const FAILED: u8 = 101;

/// What `cargo contest nextest` hands to its processes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Handed {
    pub(super) settings: OwnTestSettings,
    /// Where each of them leaves its results.
    pub(super) results: PathBuf,
}

impl Handed {
    pub(super) fn encode(&self) -> String {
        serde_json::to_string(self).expect("settings are text and numbers")
    }
}

/// True if nextest has called this process in place of a test executable.
#[must_use]
pub fn is_test_of_nextest() -> bool {
    std::env::args_os().nth(1).is_some_and(|it| it == RUNNER)
}

/// Explores the test that the arguments of the executable name. With any other arguments, and if the test cannot be
/// explored, the executable is run as it is.
#[must_use]
pub fn run_test_of_nextest(arguments: Vec<OsString>) -> ExitCode {
    let Some((executable, arguments)) = arguments.split_first() else {
        eprintln!("error: cargo-contest was to run a test of no executable");
        return ExitCode::from(Status::ToolFailed as u8);
    };
    if let Some(code) = generated(Path::new(executable), arguments) {
        return code;
    }
    let handed = std::env::var(SETTINGS).ok();
    let handed: Option<Handed> = handed.and_then(|text| serde_json::from_str(&text).ok());
    let test = Test::of(Path::new(executable), arguments);
    if let (Some(handed), Some(test)) = (handed, test) {
        match test.explore(&handed) {
            Ok(Some(passed)) => {
                return if passed {
                    ExitCode::SUCCESS
                } else {
                    ExitCode::from(FAILED)
                };
            }
            Ok(None) => {}
            Err(failure) => println!("note: it is not explored: {}", failure.message),
        }
    }
    let mut command = Command::new(executable);
    let error = without_build(command.args(arguments)).exec();
    eprintln!("error: cannot run {}: {error}", executable.display());
    ExitCode::from(Status::ToolFailed as u8)
}

/// Lists the generated tests of the package after those of its library, or explores the one that the arguments name;
/// `None` for what else the executable is to do.
fn generated(executable: &Path, arguments: &[OsString]) -> Option<ExitCode> {
    let variable = |name: &str| std::env::var(name).ok();
    let package = variable("CARGO_PKG_NAME")?;
    if variable("NEXTEST_BINARY_ID")? != package {
        return None;
    }
    let arguments: Vec<String> = arguments
        .iter()
        .map(|it| it.to_string_lossy().into())
        .collect();
    let has = |argument: &str| arguments.iter().any(|it| it == argument);
    let (kept, driver) = match KeptDriver::near(executable, &package) {
        Ok(kept) => kept?,
        Err(why) => {
            // A list has lines of tests only.
            eprintln!("warning: {why}");
            return None;
        }
    };
    if has("--list") {
        let mut own = Command::new(executable);
        let status = without_build(own.args(&arguments)).status().ok()?;
        if status.success() && !has("--ignored") {
            for part in Part::all(&kept) {
                println!("{}", part.line());
            }
        }
        return Some(ExitCode::from(u8::from(!status.success())));
    }
    let part = Part::named(&kept, &arguments)?;
    let handed: Handed = serde_json::from_str(&variable(SETTINGS)?).ok()?;
    let explored = explore_part(&part, &kept, &driver, &handed);
    Some(match explored {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(failure) => {
            println!("error: {}", failure.message);
            ExitCode::from(FAILED)
        }
    })
}

/// True if nothing is found in this part.
fn explore_part(
    part: &Part,
    kept: &KeptDriver,
    driver: &Path,
    handed: &Handed,
) -> Result<bool, Failure> {
    let scratch = handed.results.join(format!("{}", std::process::id()));
    let scratch = RunDirectory::new(&scratch)?;
    let name = kept.package.split(' ').next().unwrap_or_default();
    let mut reporter = Reporter::new(options(name));
    reporter.begin_package(&kept.package);
    reporter.locate(&[&kept.base]);
    let mut merged = Merged::default();
    let result = part.explore(kept, driver, scratch, &mut reporter, &mut merged)?;
    reporter.own_test(GENERATED, &result);
    let verdict = result.verdict;
    merged.parts = 1;
    merged.add_test(kept.package.clone(), GENERATED.to_owned(), result);
    leave(&handed.results, &merged).map_err(|error| {
        let text = format!("cannot write to {}: {error}", handed.results.display());
        Failure::new(Status::ToolFailed, text)
    })?;
    Ok(verdict != OwnVerdict::FailsSometimes)
}

/// The environment of tests, which is not that of builds.
fn without_build(command: &mut Command) -> &mut Command {
    for name in OF_BUILDS {
        command.env_remove(name);
    }
    command
}

/// A test that can be explored.
#[derive(Debug, PartialEq, Eq)]
struct Test {
    executable: TestExecutable,
    /// For libtest: its name and flags.
    arguments: Vec<String>,
    package: (String, String),
    directory: PathBuf,
}

impl Test {
    /// As the arguments and nextest's variables describe it.
    fn of(executable: &Path, arguments: &[OsString]) -> Option<Self> {
        let arguments = of_one_test(arguments)?;
        let variable = |name: &str| std::env::var(name).ok();
        let directory = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
        let name = executable_name(&variable("NEXTEST_BINARY_ID")?);
        let source = name
            .strip_prefix("test ")
            .map(|it| format!("tests/{it}.rs"));
        Some(Self {
            executable: TestExecutable {
                path: executable.to_owned(),
                source: source.map_or_else(PathBuf::new, |it| directory.join(it)),
                name,
            },
            arguments,
            package: (variable("CARGO_PKG_NAME")?, variable("CARGO_PKG_VERSION")?),
            directory,
        })
    }

    /// True if it passes; `None` if it is for the executable itself to run it.
    fn explore(&self, handed: &Handed) -> Result<Option<bool>, Failure> {
        // An emitted test has a schedule of its own.
        let source = fs::read_to_string(&self.executable.source).unwrap_or_default();
        if token_of(&source).is_some() {
            return Ok(None);
        }
        let package = format!("{} {}", self.package.0, self.package.1);
        let scratch = handed.results.join(format!("{}", std::process::id()));
        let tests = OwnTests::built(
            vec![self.executable.clone()],
            self.directory.clone(),
            RunDirectory::new(&scratch)?,
        );
        let settings = OwnTestSettings {
            package: self.package.clone(),
            executable: self.executable.name.clone(),
            arguments: self.arguments.clone(),
            isolated: true,
            ..handed.settings.clone()
        };
        let mut reporter = Reporter::new(options(&self.package.0));
        reporter.begin_package(&package);
        reporter.locate(&[&self.directory]);
        let short = ShortLocations::new(&[&self.directory]);
        let mut merged = Merged::default();
        let mut done: Option<OwnResult> = None;
        let begun = std::time::Instant::now();
        let explored = explore_own_tests(
            &tests,
            &self.executable,
            &settings,
            1,
            &Interrupt::default(),
            &mut |event| match event {
                OwnTestEvent::Tests(_) | OwnTestEvent::Pairs { .. } => {}
                OwnTestEvent::Note(note) => reporter.event(&ProgressEvent::Warning(note)),
                OwnTestEvent::Finding(mut finding) => {
                    short.finding(&mut finding);
                    merged.findings.push((package.clone(), (*finding).clone()));
                    reporter.event(&ProgressEvent::Finding {
                        finding,
                        emitted: None,
                        known: None,
                    });
                }
                OwnTestEvent::Done(mut result) => {
                    result.why = short.text(&result.why);
                    reporter.own_test(&self.executable.name, &result);
                    done = Some(result);
                }
            },
        );
        let result = match (explored, done) {
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => return Ok(None),
            // An executable with `harness = false` does not answer as a driver does, which is no bug of ours.
            (Err(error), _) => {
                let name = self.arguments.first().map_or("", String::as_str);
                let said = match error {
                    CampaignError::Bug(said) => said,
                    other => other.to_string(),
                };
                let why = format!("the executable is no driver (`harness = false`?): {said}");
                OwnResult::without_execution(name, OwnVerdict::NotRun, why)
            }
        };
        let verdict = result.verdict;
        if verdict == OwnVerdict::NotRun {
            println!("note: it is run once, as it is: {}", result.why);
        }
        merged.elapsed = begun.elapsed();
        merged.parts = 1;
        merged.add_test(package, self.executable.name.clone(), result);
        leave(&handed.results, &merged).map_err(|error| {
            let text = format!("cannot write to {}: {error}", handed.results.display());
            Failure::new(Status::ToolFailed, text)
        })?;
        Ok(match verdict {
            OwnVerdict::Ok => Some(true),
            OwnVerdict::Failed | OwnVerdict::FailsSometimes => Some(false),
            OwnVerdict::Ignored | OwnVerdict::NotRun => None,
        })
    }
}

/// A file is there whole or not at all: nextest may kill this process.
fn leave(directory: &Path, merged: &Merged) -> io::Result<()> {
    let number = std::process::id();
    let (part, file) = (format!("{number}.part"), format!("{number}.jsonl"));
    fs::write(directory.join(&part), merged.lines().join("\n"))?;
    fs::rename(directory.join(part), directory.join(file))
}

/// Arguments that choose one test, for libtest; what a driver has no use for is left out.
fn of_one_test(arguments: &[OsString]) -> Option<Vec<String>> {
    let arguments = arguments.iter().map(|it| it.to_str());
    let mut arguments = arguments.collect::<Option<Vec<&str>>>()?;
    if arguments.contains(&"--list") || !arguments.contains(&"--exact") {
        return None;
    }
    arguments.retain(|it| !matches!(*it, "--nocapture" | "--no-capture"));
    arguments.sort_by_key(|it| it.starts_with('-'));
    let names = arguments.iter().filter(|it| !it.starts_with('-')).count();
    (names == 1).then(|| arguments.iter().map(|&it| it.to_owned()).collect())
}

/// The executable of this binary of nextest, as `cargo contest` names it: `lib`, `test queue`, `bin server`.
fn executable_name(binary: &str) -> String {
    match binary.split_once("::") {
        None => "lib".to_owned(),
        Some((_, target)) => match target.split_once('/') {
            Some((kind, name)) => format!("{kind} {name}"),
            None => format!("test {target}"),
        },
    }
}

fn options(package: &str) -> ReportOptions {
    ReportOptions {
        output_is_taken: false,
        format: Format::Human,
        color: None,
        quiet: false,
        progress: false,
        verbose: false,
        github: None,
        cargo_home: None,
        columns: None,
        again: format!("cargo contest {{}} -p {package}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executables_have_the_names_of_tokens() {
        assert_eq!(executable_name("queue"), "lib");
        assert_eq!(executable_name("queue::stress"), "test stress");
        assert_eq!(executable_name("queue::bin/server"), "bin server");
    }

    #[test]
    fn what_is_not_one_test_is_left_to_the_executable() {
        let of = |line: &str| {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            of_one_test(&arguments)
        };
        assert_eq!(of("--list --format terse"), None);
        assert_eq!(of("--exact --nocapture"), None);
        assert_eq!(of("a b --exact"), None);
        let one = of("--exact a::b --nocapture --ignored").unwrap();
        assert_eq!(one, ["a::b", "--exact", "--ignored"]);
    }
}
