//! Options: arguments and settings put together and checked. The only place that reads the environment.

use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

use contest_data::limits::MemoryModel;
use contest_data::names::GENERATORS;
use contest_data::names::{STRATEGIES, STRESS};
use contest_data::own_tests::OwnTestSettings;
use contest_data::settings::{ModelChoice, Prunings, Settings, SizeBounds};

use super::agents::agent;
use super::args::{ExplorationArgs, RunArgs};
use super::levels::{Levels, Rules};
use super::settings::{DirectorySetting, LevelTable, ManifestSettings};
use super::values::{self, FieldGroup};
use contest_catalog::run_budget::RunBudget;
use contest_report::GithubRun;

/// Most driver processes side by side.
const MOST_JOBS: u16 = 64;

/// What `run` has to do.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOptions {
    /// Type filters; empty = all.
    pub types: Vec<String>,
    /// How tests are made and explored. What only the pipeline knows, such as the numbers of the types, is added there.
    pub settings: Settings,
    /// Fields that the user has grouped.
    pub atomic_sets: FieldGroups,
    /// Driver processes side by side.
    pub jobs: u16,
    /// Where the campaign keeps what the next run need not do again.
    pub state: Option<PathBuf>,
    /// Only types that run other code than at this revision.
    pub since: Option<String>,
    /// Results whose findings do not make the run fail.
    pub baseline: Option<PathBuf>,
    /// Where emitted tests go.
    pub emit: EmitInto,
    /// JUnit report.
    pub junit: Option<PathBuf>,
    /// SARIF report.
    pub sarif: Option<PathBuf>,
    /// `--html`.
    pub html: Option<PathBuf>,
    /// `--trace`.
    pub trace: Option<PathBuf>,
}

/// Fields that belong together, group by group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldGroups {
    /// The groups; none: all fields belong together.
    pub groups: Vec<Vec<String>>,
    /// Where they were given, for messages.
    pub given: &'static str,
}

/// Where emitted tests go.
#[derive(Clone, Debug, PartialEq)]
pub enum EmitInto {
    /// Under the target directory.
    TargetDirectory,
    /// Here; relative to the package's directory.
    Directory(PathBuf),
    /// None are written.
    Nowhere,
}

/// Arguments or settings that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsageError {
    /// No such generator or strategy.
    #[error("there is no {what} `{name}`; choose one of {}", .known.join(", "))]
    Unknown {
        /// `generator` or `strategy`.
        what: &'static str,
        /// The name as given.
        name: String,
        /// The known names.
        known: Vec<&'static str>,
    },
    /// A setting in the manifest has a value that the option would refuse.
    #[error("setting `{key}` of metadata.contest in Cargo.toml: {why}")]
    BadSetting {
        /// The key.
        key: &'static str,
        /// What is wrong and how to fix it.
        why: String,
    },
    /// Strategy `loom`, which only tests in the crate can have.
    #[error(
        "strategy `loom` needs loom's types in the code under test: annotate the types (`cargo contest init` shows how) or write models, \
         and run the crate's own tests with `cargo test --features contest-runtime/loom`"
    )]
    OfTests,
    /// `--emit` together with `--internal`.
    #[error(
        "tests of internal types would not compile outside of the crate; omit --emit, and use the token of a finding with --internal"
    )]
    InternalTests,
    /// `--workspace` together with one package.
    #[error("--workspace tests all members; omit -p, or --workspace to test one")]
    WorkspaceAndPackage,
    /// `--exclude` without `--workspace`.
    #[error("--exclude leaves members out of --workspace; add --workspace")]
    ExcludeAlone,
    /// `--workspace` together with a command that is about one package.
    #[error("`{0}` is about one package; choose it with -p instead of --workspace")]
    OnePackage(&'static str),
    /// A budget in steps for a strategy that does not count them.
    #[error("strategy `{0}` counts no steps: write `--budget` as a time")]
    StepsOf(&'static str),
    /// `--workspace` together with strategy `loom`.
    #[error("strategy `loom` runs the tests of one package; choose it with -p")]
    WorkspaceUnderLoom,
    /// Options of `run` together with another command.
    #[error(
        "options of `run` or types stand before another command; put types after the command and omit the options"
    )]
    RunOptionsElsewhere,
}

impl RunOptions {
    /// What the run may cost.
    #[must_use]
    pub fn budget(&self) -> RunBudget {
        match self.settings.steps {
            Some(steps) => RunBudget::Steps(steps),
            None => RunBudget::Time(self.settings.budget),
        }
    }

    /// Arguments completed by settings; the command line wins.
    ///
    /// # Errors
    /// If a name is unknown, or a setting has a value that the option would refuse.
    pub fn new(arguments: RunArgs, manifest: ManifestSettings) -> Result<Self, UsageError> {
        let default = Settings::default();
        let budget = match (arguments.budget, manifest.budget) {
            (Some(budget), _) => budget,
            (None, Some(text)) => values::parse_run_budget(&text).map_err(bad("budget"))?,
            (None, None) => RunBudget::Time(default.budget),
        };
        let bound = |key, given: Option<u8>, least, most| {
            given
                .map(|given| within(key, given, least, most))
                .transpose()
        };
        let size = SizeBounds {
            threads: bound("threads", arguments.threads.or(manifest.threads), 2, 3)?,
            calls: bound("calls", arguments.calls.or(manifest.calls), 1, 8)?,
        };
        let jobs = arguments.jobs.or(manifest.jobs);
        let strategy = match without_loom(arguments.strategy.or(manifest.strategy))? {
            Some(name) => known("strategy", name, &[&STRATEGIES[..], &[STRESS]].concat())?,
            None => default.strategy,
        };
        // What one process learns of another one depends on time.
        let jobs = match (jobs, budget) {
            (None, RunBudget::Steps(_)) => 1,
            _ => processes(jobs)?,
        };
        let emit = match (arguments.no_emit, arguments.emit, manifest.emit) {
            (true, ..) | (false, None, Some(DirectorySetting::Switch(false))) => EmitInto::Nowhere,
            (false, Some(directory), _)
            | (false, None, Some(DirectorySetting::Directory(directory))) => {
                EmitInto::Directory(directory)
            }
            (false, None, Some(DirectorySetting::Switch(true))) => {
                EmitInto::Directory("tests".into())
            }
            (false, None, None) => EmitInto::TargetDirectory,
        };
        if strategy == STRESS.0 && budget.steps().is_some() {
            return Err(UsageError::StepsOf(STRESS.0));
        }
        let Levels { allow, warn } = levels(arguments.rules, &manifest.levels)?;
        let settings = Settings {
            budget: budget.time(),
            steps: budget.steps(),
            seed: arguments.seed.or(manifest.seed).unwrap_or(default.seed),
            generator: match arguments.generator.or(manifest.generator) {
                Some(name) => known("generator", name, &GENERATORS)?,
                None => default.generator,
            },
            strategy,
            memory_model: memory_model(arguments.memory_model.or(manifest.memory_model))?,
            prunings: Prunings::without(&arguments.no_prune),
            size,
            shard: arguments.shard,
            strict: arguments.strict || manifest.strict.unwrap_or(default.strict),
            fail_fast: arguments.fail_fast || manifest.fail_fast.unwrap_or(default.fail_fast),
            behaviour: arguments.check_analysis,
            samples: arguments.check_complete,
            allow,
            warn,
            ..Settings::default()
        };
        Ok(Self {
            types: arguments.types,
            settings,
            atomic_sets: field_groups(arguments.atomic_sets, manifest.atomic_sets)?,
            jobs,
            state: arguments.state,
            since: arguments.since,
            baseline: arguments.baseline,
            emit,
            junit: arguments.junit,
            sarif: arguments.sarif,
            html: arguments.html,
            trace: arguments.trace,
        })
    }
}

fn field_groups(
    arguments: Vec<FieldGroup>,
    settings: Option<Vec<Vec<String>>>,
) -> Result<FieldGroups, UsageError> {
    if !arguments.is_empty() {
        return Ok(FieldGroups {
            groups: arguments.into_iter().map(|group| group.0).collect(),
            given: "`--atomic-set`",
        });
    }
    let groups = settings.unwrap_or_default();
    for group in &groups {
        values::check_fields(group).map_err(bad("atomic-sets"))?;
    }
    Ok(FieldGroups {
        groups,
        given: "setting `atomic-sets` of metadata.contest in Cargo.toml",
    })
}

/// Refuses `loom`: its types must be in the code under test, where only attributes or names of this project put them.
fn without_loom(strategy: Option<String>) -> Result<Option<String>, UsageError> {
    if strategy.as_deref() == Some("loom") {
        return Err(UsageError::OfTests);
    }
    Ok(strategy)
}

fn bad(key: &'static str) -> impl Fn(String) -> UsageError {
    move |why| UsageError::BadSetting { key, why }
}

/// So many processes side by side, by the options or the settings.
///
/// # Errors
/// If the number is out of its range.
pub fn processes(given: Option<u16>) -> Result<u16, UsageError> {
    within("jobs", given.unwrap_or_else(cores), 1, MOST_JOBS)
}

/// One process for each core that this process may use, or as many as cargo's own variable allows.
fn cores() -> u16 {
    let of_cargo = std::env::var("CARGO_BUILD_JOBS").ok();
    let of_cargo = of_cargo.and_then(|jobs| jobs.parse::<usize>().ok());
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = of_cargo.filter(|jobs| *jobs > 0).unwrap_or_else(cores);
    u16::try_from(jobs).unwrap_or(MOST_JOBS).min(MOST_JOBS)
}

/// The options check their ranges in clap; this is for the settings.
fn within<T: PartialOrd + Display>(
    key: &'static str,
    value: T,
    least: T,
    most: T,
) -> Result<T, UsageError> {
    if (&least..=&most).contains(&&value) {
        Ok(value)
    } else {
        Err(bad(key)(format!(
            "{value} is not from {least} to {most}; give a number that is"
        )))
    }
}

/// Levels of findings.
///
/// # Errors
/// If a setting of the manifest names no kind or no place.
pub fn levels(given: Rules, manifest: &[LevelTable]) -> Result<Levels, UsageError> {
    Levels::new(given, manifest).map_err(|(key, why)| bad(key)(why))
}

/// How the tests that a crate already has are explored, with the defaults for what is not given.
///
/// # Errors
/// If there is no strategy or memory model of the name.
pub fn own_tests(arguments: &ExplorationArgs) -> Result<OwnTestSettings, UsageError> {
    let Levels { allow, warn } = levels(arguments.rules.clone(), &[])?;
    let defaults = OwnTestSettings::default();
    let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let test_budget = arguments.test_budget.map(milliseconds);
    Ok(OwnTestSettings {
        test_budget_ms: test_budget.unwrap_or(defaults.test_budget_ms),
        seed: arguments.seed.unwrap_or(defaults.seed),
        strategy: strategy(arguments.strategy.clone())?,
        memory_model: memory_model(arguments.memory_model.clone())?,
        allow,
        warn,
        ..defaults
    })
}

/// The strategy of this name; `auto` without one.
///
/// # Errors
/// If there is none of this name.
pub fn strategy(name: Option<String>) -> Result<String, UsageError> {
    let name = name.unwrap_or_else(|| "auto".to_owned());
    known("strategy", name, &STRATEGIES)
}

/// The memory model of this name; `auto` without one.
///
/// # Errors
/// If there is none of this name.
pub fn memory_model(name: Option<String>) -> Result<ModelChoice, UsageError> {
    let Some(name) = name else {
        return Ok(ModelChoice::default());
    };
    let name = known("memory model", name, &ModelChoice::ALL)?;
    Ok(ModelChoice::named(&name).unwrap_or_default())
}

/// The one memory model of this name; sequential consistency without one.
///
/// # Errors
/// If it is neither of the two.
pub fn one_memory_model(name: Option<String>) -> Result<MemoryModel, UsageError> {
    let [_, sc, rc11] = ModelChoice::ALL;
    let name = name.unwrap_or_else(|| sc.0.to_owned());
    let name = known("memory model", name, &[sc, rc11])?;
    Ok(match ModelChoice::named(&name) {
        Some(ModelChoice::Rc11) => MemoryModel::Rc11,
        _ => MemoryModel::Sc,
    })
}

fn known(
    what: &'static str,
    name: String,
    list: &[(&'static str, &str)],
) -> Result<String, UsageError> {
    if list.iter().any(|(known, _)| *known == name) {
        return Ok(name);
    }
    Err(UsageError::Unknown {
        what,
        name,
        known: list.iter().map(|(name, _)| *name).collect(),
    })
}

/// `cargo-contest` in the user's cache directory; `None` if the environment names none.
#[must_use]
pub fn default_cache_directory() -> Option<PathBuf> {
    // A relative path there does not count: XDG Base Directory Specification.
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let caches = named.filter(|it| it.is_absolute()).or_else(|| {
        let home = std::env::home_dir().filter(|it| it.is_absolute())?;
        Some(home.join(if cfg!(target_os = "macos") {
            "Library/Caches"
        } else {
            ".cache"
        }))
    });
    Some(caches?.join("cargo-contest"))
}

/// Variable of a process that ends with its standard input. It is the head of a process group.
pub const UNTIL_INPUT_ENDS: &str = "CONTEST_UNTIL_INPUT_ENDS";

/// What is read from the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Path of cargo, which it passes to its subcommands.
    pub cargo: PathBuf,
    /// Width from `COLUMNS`, for terminals that do not report it.
    pub columns: Option<usize>,
    /// Where cargo keeps the sources of dependencies.
    pub cargo_home: Option<PathBuf>,
    /// The run of GitHub Actions that this is part of.
    pub github: Option<GithubRun>,
    /// The variable by which the program that runs this tool makes itself known as one that reads what is printed.
    pub agent: Option<&'static str>,
}

impl Environment {
    /// Reads it.
    #[must_use]
    pub fn read() -> Self {
        Self {
            agent: agent(|name| std::env::var_os(name)),
            cargo: std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from),
            columns: std::env::var("COLUMNS")
                .ok()
                .and_then(|columns| columns.parse().ok()),
            cargo_home: std::env::var_os("CARGO_HOME")
                .map(PathBuf::from)
                .or_else(|| Some(std::env::home_dir()?.join(".cargo"))),
            github: std::env::var_os("GITHUB_ACTIONS")
                .filter(|it| it == "true")
                .map(|_| GithubRun {
                    workspace: std::env::var_os("GITHUB_WORKSPACE").map(PathBuf::from),
                    step_summary: std::env::var_os("GITHUB_STEP_SUMMARY").map(PathBuf::from),
                }),
        }
    }
}

#[cfg(test)]
mod tests;
