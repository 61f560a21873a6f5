//! Options of `try` and `orderings`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use contest_data::finding::Allowed;

use crate::cli::values::{parse_budget, parse_seed};

/// Options of `try`.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct TryArgs {
    /// `let` statements that make what all threads share, then the calls of each thread: `;` between calls, `|` between
    /// threads
    #[arg(value_name = "SCENARIO")]
    pub scenario: String,
    /// Most time [default: 20s]
    #[arg(long, value_name = "TIME", value_parser = parse_budget)]
    pub budget: Option<Duration>,
    /// Seed of everything random [default: 1]
    #[arg(long, value_name = "N", value_parser = parse_seed)]
    pub seed: Option<u64>,
    /// How interleavings are explored [default: auto]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// What atomic operations may read: `sc` or `rc11` [default: sc]
    #[arg(long, value_name = "MODEL")]
    pub memory_model: Option<String>,
    /// Write a test of what is found into DIR, or into `tests/` if DIR is omitted
    #[arg(
        long,
        value_name = "DIR",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "tests"
    )]
    pub emit: Option<PathBuf>,
    /// Also judge results that are commonly weakly consistent (`len`, iterators)
    #[arg(long)]
    pub strict: bool,
}

/// Options of `orderings`.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct OrderingsArgs {
    /// Only types whose path ends with this, e.g. `Counter` or `queue::Bounded` [default: all]
    #[arg(value_name = "TYPE")]
    pub types: Vec<String>,
    /// Most time, all types together [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = parse_budget)]
    pub budget: Option<Duration>,
    /// Seed of everything random [default: 1]
    #[arg(long, value_name = "N", value_parser = parse_seed)]
    pub seed: Option<u64>,
    /// Most threads of a test: 2 or 3 [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=3))]
    pub threads: Option<u8>,
    /// Most calls of one thread: 1 to 8 [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8))]
    pub calls: Option<u8>,
    /// Do not look at this kind of finding, everywhere or in one place
    #[arg(long, value_name = "KIND[:PLACE]", value_parser = Allowed::parse)]
    pub allow: Vec<Allowed>,
    /// Also compare commonly weakly consistent operations (`len`, iterators, `Debug`) while threads run, take
    /// operations on several values for one step, and report panics that documentation announces
    #[arg(long)]
    pub strict: bool,
}
