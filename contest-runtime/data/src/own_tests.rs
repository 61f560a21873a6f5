//! The tests that a crate already has: how they are explored, and what came of each.

use std::time::Duration;

use crate::finding::Allowed;
use crate::gap::Gaps;
use crate::rng::DEFAULT_SEED;
use crate::settings::ModelChoice;

/// Of one test, in one of the interleavings or in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum OwnVerdict {
    /// Every execution passed.
    Ok,
    /// No execution passed, nor does it pass as it is: an ordinary failing test.
    Failed,
    /// Some executions pass, others fail; or one showed undefined behaviour.
    FailsSometimes,
    /// Marked `#[ignore]`.
    Ignored,
    /// No execution came to its end.
    NotRun,
}

impl OwnVerdict {
    /// As in the contract.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::FailsSometimes => "fails-sometimes",
            Self::Ignored => "ignored",
            Self::NotRun => "not-run",
        }
    }
}

/// A detail of a finding: no execution passed, but the test does without control.
pub const PASSES_AS_IT_IS: &str =
    "without control the test passes: it was run once, as `cargo test` does";

/// What was explored of a test under RC11.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WeakPart {
    /// Executions.
    pub executions: u64,
    /// Every execution graph was one of them.
    pub complete: bool,
    /// Why not, if so.
    pub why: String,
}

/// What came of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OwnResult {
    /// `module::name`.
    pub name: String,
    /// What came of it.
    pub verdict: OwnVerdict,
    /// Every interleaving that can make a difference was run, under sequential consistency unless the settings say RC11
    /// only.
    pub complete: bool,
    /// Why not, if so.
    #[cfg_attr(feature = "serde", serde(default))]
    pub gaps: Gaps,
    /// What was explored under RC11; nothing if no operation is ordered less than `SeqCst`, or if the settings say
    /// otherwise.
    pub weak: Option<WeakPart>,
    /// What executions showed and is not reported.
    #[cfg_attr(feature = "serde", serde(default))]
    pub allowed: Vec<Allowed>,
    /// Executions, those included that were run to confirm or shrink a finding.
    pub executions: u64,
    /// Most threads of an execution, the test's own included; 0 if there was no execution.
    pub threads: u16,
    /// Draws of random numbers under which it was run, each in every interleaving if `complete`; 0 if none were drawn.
    #[cfg_attr(feature = "serde", serde(default))]
    pub draws: u64,
    /// Places at which a thread was held up, one in each execution; 0 if the test does not depend on time.
    #[cfg_attr(feature = "serde", serde(default))]
    pub delays: u64,
    /// Executions with a random order, random draws and, if the test depends on time, one thread that is late at a
    /// random place; of a test that fails sometimes.
    #[cfg_attr(feature = "serde", serde(default))]
    pub random_executions: u64,
    /// Those of them that fail.
    #[cfg_attr(feature = "serde", serde(default))]
    pub random_failures: u64,
    /// What was explored of a test that fails sometimes and has nothing to do with it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub sound: Vec<String>,
    /// How it failed, why it was not run, or why not every interleaving was; empty if there is nothing to say.
    pub why: String,
}

impl OwnResult {
    /// Of a test without an execution.
    #[must_use]
    pub fn without_execution(name: &str, verdict: OwnVerdict, why: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            verdict,
            complete: false,
            gaps: Gaps::NONE,
            weak: None,
            allowed: Vec::new(),
            executions: 0,
            threads: 0,
            draws: 0,
            delays: 0,
            random_executions: 0,
            random_failures: 0,
            sound: Vec::new(),
            why: why.into(),
        }
    }
}

/// How the tests of one test executable are explored.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OwnTestSettings {
    /// Name and version of the package, for tokens.
    pub package: (String, String),
    /// The executable, for tokens: `lib`, `test queue`.
    pub executable: String,
    /// Arguments of libtest: filters and flags.
    pub arguments: Vec<String>,
    /// Tests before this number, in the order of the executable, were run by an earlier process.
    pub first: u64,
    /// Only every n-th of them, beginning with this one: (0, 1) are all.
    pub shard: (u64, u64),
    /// Time for all tests together, in milliseconds. What is over when it is used up is run once.
    pub budget_ms: u64,
    /// Time after which nothing is run any more, in milliseconds.
    pub overtime_ms: u64,
    /// Most time for one test, in milliseconds.
    pub test_budget_ms: u64,
    /// Tests that each process has to run after those of this executable, in the same time.
    #[cfg_attr(feature = "serde", serde(default))]
    pub tests_after: u64,
    /// Most executions of one test.
    pub executions: u64,
    /// Where random strategies begin.
    pub seed: u64,
    /// The strategy, by name.
    pub strategy: String,
    /// What atomic operations may read.
    pub memory_model: ModelChoice,
    /// Tests, by number, that are sampled only: to plan their executions systematically took too long.
    pub sampled: Vec<u64>,
    /// Findings that are not reported.
    pub allow: Vec<Allowed>,
    /// Each test has a process of its own where it is run: none meets another one.
    #[cfg_attr(feature = "serde", serde(default))]
    pub isolated: bool,
    /// Where there is one test only, it has the time of all.
    #[cfg_attr(feature = "serde", serde(default))]
    pub one_has_all: bool,
    /// A test whose executions are slow has more time than others: enough for some of them.
    #[cfg_attr(feature = "serde", serde(default))]
    pub slow_has_more: bool,
    /// The test passes as it is, without control: what fails here fails sometimes.
    #[cfg_attr(feature = "serde", serde(default))]
    pub passes_as_it_is: bool,
    /// Findings that fail no run.
    pub warn: Vec<Allowed>,
    /// Tests that meet are run together, and none by itself.
    #[cfg_attr(feature = "serde", serde(default))]
    pub together: Option<Together>,
}

/// What is known of tests that are run together.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Together {
    /// Places of findings in one test by itself: what shows there shows without another test.
    pub known: Vec<String>,
    /// Names of tests that do not pass by themselves.
    pub left_out: Vec<String>,
    /// Those of them that fail.
    #[cfg_attr(feature = "serde", serde(default))]
    pub failing: Vec<String>,
}

impl Default for OwnTestSettings {
    fn default() -> Self {
        Self {
            package: Default::default(),
            executable: String::new(),
            arguments: Vec::new(),
            first: 0,
            shard: (0, 1),
            budget_ms: 300_000,
            overtime_ms: 600_000,
            test_budget_ms: 1_000,
            tests_after: 0,
            executions: 100_000,
            seed: DEFAULT_SEED,
            strategy: "auto".to_owned(),
            memory_model: ModelChoice::default(),
            sampled: Vec::new(),
            allow: Vec::new(),
            isolated: false,
            one_has_all: false,
            slow_has_more: false,
            passes_as_it_is: false,
            together: None,
            warn: Vec::new(),
        }
    }
}

impl OwnTestSettings {
    /// True if the arguments tell libtest to run one test at a time, in the order of its list.
    #[must_use]
    pub fn is_in_turn(&self) -> bool {
        let arguments = || self.arguments.iter().map(String::as_str);
        let values = arguments().zip(arguments().skip(1));
        arguments().any(|it| it == "--test-threads=1")
            || values.into_iter().any(|it| it == ("--test-threads", "1"))
    }

    /// Most time for one test.
    #[must_use]
    pub fn test_budget(&self) -> Duration {
        Duration::from_millis(self.test_budget_ms)
    }

    /// Most time for one execution, of which a test is to have several.
    #[must_use]
    pub fn execution_budget(&self) -> Duration {
        (2 * self.test_budget()).max(Duration::from_secs(1))
    }

    /// Time for all tests.
    #[must_use]
    pub fn budget(&self) -> Duration {
        Duration::from_millis(self.budget_ms)
    }

    /// Time after which nothing is run any more, where all tests have this one: as much again, so that what is run
    /// once comes to its end in most packages, and half a minute at least.
    #[must_use]
    pub fn overtime_of(budget: Duration) -> Duration {
        budget + budget.max(Duration::from_secs(30))
    }

    /// True if this test, by number, is one of these.
    #[must_use]
    pub fn takes(&self, number: u64) -> bool {
        number >= self.first && number % self.shard.1.max(1) == self.shard.0
    }
}
