//! One concurrent test that the user has written: all outcomes of it.

use crate::gap::Gaps;
use crate::limits::MemoryModel;
use crate::orderings::{AtomicPlace, OrderingSettings};
use crate::test::ConcurrentTest;

/// What to explore.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scenario {
    /// The test.
    pub test: ConcurrentTest,
    /// Most time, in milliseconds.
    pub budget_ms: u64,
    /// Most executions.
    pub executions: u64,
    /// Where random strategies begin.
    pub seed: u64,
    /// The strategy, by name.
    pub strategy: String,
    /// Commonly weakly consistent results are judged too.
    pub strict: bool,
    /// The final state is looked at, as in a campaign.
    #[cfg_attr(feature = "serde", serde(default))]
    pub observe: bool,
    /// What atomic operations may read.
    #[cfg_attr(feature = "serde", serde(default))]
    pub memory_model: MemoryModel,
    /// Other orderings than those of the source, in executions under RC11.
    #[cfg_attr(feature = "serde", serde(default))]
    pub orderings: OrderingSettings,
}

/// Executions that gave the callers the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ScenarioOutcome {
    /// What each call of each thread came back with, in words.
    pub results: Vec<Vec<String>>,
    /// How often.
    pub executions: u64,
    /// `linearizable`, the name of the kind of finding, or why it was not judged.
    pub judgement: String,
    /// It is a bug.
    pub is_bug: bool,
}

/// All outcomes of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ScenarioReport {
    /// In the order in which they were seen.
    pub outcomes: Vec<ScenarioOutcome>,
    /// Executions in all.
    pub executions: u64,
    /// Every interleaving that can make a difference was run, and its outcome judged.
    pub complete: bool,
    /// Why not, if so.
    #[cfg_attr(feature = "serde", serde(default))]
    pub gaps: Gaps,
    /// Draws of random numbers under which it was run, each in every interleaving if `complete`; 0 if none were drawn.
    #[cfg_attr(feature = "serde", serde(default))]
    pub draws: u64,
    /// It read the clock; where no time passes by that, time passes only while all threads wait.
    #[cfg_attr(feature = "serde", serde(default))]
    pub read_clock: bool,
    /// What was explored holds under sequential consistency, and may not hold under RC11.
    #[cfg_attr(feature = "serde", serde(default))]
    pub only_sc: bool,
    /// Why the test cannot be judged, or why not every interleaving was run, in words.
    pub why: String,
    /// Atomic operations and fences that were executed under RC11, if they were collected.
    #[cfg_attr(feature = "serde", serde(default))]
    pub places: Vec<AtomicPlace>,
}
