//! Options: arguments and settings put together and checked. The only place that reads the environment.

use std::path::PathBuf;
use std::time::Duration;

use contest_data::finding::{Allowed, FindingKind};
use contest_data::names::GENERATORS;
use contest_data::names::STRATEGIES;

use super::args::RunArgs;
use super::settings::{EmitSetting, Settings};
use super::values::{self, FieldGroup};

/// What `run` has to do.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOptions {
    /// Type filters; empty = all.
    pub types: Vec<String>,
    /// Exploration time, all types together.
    pub budget: Duration,
    /// Seed of everything random.
    pub seed: u64,
    /// One of [`GENERATORS`].
    pub generator: String,
    /// Prunings of the search for call sequences that are switched off.
    pub no_prune: Vec<String>,
    /// One of [`STRATEGIES`].
    pub strategy: String,
    /// Fields that the user has grouped.
    pub atomic_sets: FieldGroups,
    /// Most threads of a test.
    pub threads: u8,
    /// Most calls of one thread.
    pub calls: u8,
    /// Driver processes side by side.
    pub jobs: u16,
    /// `(k, n)`: the k-th of n equal parts, counting from 1.
    pub shard: Option<(u32, u32)>,
    /// Compare weakly consistent operations too.
    pub strict: bool,
    /// Compare what operations do with the summaries of static analysis.
    pub check_analysis: bool,
    /// Stop at the first finding.
    pub fail_fast: bool,
    /// Kinds that are not reported.
    pub allow: Vec<Allowed>,
    /// Where emitted tests go.
    pub emit: EmitInto,
    /// JUnit report.
    pub junit: Option<PathBuf>,
    /// SARIF report.
    pub sarif: Option<PathBuf>,
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
    /// Options of `run` together with another command.
    #[error(
        "options of `run` or types stand before another command; put types after the command and omit the options"
    )]
    RunOptionsElsewhere,
}

impl RunOptions {
    /// Arguments completed by settings; the command line wins.
    ///
    /// # Errors
    /// If a name is unknown, or a setting has a value that the option would refuse.
    pub fn new(arguments: RunArgs, settings: Settings) -> Result<Self, UsageError> {
        let budget = match (arguments.budget, settings.budget) {
            (Some(budget), _) => budget,
            (None, Some(text)) => values::parse_budget(&text).map_err(bad("budget"))?,
            (None, None) => Duration::from_secs(60),
        };
        let threads = arguments.threads.or(settings.threads).unwrap_or(2);
        within("threads", u64::from(threads), 2, 3)?;
        let calls = arguments.calls.or(settings.calls).unwrap_or(2);
        within("calls", u64::from(calls), 1, 8)?;
        let jobs = arguments.jobs.or(settings.jobs).unwrap_or(1);
        within("jobs", u64::from(jobs), 1, 64)?;
        let emit = match (arguments.no_emit, arguments.emit, settings.emit) {
            (true, ..) | (false, None, Some(EmitSetting::Switch(false))) => EmitInto::Nowhere,
            (false, Some(directory), _)
            | (false, None, Some(EmitSetting::Directory(directory))) => {
                EmitInto::Directory(directory)
            }
            (false, None, Some(EmitSetting::Switch(true))) => EmitInto::Directory("tests".into()),
            (false, None, None) => EmitInto::TargetDirectory,
        };
        let mut allow = (settings.allow.iter())
            .map(|it| Allowed::parse(it).map_err(|why| bad("allow")(format!("`{it}`: {why}"))))
            .collect::<Result<Vec<_>, _>>()?;
        // Parsed although denied kinds need no further work: a misspelt name must be an error.
        let denied = kinds("deny", &settings.deny)?;
        allow.retain(|it| !denied.contains(&it.kind) && !arguments.deny.contains(&it.kind));
        allow.extend(arguments.allow);
        allow.sort_unstable();
        allow.dedup();
        let atomic_sets = field_groups(arguments.atomic_sets, settings.atomic_sets)?;
        Ok(Self {
            types: arguments.types,
            budget,
            seed: arguments.seed.or(settings.seed).unwrap_or(1),
            generator: choose(
                "generator",
                arguments.generator.or(settings.generator),
                GENERATORS.iter().map(|(name, _)| *name).collect(),
            )?,
            strategy: choose(
                "strategy",
                without_loom(arguments.strategy.or(settings.strategy))?,
                STRATEGIES.iter().map(|(name, _)| *name).collect(),
            )?,
            no_prune: arguments.no_prune,
            atomic_sets,
            check_analysis: arguments.check_analysis,
            threads,
            calls,
            jobs,
            shard: arguments.shard,
            strict: arguments.strict || settings.strict.unwrap_or(false),
            fail_fast: arguments.fail_fast || settings.fail_fast.unwrap_or(false),
            allow,
            emit,
            junit: arguments.junit,
            sarif: arguments.sarif,
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

/// The options check their ranges in clap; this is for the settings.
fn within(key: &'static str, value: u64, least: u64, most: u64) -> Result<(), UsageError> {
    if (least..=most).contains(&value) {
        Ok(())
    } else {
        Err(bad(key)(format!(
            "{value} is not from {least} to {most}; give a number that is"
        )))
    }
}

fn kinds(key: &'static str, names: &[String]) -> Result<Vec<FindingKind>, UsageError> {
    names
        .iter()
        .map(|name| values::parse_kind(name).map_err(|why| bad(key)(format!("`{name}`: {why}"))))
        .collect()
}

fn choose(
    what: &'static str,
    name: Option<String>,
    known: Vec<&'static str>,
) -> Result<String, UsageError> {
    match name {
        None => Ok(known[0].to_string()),
        Some(name) if known.contains(&name.as_str()) => Ok(name),
        Some(name) => Err(UsageError::Unknown { what, name, known }),
    }
}

/// What is read from the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Path of cargo, which it passes to its subcommands.
    pub cargo: PathBuf,
    /// Width from `COLUMNS`, for terminals that do not report it.
    pub columns: Option<usize>,
}

impl Environment {
    /// Reads it.
    #[must_use]
    pub fn read() -> Self {
        Self {
            cargo: std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from),
            columns: std::env::var("COLUMNS")
                .ok()
                .and_then(|columns| columns.parse().ok()),
        }
    }
}

#[cfg(test)]
mod tests;
