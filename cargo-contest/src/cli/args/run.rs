//! Options of `run`, the default command.

use std::path::PathBuf;

use clap::Args;
use contest_data::names::{GENERATORS, STRATEGIES, STRESS};
use contest_data::settings::{ModelChoice, Pruning};

use crate::cli::levels::Rules;
use crate::cli::values::{FieldGroup, parse_fields, parse_run_budget, parse_seed, parse_shard};
use contest_catalog::run_budget::RunBudget;

/// Options of `run`. `None`: as in the settings, else the default.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct RunArgs {
    /// Only types whose path ends with this, e.g. `Counter` or `queue::Bounded` [default: all]
    #[arg(value_name = "TYPE")]
    pub types: Vec<String>,
    /// Exploration time, all types together, e.g. `500ms`, `60s`, `2m`; or work, as for a gate that is to come to the
    /// same on every machine: `5Msteps`, in one process unless `-j` says otherwise [default: 60s]
    #[arg(long, value_name = "TIME|STEPS", value_parser = parse_run_budget, help_heading = "Exploration")]
    pub budget: Option<RunBudget>,
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
    /// Levels of findings.
    #[command(flatten)]
    pub rules: Rules,
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
    /// For the tool's own tests: sample each complete test so often by each of some strategies
    #[arg(long, hide = true, value_name = "N", default_value_t = 0)]
    pub check_complete: u64,
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
