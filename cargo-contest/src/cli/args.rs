//! Arguments as typed. How they combine is decided in [`options`](super::options).

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use contest_data::finding::FindingKind;
use contest_report::Format;

use super::log::{self, LogFilter};
pub use own_tests::{ExplorationArgs, NextestArgs, TestArgs};
pub use run::RunArgs;
pub use try_and_orderings::{OrderingsArgs, TryArgs};

use super::values::{parse_budget, parse_kind};

mod own_tests;
mod run;
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
    /// Show a finding with real threads: builds a program with the package as it is, runs it for some seconds, and says
    /// how many rounds failed
    ///
    /// A moment that is too short for real threads does not make the finding wrong: its schedule replays. Exit status 1
    /// if it was seen, 0 if not.
    Confirm {
        /// The token of a finding, or the emitted test file that holds it
        #[arg(value_name = "TOKEN|FILE")]
        what: String,
        /// How long the program runs
        #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_budget)]
        budget: Duration,
    },
    /// Step through a schedule under gdb: a stack for each thread of the test, on to the next scheduling point and back
    Debug(DebugArgs),
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
    /// Serve programs that write code, by the Model Context Protocol over standard input and output
    Mcp,
    /// Print a short text for programs that write code: when to use which command, how to read a finding, how to verify
    Skill,
    /// Show where built runtimes are kept, and how much they take
    Cache {
        /// Remove them, but for those in use
        #[arg(long)]
        clean: bool,
    },
    /// Build the runtime now, so that the first run need not: for layers of images, and caches of CI
    Setup,
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

/// Options of `debug`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct DebugArgs {
    /// The token of a finding, or the emitted test file that holds it
    #[arg(value_name = "TOKEN|FILE")]
    pub what: Option<String>,
    /// Be a debug adapter for an editor, over standard input and output; the token may come with its `launch`
    #[arg(long)]
    pub dap: bool,
    /// The gdb to use
    #[arg(long, value_name = "PROGRAM", default_value = "gdb")]
    pub gdb: PathBuf,
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
    /// Compile the code under test without optimisation, for a debugger.
    #[arg(skip)]
    pub debuggable: bool,
    /// `short`: ten lines for a finding; `json`: one object per line on standard output, readable text on standard
    /// error; `cargo-json`: the same, as cargo prints what the compiler says, for editors; `agent`: few words, no
    /// colours, next commands [default: human, or `agent` if `AGENT`, `CLAUDECODE` or the like is set]
    #[arg(
        long,
        visible_alias = "format",
        global = true,
        value_name = "FORMAT",
        help_heading = "Output"
    )]
    pub message_format: Option<MessageFormat>,
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
    /// The messages of `cargo check --message-format json`, and findings as such messages.
    CargoJson,
    /// For programs that read text: a finding in few lines with the next commands, a run in two.
    Agent,
}

impl From<MessageFormat> for Format {
    fn from(format: MessageFormat) -> Self {
        match format {
            MessageFormat::Human => Self::Human,
            MessageFormat::Short => Self::Short,
            MessageFormat::Json => Self::Json,
            MessageFormat::CargoJson => Self::CargoJson,
            MessageFormat::Agent => Self::Agent,
        }
    }
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
