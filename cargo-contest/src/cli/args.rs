//! Arguments as typed. How they combine is decided in [`options`](super::options).

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use contest_data::finding::{Allowed, FindingKind};
use contest_data::names::GENERATORS;
use contest_data::names::{STRATEGIES, STRESS};
use contest_data::settings::{ModelChoice, Pruning};

use super::levels::Denied;
use super::log::{self, LogFilter};
pub use own_tests::{ExplorationArgs, NextestArgs, TestArgs};
pub use try_and_orderings::{OrderingsArgs, TryArgs};

use super::values::{FieldGroup, parse_budget, parse_fields, parse_kind, parse_seed, parse_shard};

mod own_tests;
mod try_and_orderings;

/// Finds concurrency bugs in a crate: generates concurrent tests from its public API, explores their interleavings
/// under a controlled scheduler, and hands over a test that replays.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "cargo-contest",
    bin_name = "cargo contest",
    version,
    subcommand_precedence_over_arg = true,
    before_help = "The commands to begin with:\n  \
                   cargo contest               test the types of the crate: nothing to write, nothing to add\n  \
                   cargo contest test          run the crate's own tests in many interleavings\n  \
                   cargo contest replay TOKEN  run what failed again, step by step",
    after_help = "Exit status: 0 nothing found but warnings, 1 findings, 2 wrong arguments or settings, 3 the crate does not build, 4 nothing to test, \
                  70 a bug of the tool or a place that cannot be written, 130 interrupted.\n\
                  Settings may also stand in [package.metadata.contest] or [workspace.metadata.contest] of Cargo.toml."
)]
pub struct CommandLine {
    /// Options of every command.
    #[command(flatten)]
    pub common: CommonArgs,
    /// Options of `run`, the default command.
    #[command(flatten)]
    pub run: RunArgs,
    /// The command, if one is named.
    #[command(subcommand)]
    pub command: Option<CommandArgs>,
}

/// A command.
#[derive(Clone, Debug, Subcommand)]
pub enum CommandArgs {
    /// Generate concurrent tests and explore them (default)
    Run(Box<RunArgs>),
    /// Run the crate's tests under the controlled scheduler: emitted ones under their schedules, its own under many
    Test(Box<TestArgs>),
    /// Run one schedule again and print its interleaving
    Replay {
        /// The token of a finding, or the emitted test file that holds it
        #[arg(value_name = "TOKEN|FILE")]
        what: String,
    },
    /// Explain a kind of finding: what it means, what to do about it, with an example
    Explain {
        /// The kind, e.g. `deadlock` [default: list the kinds]
        #[arg(value_name = "KIND", value_parser = parse_kind)]
        kind: Option<FindingKind>,
    },
    /// List the types and operations found, and what is left out with the reason
    List {
        /// Only types whose path ends with this, e.g. `Counter` or `queue::Bounded`
        #[arg(value_name = "TYPE")]
        types: Vec<String>,
    },
    /// Explore one scenario, and show all outcomes: `try 'let q = Queue::new(1); q.push(1) | q.push(2); q.pop()'`
    Try(Box<TryArgs>),
    /// Add the dependency and a first annotated example to a package, after showing the difference
    Init(InitArgs),
    /// Write a workflow for GitHub Actions, after showing it: minutes for each pull request, a campaign every night
    Ci(CiArgs),
    /// Compare the findings of two runs: which are new, gone, the same. Exit status 1 if any is new
    Diff {
        /// The older results: a directory of `--state`, or a file of `--message-format json`
        #[arg(value_name = "OLD")]
        old: PathBuf,
        /// The newer results
        #[arg(value_name = "NEW")]
        new: PathBuf,
    },
    /// Run the crate's own tests under cargo-nextest, each explored in its own process: partitions, archives, JUnit
    Nextest(Box<NextestArgs>),
    /// Put the results of several runs together, for example of the partitions of one: findings once, totals added
    Merge {
        /// Files that `--message-format json` or `nextest --results` wrote, or directories of such files
        #[arg(value_name = "FILE|DIR", required = true)]
        parts: Vec<PathBuf>,
    },
    /// Find the orderings of atomic operations that are too weak, or stronger than the tests need
    ///
    /// Explores tests of a bounded size under RC11, with other orderings at run time; nothing is compiled again. Where
    /// an ordering is too weak: the smallest sets of stronger orderings, or of fences, that remove what is found.
    /// Where nothing is found: which orderings may be weaker with every test still explored whole and clean.
    Orderings(Box<OrderingsArgs>),
    /// Show what each operation accesses under which locks, and which pairs of operations depend on each other
    Analyze {
        /// Only types whose path ends with this, e.g. `Counter` or `queue::Bounded`
        #[arg(value_name = "TYPE")]
        types: Vec<String>,
        /// Also draw the dependencies: a file for Graphviz that ends with `.dot` or `.gv`
        #[arg(long, value_name = "FILE")]
        graph: Option<PathBuf>,
    },
    /// Show where built runtimes are kept, and how much they take
    Cache {
        /// Remove them, but for those in use
        #[arg(long)]
        clean: bool,
    },
    /// Print completions of the command line for a shell
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// Options of `init`.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct InitArgs {
    /// Apply the changes without confirmation
    #[arg(short, long, conflicts_with = "dry_run")]
    pub yes: bool,
    /// Only show what would change
    #[arg(long)]
    pub dry_run: bool,
    /// Take contest-runtime from this checkout [default: the one that this tool was built from, if there is one, else
    /// crates.io]
    #[arg(long, value_name = "DIR")]
    pub path: Option<PathBuf>,
    /// Take contest-runtime from crates.io, in the version of this tool, which must be published there
    #[arg(long, conflicts_with = "path")]
    pub registry: bool,
}

/// Options of `ci`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct CiArgs {
    /// Exploration time of a pull request
    #[arg(long, value_name = "TIME", value_parser = parse_budget, default_value = "5m")]
    pub pull_request: Duration,
    /// Machines among which the tests of a pull request are divided
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), default_value = "2")]
    pub parts: u32,
    /// Exploration time of a night
    #[arg(long, value_name = "TIME", value_parser = parse_budget, default_value = "2h")]
    pub nightly: Duration,
    /// The command that installs this tool [default: from crates.io, in this version, which must be published there]
    #[arg(long, value_name = "COMMAND")]
    pub install: Option<String>,
    /// Write it without confirmation, also over another file of this name
    #[arg(short, long, conflicts_with = "dry_run")]
    pub yes: bool,
    /// Only show it
    #[arg(long)]
    pub dry_run: bool,
}

/// Which package, how it is built, and how results are shown. Global, so they may stand before or after the command;
/// that is why they are not clap-cargo's structs.
#[derive(Clone, Debug, Default, Args)]
pub struct CommonArgs {
    /// Path to Cargo.toml
    #[arg(long, global = true, value_name = "PATH", help_heading = "Package")]
    pub manifest_path: Option<PathBuf>,
    /// Package to test: any package of the resolved graph
    #[arg(
        short,
        long,
        global = true,
        value_name = "SPEC",
        help_heading = "Package"
    )]
    pub package: Option<String>,
    /// Which members of the workspace.
    #[command(flatten)]
    pub members: MemberArgs,
    /// Features to enable, separated by spaces or commas
    #[arg(
        short = 'F',
        long,
        global = true,
        value_delimiter = ',',
        help_heading = "Package"
    )]
    pub features: Vec<String>,
    /// Enable all features
    #[arg(
        long,
        global = true,
        conflicts_with = "features",
        help_heading = "Package"
    )]
    pub all_features: bool,
    /// Do not enable the `default` feature
    #[arg(long, global = true, help_heading = "Package")]
    pub no_default_features: bool,
    /// Test types that are not public too, in a copy whose types are; private methods of public types stay private
    /// [default: where nothing public can be tested, and for applications]
    #[arg(
        long,
        global = true,
        conflicts_with = "public",
        help_heading = "Package"
    )]
    pub internal: bool,
    /// Test public types only
    #[arg(long, global = true, help_heading = "Package")]
    pub public: bool,
    /// Test types that are changed through `&mut self` also behind a `Mutex` and a `RwLock`, with pairs of calls
    /// between which the lock is released
    #[arg(long, global = true, help_heading = "Package")]
    pub behind_lock: bool,
    /// Directory for everything that is built and written [default: the workspace's target directory]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Package")]
    pub target_dir: Option<PathBuf>,
    /// Directory in which the runtime is kept when it has been built, for all projects; empty: as `--no-cache`
    /// [default: `cargo-contest` in the user's cache directory]
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "CONTEST_CACHE_DIR",
        hide_env_values = true,
        help_heading = "Package"
    )]
    pub cache_dir: Option<OsString>,
    /// Keep the runtime in the target directory, for this project only
    #[arg(long, global = true, help_heading = "Package")]
    pub no_cache: bool,
    /// Run without accessing the network
    #[arg(long, global = true, help_heading = "Package")]
    pub offline: bool,
    /// Require that the lock file is up to date
    #[arg(long, global = true, help_heading = "Package")]
    pub locked: bool,
    /// Watch memory accesses of the code under test in every execution instead of a share of them; slower
    #[arg(
        long,
        global = true,
        conflicts_with = "no_memory",
        help_heading = "Package"
    )]
    pub memory: bool,
    /// Compile the code under test without instrumented memory accesses: finds no data races, use after free or
    /// accesses out of bounds
    #[arg(long, global = true, help_heading = "Package")]
    pub no_memory: bool,
    /// `short`: ten lines for a finding; `json`: one object per line on standard output, readable text on standard
    /// error
    #[arg(
        long,
        visible_alias = "format",
        global = true,
        value_name = "FORMAT",
        default_value = "human",
        help_heading = "Output"
    )]
    pub message_format: MessageFormat,
    /// When to use colours
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Output"
    )]
    pub color: ColorWhen,
    /// Show findings and one line of result only: no progress, no notes, no summary
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "verbose",
        help_heading = "Output"
    )]
    pub quiet: bool,
    /// Log what the tool does: `error`, `warn`, `info`, `debug` or `trace`, also for single modules, e.g.
    /// `info,harness=trace`; `debug` names every cargo command that is run
    #[arg(
        long,
        global = true,
        value_name = "LEVEL|MODULE=LEVEL,...",
        value_parser = log::parse_filter,
        help_heading = "Output"
    )]
    pub log: Option<LogFilter>,
    /// Write the log to this file [default: standard error]; without `--log` the level is `debug`
    #[arg(long, global = true, value_name = "FILE", help_heading = "Output")]
    pub log_file: Option<PathBuf>,
    /// Show cargo's own output, statistics, everything that was left out, and the fields that several threads accessed
    #[arg(short, long, global = true, help_heading = "Output")]
    pub verbose: bool,
}

/// Which members of the workspace are tested together: those that cargo would test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct MemberArgs {
    /// Test all members of the workspace, in one run [default: the default members]
    #[arg(long, alias = "all", global = true, help_heading = "Package")]
    pub workspace: bool,
    /// Members not to test, with `--workspace`; `*`, `?` and `[…]` are wildcards
    #[arg(long, global = true, value_name = "NAME", help_heading = "Package")]
    pub exclude: Vec<String>,
}

/// Options of `run`. `None`: as in the settings, else the default.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct RunArgs {
    /// Only types whose path ends with this, e.g. `Counter` or `queue::Bounded` [default: all]
    #[arg(value_name = "TYPE")]
    pub types: Vec<String>,
    /// Exploration time, all types together, e.g. `500ms`, `60s`, `2m` [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = parse_budget, help_heading = "Exploration")]
    pub budget: Option<Duration>,
    /// Seed of everything random; the same seed tests the same things [default: 1]
    #[arg(long, value_name = "N", value_parser = parse_seed, help_heading = "Exploration")]
    pub seed: Option<u64>,
    /// Most threads of a test: 2 or 3. With this and `--calls` the run ends when all shapes within them are done
    /// [default: no bound but 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=3), help_heading = "Exploration")]
    pub threads: Option<u8>,
    /// Most calls of one thread: 1 to 8 [default: larger tests as long as there is time]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8), help_heading = "Exploration")]
    pub calls: Option<u8>,
    /// Driver processes that explore side by side: 1 to 64. The same tests are run whatever their number is; what one
    /// finds, the others know [default: the number of cores, or `CARGO_BUILD_JOBS`]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64), help_heading = "Exploration")]
    pub jobs: Option<u16>,
    /// Run only the K-th of N equal parts of the tests, e.g. `1/4`
    #[arg(long, value_name = "K/N", value_parser = parse_shard, help_heading = "Exploration")]
    pub shard: Option<(u32, u32)>,
    /// Also compare commonly weakly consistent operations (`len`, iterators, `Debug`) while threads run, take
    /// operations on several values for one step, and report panics that documentation announces
    #[arg(long, help_heading = "Exploration")]
    pub strict: bool,
    /// Keep what was explored and found in DIR, and go on where the run before stopped; what has changed since is
    /// explored first
    #[arg(long, value_name = "DIR", help_heading = "Exploration")]
    pub state: Option<PathBuf>,
    /// Only types that run other code than at this revision of the git repository
    #[arg(long, value_name = "REV", help_heading = "Exploration")]
    pub since: Option<String>,
    /// Stop at the first finding
    #[arg(long, help_heading = "Findings")]
    pub fail_fast: bool,
    /// Fail on new findings only: on those that these results do not have, a directory of `--state` or a file of
    /// `--message-format json`
    #[arg(long, value_name = "FILE|DIR", help_heading = "Findings")]
    pub baseline: Option<PathBuf>,
    /// Do not report this kind of finding, everywhere or in one place: `data-race`, `data-race:src/ring.rs`,
    /// `data-race:src/ring.rs:12`
    #[arg(long, value_name = "KIND[:PLACE]", value_parser = Allowed::parse, help_heading = "Findings")]
    pub allow: Vec<Allowed>,
    /// Report this kind of finding as a warning, everywhere or in one place: warnings fail no run
    #[arg(long, value_name = "KIND[:PLACE]", value_parser = Allowed::parse, help_heading = "Findings")]
    pub warn: Vec<Allowed>,
    /// Fail on this kind of finding, everywhere or in one place, although it is allowed or a warning: by the settings,
    /// or by default as `reentrant-waker`, `futurelock` and `torn-read` are. `warnings`: on all warnings
    #[arg(long, value_name = "KIND[:PLACE]|warnings", value_parser = Denied::parse, help_heading = "Findings")]
    pub deny: Vec<Denied>,
    /// Write emitted tests into DIR, or into `tests/` if DIR is omitted [default: under the target directory]
    #[arg(
        long,
        value_name = "DIR",
        num_args = 0..=1,
        require_equals = false,
        default_missing_value = "tests",
        conflicts_with = "no_emit",
        help_heading = "Findings"
    )]
    pub emit: Option<PathBuf>,
    /// Write no tests
    #[arg(long, help_heading = "Findings")]
    pub no_emit: bool,
    /// Write a JUnit report
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub junit: Option<PathBuf>,
    /// Write a SARIF report
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sarif: Option<PathBuf>,
    /// Write pages to look at into DIR: `index.html`, and a page for each finding with its interleaving as a drawing
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Write the interleavings of the findings as Chrome trace events, which e.g. ui.perfetto.dev shows
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// What atomic operations may read: `auto`, `sc` or `rc11` [default: auto]
    #[arg(
        long,
        value_name = "MODEL",
        long_help = listed("What atomic operations may read", &ModelChoice::ALL),
        help_heading = "Strategies"
    )]
    pub memory_model: Option<String>,
    /// Fields whose values belong together, e.g. `Queue.head,Queue.tail`, for reports about the atomicity of calls;
    /// once for each group [default: all fields belong together]
    #[arg(long = "atomic-set", value_name = "TYPE.FIELD,...", value_parser = parse_fields, help_heading = "Strategies")]
    pub atomic_sets: Vec<FieldGroup>,
    /// How tests are generated; `--help` lists the generators [default: auto]
    #[arg(
        long,
        value_name = "NAME",
        long_help = listed("How tests are generated", &GENERATORS),
        help_heading = "Strategies"
    )]
    pub generator: Option<String>,
    /// How interleavings are explored; `--help` lists the strategies [default: auto]
    #[arg(
        long,
        value_name = "NAME",
        long_help = listed("How interleavings are explored", &[&STRATEGIES[..], &[STRESS]].concat())
            + "\n- loom: run the package's own tests, of annotated types and models, under loom",
        help_heading = "Strategies"
    )]
    pub strategy: Option<String>,
    /// For measurements: search call sequences without this pruning, by the published rule of redundancy (`amended`),
    /// or with a far higher limit of `runs` in one search; or test all `pairs`, also those that static analysis proved
    /// unable to disturb each other
    #[arg(
        long,
        value_name = "PRUNING",
        value_delimiter = ',',
        value_parser = Pruning::OPTIONAL.map(Pruning::name),
        hide_short_help = true,
        help_heading = "Strategies"
    )]
    pub no_prune: Vec<String>,
    /// For the tool's own tests: compare what operations do with the summaries of static analysis
    #[arg(long, hide = true)]
    pub check_analysis: bool,
}

/// What an option is for, and its values with their descriptions; the first one is the default.
fn listed(what: &str, values: &[(&str, &str)]) -> String {
    let lines = values
        .iter()
        .map(|(name, text)| format!("\n- {name}: {text}"));
    format!(
        "{what} [default: {}]\n{}",
        values[0].0,
        lines.collect::<String>()
    )
}

/// `--message-format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// Readable text on standard output.
    #[default]
    Human,
    /// The same, with ten lines for a finding.
    Short,
    /// One object per line on standard output.
    Json,
}

/// `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// If the stream is a terminal and `NO_COLOR` is not set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Parses the arguments of the process; `contest`, which cargo puts in front, is optional.
///
/// # Errors
/// Clap's errors, `--help` and `--version` included; [`clap::Error::exit`] shows it and ends with status 2, or 0 for
/// those two.
pub fn parse(
    arguments: impl IntoIterator<Item = impl Into<OsString>>,
) -> Result<CommandLine, clap::Error> {
    let mut arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    if arguments.get(1).is_some_and(|first| first == "contest") {
        arguments.remove(1);
    }
    let matches = CommandLine::command().try_get_matches_from(arguments)?;
    CommandLine::from_arg_matches(&matches)
}

#[cfg(test)]
mod tests;
