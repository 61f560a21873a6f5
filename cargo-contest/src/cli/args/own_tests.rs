//! Options of the commands that explore the tests that a crate already has.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::levels::Rules;
use crate::cli::values::{parse_budget, parse_seed};

/// How the tests that a crate already has are explored.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct ExplorationArgs {
    /// Most time for one test [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = parse_budget, help_heading = "Exploration")]
    pub test_budget: Option<Duration>,
    /// Seed of everything random [default: 1]
    #[arg(long, value_name = "N", value_parser = parse_seed, help_heading = "Exploration")]
    pub seed: Option<u64>,
    /// Levels of findings.
    #[command(flatten)]
    pub rules: Rules,
    /// How interleavings are explored [default: auto]
    #[arg(long, value_name = "NAME", help_heading = "Strategies")]
    pub strategy: Option<String>,
    /// What atomic operations may read: `auto`, `sc` or `rc11` [default: auto]
    #[arg(long, value_name = "MODEL", help_heading = "Strategies")]
    pub memory_model: Option<String>,
}

/// Options of `test`.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct TestArgs {
    /// Only tests whose name contains one of these
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,
    /// Only the unit tests of libraries, and what other such options name
    #[arg(long)]
    pub lib: bool,
    /// Only the unit tests of binaries, and what other such options name
    #[arg(long)]
    pub bins: bool,
    /// Only the unit tests of this binary, and what other such options name; may be repeated
    #[arg(long, value_name = "NAME")]
    pub bin: Vec<String>,
    /// Only unit and integration tests, and what other such options name
    #[arg(long)]
    pub tests: bool,
    /// Only the integration tests of this target, and what other such options name; may be repeated
    #[arg(long, value_name = "NAME")]
    pub test: Vec<String>,
    /// Only tests in examples, and what other such options name
    #[arg(long)]
    pub examples: bool,
    /// Only the tests in this example, and what other such options name; may be repeated
    #[arg(long, value_name = "NAME")]
    pub example: Vec<String>,
    /// Only the tests in benchmarks, and what other such options name
    #[arg(long)]
    pub benches: bool,
    /// Only the tests of all targets, but for documentation, and what other such options name
    #[arg(long)]
    pub all_targets: bool,
    /// Only the examples of the documentation, and what other such options name
    #[arg(long)]
    pub doc: bool,
    /// Also build the tests as `cargo test` does, and run none if libtest lists other ones there
    #[arg(long)]
    pub compare: bool,
    /// Only the tests that this file names: one a line, or those of a JUnit report of cargo-nextest that failed, or
    /// passed only when they were run again
    #[arg(long, value_name = "FILE", conflicts_with_all = ["filters", "emitted"])]
    pub flaky: Option<PathBuf>,
    /// Run no two tests together: where each has a process of its own, as under nextest, none meets another one
    #[arg(long)]
    pub isolated: bool,
    /// Only the tests that cargo contest emitted
    #[arg(long)]
    pub emitted: bool,
    /// Where else to look for emitted tests, besides `tests/` and the target directory
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Most time for the crate's own tests, all together; what is left then is run once, for as long again at most
    /// [default: 5m]
    #[arg(long, value_name = "TIME", value_parser = parse_budget, help_heading = "Exploration")]
    pub budget: Option<Duration>,
    /// Tests that are explored side by side, each in one of so many processes: 1 to 64 [default: the number of cores,
    /// or `CARGO_BUILD_JOBS`]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64), help_heading = "Exploration")]
    pub jobs: Option<u16>,
    /// How each of them is explored
    #[command(flatten)]
    pub exploration: ExplorationArgs,
    /// Keep the schedule of each finding in a file of this directory [default: tests]; later runs execute it again
    #[arg(
        long,
        value_name = "DIR",
        help_heading = "Findings",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "tests"
    )]
    pub emit: Option<PathBuf>,
    /// Arguments of libtest: filters, `--exact`, `--skip`, `--ignored`, `--include-ignored`, `--list`
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

/// Options of `nextest`.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct NextestArgs {
    /// How each of them is explored
    #[command(flatten)]
    pub exploration: ExplorationArgs,
    /// Generated tests take part: those of each type are tests `contest::…::part_1_of_2` of its package
    #[arg(long, help_heading = "Generated tests")]
    pub generated: bool,
    /// Parts that the generated tests of a type have, each a test of nextest: 1 to 64 [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), requires = "generated", help_heading = "Generated tests")]
    pub parts: Option<u32>,
    /// Time for one part [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = parse_budget, requires = "generated", help_heading = "Generated tests")]
    pub part_budget: Option<Duration>,
    /// Write the results to this file, as JSON lines, for `cargo contest merge`
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// Command and options of cargo-nextest: `run`, `archive`, `list`, …
    #[arg(
        value_name = "COMMAND",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub arguments: Vec<OsString>,
}
