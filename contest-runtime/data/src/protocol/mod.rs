//! Everything that crosses the process wall between the tool and the driver process: one value a line, as
//! `contest-wire` writes it.
//!
//! Tool to driver: one [`Request`] on standard input, and [`Notice`]s after [`Request::Campaign`]. Driver to tool:
//! [`Reply`] lines on what was its standard output at the start (user code's output goes elsewhere), and the black box,
//! a small shared file that says what was running when the process dies.

pub mod black_box;

use crate::finding::{Finding, KnownBug};
use crate::own_tests::{OwnResult, OwnTestSettings};
use crate::scenario::{Scenario, ScenarioReport};
use crate::settings::Settings;
use crate::test::ConcurrentTest;

pub use crate::settings::{Avoid, UnseenOrder};
pub use crate::totals::{Alone, FailureAlone, Progress, SubjectTotals, Totals};

/// Version of the protocol; tool and driver are built from the same sources, a difference is a bug.
pub const VERSION: u32 = 3;

/// Environment variable with the path of the black box file.
pub const BLACK_BOX_VARIABLE: &str = "CONTEST_BLACK_BOX";

/// What a driver process has to do.
#[derive(Clone, Debug)]
pub enum Request {
    /// Generate and explore.
    Campaign(Settings),
    /// Run one schedule again.
    Replay {
        /// The token.
        token: String,
    },
    /// Run one test only, with this schedule if given (as [`Schedule::to_text`](crate::trace::Schedule::to_text) writes
    /// it), and say how it ended; used to confirm and shrink aborts. With a schedule, [`Reply::Token`] comes first.
    Probe {
        /// The test.
        test: ConcurrentTest,
        /// The schedule; without, every serial order is run.
        schedule: Option<String>,
    },
    /// Run one schedule, and nothing else, for a debugger that has started the process. Answered by [`Reply::Probed`].
    Debug {
        /// The token.
        token: String,
    },
    /// Explore one given test.
    Scenario(Scenario),
    /// Explore the tests that the executable has: of an executable of `--test` only.
    OwnTests(OwnTestSettings),
    /// Run one test of the executable under one schedule, as [`Schedule::to_text`](crate::trace::Schedule::to_text)
    /// writes it; without, as the operating system might run it most often: no thread is stopped that can go on.
    OwnTest {
        /// Its name.
        name: String,
        /// The schedule.
        schedule: Option<String>,
        /// For the token in [`Replayed::finding`]: what it is expected to show.
        token: String,
    },
}

/// What the driver of a campaign learns while that runs.
#[derive(Clone, Debug)]
pub enum Notice {
    /// Another process of the campaign has reported this bug.
    Found(KnownBug),
    /// The campaign is to end now: [`Reply::Done`] is awaited.
    Stop,
}

/// What the driver reports to the tool.
#[derive(Clone, Debug)]
pub enum Reply {
    /// First line: what is linked in.
    Hello {
        /// [`VERSION`].
        version: u32,
        /// Subjects, by index: name and number of operations.
        subjects: Vec<(String, u32)>,
        /// What could not be had in this process and what that means, for people; usually empty.
        notes: Vec<String>,
    },
    /// Where the campaign stands; sent at most ten times a second, and before each test that takes long.
    Progress(Progress),
    /// A bug of a campaign.
    CampaignFinding {
        /// What is reported.
        finding: Box<Finding>,
        /// What recognises it, for other processes of the campaign.
        bug: KnownBug,
    },
    /// A bug of a scenario, or of a test of the package.
    Finding(Box<Finding>),
    /// An operation that panics, blocks or aborts when run alone, in one thread: not a concurrency finding.
    Alone(Alone),
    /// A generator panicked, which is a bug of its own: the campaign goes on without the test that it looked for.
    GeneratorPanicked {
        /// The type that the test was for.
        subject: String,
        /// Number of the test.
        number: u64,
        /// Message and location.
        panic: String,
    },
    /// The end of a campaign.
    Done(Totals),
    /// Answer to [`Request::Scenario`], after its findings.
    Scenario(ScenarioReport),
    /// The tests of the executable that are to be run, in their order.
    OwnTests(Vec<String>),
    /// One of them is done.
    OwnTest(OwnResult),
    /// All are.
    OwnTestsDone {
        /// Pairs of tests that meet and were run together.
        pairs: u64,
        /// Those of them that fail.
        pairs_failed: u64,
        /// Pairs that were not, for want of time.
        pairs_left: u64,
    },
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
