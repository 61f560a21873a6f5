//! Everything that crosses the process wall between the tool and the driver process: JSON, one object a line.
//!
//! Tool to driver: one [`Request`] on standard input. Driver to tool: [`Reply`] lines on what was its standard output at the start (user
//! code's output goes elsewhere), and the black box, a small shared file that says what was running when the process dies.

pub mod black_box;

use serde::{Deserialize, Serialize};

use crate::assemble::ConcurrentTest;
use crate::judge::Finding;

/// Version of the protocol; tool and driver are built from the same sources, a difference is a bug.
pub const VERSION: u32 = 1;

/// Environment variable with the path of the black box file.
pub const BLACK_BOX_VARIABLE: &str = "CONTEST_BLACK_BOX";

/// What the tool asks of a driver process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Generate and explore.
    Campaign(CampaignRequest),
    /// Run one schedule again.
    Replay {
        /// The token.
        token: String,
    },
    /// Run one test only, with this schedule if given (as [`Schedule::to_text`](crate::trace::Schedule::to_text) writes it), and say how
    /// it ended; used to confirm and shrink aborts. With a schedule, [`Reply::Token`] comes first.
    Probe {
        /// The test.
        test: ConcurrentTest,
        /// The schedule; without, every serial order is run.
        schedule: Option<String>,
    },
}

/// A campaign over all subjects of the driver.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CampaignRequest {
    /// Subjects to test, by index; empty = all.
    pub subjects: Vec<u16>,
    /// Exploration time for all of them together, in milliseconds.
    pub budget_ms: u64,
    /// Seed of everything random.
    pub seed: u64,
    /// `auto`, `dpor`, `dfs`, `random`, `pct`, ...
    pub strategy: String,
    /// `random`, ...
    pub generator: String,
    /// Most threads beside the main thread: 2 or 3.
    pub threads: u8,
    /// Most calls of one thread.
    pub calls: u8,
    /// Stop at the first finding.
    pub fail_fast: bool,
    /// Take only every n-th test, starting with the k-th (counting from 1): `(k, n)`.
    pub shard: Option<(u32, u32)>,
    /// Number of the first test to run: tests before it were done by a process that died.
    pub first_test: u64,
    /// Fingerprints of findings already reported.
    pub known: Vec<String>,
    /// Kinds that are not reported, by name.
    pub allow: Vec<String>,
    /// Compare weakly consistent operations too.
    pub strict: bool,
}

/// What the driver tells the tool.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Reply {
    /// First line: what is linked in.
    Hello {
        /// [`VERSION`].
        version: u32,
        /// Subjects, by index: name and number of operations.
        subjects: Vec<(String, u32)>,
        /// What could not be had in this process and what that means, for people; usually empty.
        #[serde(default)]
        notes: Vec<String>,
    },
    /// Where the campaign stands; sent at most ten times a second, and before each test that takes long.
    Progress(Progress),
    /// A bug.
    Finding(Box<Finding>),
    /// An operation that panics, blocks or aborts when run alone, in one thread: not a concurrency finding.
    Alone(Alone),
    /// The end of a campaign.
    Done(Totals),
    /// Answer to [`Request::Replay`].
    Replayed(Box<Replayed>),
    /// Before the schedule of [`Request::Probe`] runs: the token that replays it. The process may not live to say more.
    Token(String),
    /// Answer to [`Request::Probe`].
    Probed {
        /// How it ended, in words; `finished` if nothing was wrong.
        ending: String,
    },
    /// The request cannot be served: what, where, how to mend.
    Refused(String),
}

/// Where a campaign stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Subject under test.
    pub subject: String,
    /// Number of the test that runs now, counting from 0.
    pub test: u64,
    /// Totals so far.
    pub totals: Totals,
}

/// Counts of a campaign. Everything that was cut short is counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Per subject: name and counts.
    pub subjects: Vec<SubjectTotals>,
    /// Milliseconds spent exploring.
    pub elapsed_ms: u64,
}

/// Counts of one subject.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SubjectTotals {
    /// The type.
    pub name: String,
    /// Operations available.
    pub operations: u64,
    /// Operations called at least once in a concurrent part.
    pub operations_used: u64,
    /// Unordered pairs of operations run concurrently at least once, of how many.
    pub pairs: (u64, u64),
    /// Concurrent tests run.
    pub tests: u64,
    /// Of these, tests of which every interleaving was explored.
    pub exhausted: u64,
    /// Of these, tests cut by the budget or a limit, with the reason and the count.
    pub cut: Vec<(String, u64)>,
    /// Tests left out (nondeterministic, prefix panics, ...), with the reason and the count.
    pub skipped: Vec<(String, u64)>,
    /// Executions, all phases together.
    pub executions: u64,
    /// Visible operations executed.
    pub steps: u64,
    /// Decisions with more than one alternative.
    pub decisions: u64,
    /// Findings.
    pub findings: u64,
}

/// Something that fails without any concurrency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alone {
    /// The type.
    pub subject: String,
    /// The calls, as text.
    pub calls: Vec<String>,
    /// `panics`, `blocks`, `aborts`, `does not end`.
    pub what: String,
    /// Message and location.
    pub detail: String,
}

/// A schedule run again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replayed {
    /// The finding, if it showed again.
    pub finding: Option<Finding>,
    /// Else how the execution ended, in words.
    pub ending: String,
    /// The interleaving of this run, also without a finding.
    pub interleaving: Vec<crate::judge::InterleavingStep>,
    /// First step at which the code no longer does what the token recorded: decision number and both sides, in words.
    pub diverged: Option<String>,
}
