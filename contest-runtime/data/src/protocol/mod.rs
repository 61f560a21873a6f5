//! Everything that crosses the process wall between the tool and the driver process: JSON, one object a line.
//!
//! Tool to driver: one [`Request`] on standard input. Driver to tool: [`Reply`] lines on what was its standard output at the start (user
//! code's output goes elsewhere), and the black box, a small shared file that says what was running when the process dies.

pub mod black_box;

use serde::{Deserialize, Serialize};

use crate::atomic_sets::FieldSite;
use crate::dependencies::Dependencies;
use crate::finding::Finding;
use crate::test::ConcurrentTest;

pub use crate::settings::{Avoid, UnseenOrder};
pub use crate::totals::{Alone, FailureAlone, Progress, SubjectTotals, Totals};

/// Version of the protocol; tool and driver are built from the same sources, a difference is a bug.
pub const VERSION: u32 = 1;

/// Environment variable with the path of the black box file.
pub const BLACK_BOX_VARIABLE: &str = "CONTEST_BLACK_BOX";

/// What the tool asks of a driver process.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "one is made for each process")]
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
    /// `autocontest`, `covcon`, ...
    pub generator: String,
    /// What is known of pairs of operations.
    #[serde(default)]
    pub dependencies: Vec<Dependencies>,
    /// Places that access fields, with the atomic sets of the fields; empty if all are of one set.
    #[serde(default)]
    pub atomic_sets: Vec<FieldSite>,
    /// Prunings of the search for call sequences that are off: `d2`, `d3`, `b1`, `b2`; `amended` for the published rule of redundancy; `runs` for
    /// a far higher limit of sequences in one search.
    #[serde(default)]
    pub no_prune: Vec<String>,
    /// Most threads beside the main thread: 2 or 3.
    pub threads: u8,
    /// Most calls of one thread.
    pub calls: u8,
    /// Stop at the first finding.
    pub fail_fast: bool,
    /// Take only every n-th test, starting with the k-th (counting from 1): `(k, n)`.
    pub shard: Option<(u32, u32)>,
    /// One more than the number of the test that a process died of; 0 if none did. It and those of its subject before it are not run.
    pub first_test: u64,
    /// For each subject, how many of its tests were begun by processes that died, as [`Progress`] says.
    #[serde(default)]
    pub begun: Vec<u64>,
    /// Fingerprints of findings already reported.
    pub known: Vec<String>,
    /// Tests that are left out, because they would end the process again.
    pub avoid: Vec<Avoid>,
    /// Kinds that are not reported, by name.
    pub allow: Vec<String>,
    /// Operations that run code in which synchronisation is not seen (C, assembly), for subjects that have any: see [`UnseenOrder`].
    #[serde(default)]
    pub unseen_order: Vec<UnseenOrder>,
    /// Compare weakly consistent operations too.
    pub strict: bool,
    /// Say what operations were seen to do, for a check of the static analysis.
    #[serde(default)]
    pub behaviour: bool,
    /// Watch memory accesses in every execution instead of a share of them, where the driver tells of them.
    #[serde(default)]
    pub watch_all: bool,
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

/// A schedule run again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replayed {
    /// The finding, if it showed again.
    pub finding: Option<Finding>,
    /// Else how the execution ended, in words.
    pub ending: String,
    /// The interleaving of this run, also without a finding.
    pub interleaving: Vec<crate::finding::InterleavingStep>,
    /// First step at which the code no longer does what the token recorded: decision number and both sides, in words.
    pub diverged: Option<String>,
}
