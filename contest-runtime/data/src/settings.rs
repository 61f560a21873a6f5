//! What a campaign does, with the defaults of the tool and the library, and where it reports.

mod listener;

pub use listener::{Activity, Listener};

use std::sync::Arc;
use std::time::Duration;

use crate::atomic_sets::AtomicSets;
use crate::dependencies::Dependencies;
use crate::finding::Allowed;
use crate::orderings::OrderingSettings;
use crate::rng::DEFAULT_SEED;
use crate::test::{ConcurrentTest, TestObject};
use crate::totals::PausedTests;

/// The package under test, as schedule tokens name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// Operations of a subject that run code in which synchronisation is not seen. Whether anything orders two accesses is
/// not known where a test calls them, so what is only wrong for want of an order is not reported there, but counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UnseenOrder {
    /// Number of the subject.
    pub subject: u16,
    /// Numbers of the operations.
    pub operations: Vec<u16>,
}

impl UnseenOrder {
    /// True if a thread of the test calls one of them.
    #[must_use]
    pub fn concerns(&self, test: &ConcurrentTest) -> bool {
        let mut calls = test.threads.iter().flatten();
        self.subject == test.subject && calls.any(|call| self.operations.contains(&call.operation))
    }
}

/// Objects and calls that end the process when they come together, as an earlier process found out. Tests that have
/// them all are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Avoid {
    /// The subject, by index.
    pub subject: u16,
    /// Objects that end it by being made.
    #[cfg_attr(feature = "serde", serde(default))]
    pub objects: Vec<TestObject>,
    /// Operations, by index, each as often as it must occur.
    pub operations: Vec<u16>,
    /// Why, for the counts of what was left out.
    pub why: String,
}

impl Avoid {
    /// True if the test has all of them.
    #[must_use]
    pub fn concerns(&self, test: &ConcurrentTest) -> bool {
        let mut calls: Vec<u16> = test
            .prefix
            .iter()
            .chain(test.threads.iter().flatten())
            .map(|call| call.operation)
            .collect();
        test.subject == self.subject
            && self.objects.iter().all(|it| test.objects.contains(it))
            && self.operations.iter().all(|operation| {
                let found = calls.iter().position(|call| call == operation);
                found.map(|at| calls.swap_remove(at)).is_some()
            })
    }
}

/// The memory models of a campaign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum ModelChoice {
    /// Sequential consistency; a test that is explored or quiet goes on under RC11 if that may make a difference.
    #[default]
    Auto,
    /// Sequential consistency only.
    Sc,
    /// RC11 only.
    Rc11,
}

impl ModelChoice {
    /// Each with what it is.
    pub const ALL: [(&str, &str); 3] = [
        (
            "auto",
            "sequential consistency, then rc11 where an ordering is weaker than SeqCst",
        ),
        ("sc", "sequential consistency: orderings do not matter"),
        (
            "rc11",
            "loads may read older values where orderings allow it",
        ),
    ];

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "auto" => Self::Auto,
            "sc" => Self::Sc,
            "rc11" => Self::Rc11,
            _ => return None,
        })
    }
}

/// How much longer parts of a campaign may take whose end is a matter of work.
const PATIENCE: u32 = 100;

/// What a campaign does. The one type for options of the tool, checks of annotated types, and what crosses the process
/// wall.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Subjects to test, by index; default: none named, which is all.
    pub subjects: Vec<u16>,
    /// Exploration time for all of them together; default 60 s. Whole milliseconds cross the wall.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "budget_ms", with = "wire::milliseconds")
    )]
    pub budget: Duration,
    /// Most work for all of them together, in steps (see [`Settings::is_by_work`]); default: no limit but the time.
    #[cfg_attr(feature = "serde", serde(default))]
    pub steps: Option<u64>,
    /// Seed of everything random; default 1.
    pub seed: u64,
    /// Name of the exploration strategy, see [`STRATEGIES`](crate::names::STRATEGIES); default `auto`.
    pub strategy: String,
    /// What atomic operations may read in its executions; default: sequential consistency, then RC11 where that may
    /// make a difference.
    pub memory_model: ModelChoice,
    /// Other orderings than those of the source, in executions under RC11; default: none.
    #[cfg_attr(feature = "serde", serde(default))]
    pub orderings: OrderingSettings,
    /// Name of the generator, see [`GENERATORS`](crate::names::GENERATORS); default `auto`.
    pub generator: String,
    /// What is known of pairs of operations, for each subject that was analysed; default: nothing.
    pub dependencies: Vec<Dependencies>,
    /// How fields are grouped; default: all of one set.
    #[cfg_attr(feature = "serde", serde(with = "wire::shared"))]
    pub atomic_sets: Arc<AtomicSets>,
    /// Prunings of the search for call sequences; default: all, fewer for measurement.
    pub prunings: Prunings,
    /// How large tests may be; default: no bound, so that there are larger ones as long as there is time.
    pub size: SizeBounds,
    /// Stop at the first finding; default: no.
    pub fail_fast: bool,
    /// Take only every n-th test, starting with the k-th (counting from 1): `(k, n)`; default: all.
    pub shard: Option<(u32, u32)>,
    /// One more than the number of the test that an earlier process died of; 0 if none did. It and those of its subject
    /// before it are not run.
    pub first_test: u64,
    /// How many tests earlier processes have begun, for each subject of the campaign, in the order of `subjects`.
    pub begun: Vec<u64>,
    /// Tests of earlier runs, among those begun, whose exploration goes on.
    pub go_on: Vec<PausedTests>,
    /// Subjects, by index, that wait until half of the budget is used up, as long as others have something to do.
    pub later: Vec<u16>,
    /// Say once a second which tests are paused, so that a later run can go on with them; default: no.
    pub report_paused: bool,
    /// Fingerprints of findings already reported, see [`Finding::fingerprint`].
    pub known: Vec<String>,
    /// Tests that are left out.
    pub avoid: Vec<Avoid>,
    /// Kinds that are not reported; default: none.
    pub allow: Vec<Allowed>,
    /// Kinds that fail no run; default: those that are warnings.
    pub warn: Vec<Allowed>,
    /// Operations in which what orders threads is not seen.
    pub unseen_order: Vec<UnseenOrder>,
    /// Compare the results of weakly consistent operations too; default: no.
    pub strict: bool,
    /// Keep what operations were seen to do, for a check of the static analysis; default: no.
    pub behaviour: bool,
    /// So many samples are taken by each of some strategies of a test that was explored in every interleaving, to check
    /// that they show nothing else; default: 0.
    pub samples: u64,
    /// Watch memory accesses in every execution instead of a share of them, where the code under test reports them;
    /// default: no.
    pub watch_all: bool,
    /// Observe the final state of every execution, also where an execution of the same test has reached it before; for
    /// measurement; default: no.
    pub observe_all: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            subjects: Vec::new(),
            budget: Duration::from_secs(60),
            steps: None,
            seed: DEFAULT_SEED,
            strategy: "auto".to_owned(),
            memory_model: ModelChoice::Auto,
            orderings: OrderingSettings::default(),
            generator: "auto".to_owned(),
            dependencies: Vec::new(),
            atomic_sets: Arc::default(),
            prunings: Prunings::ALL,
            size: SizeBounds::default(),
            fail_fast: false,
            shard: None,
            first_test: 0,
            begun: Vec::new(),
            go_on: Vec::new(),
            later: Vec::new(),
            report_paused: false,
            known: Vec::new(),
            avoid: Vec::new(),
            allow: Allowed::by_default(),
            warn: Allowed::warned_of_by_default(),
            unseen_order: Vec::new(),
            strict: false,
            behaviour: false,
            samples: 0,
            watch_all: false,
            observe_all: false,
        }
    }
}

impl Settings {
    /// The end of the campaign is a matter of work and not of time, so that it comes to the same on every machine: no
    /// limit of time that a slow machine could reach cuts anything. Work is counted in steps: those of executions, and
    /// a fixed number for each execution. Making a finding smaller is not counted.
    #[must_use]
    pub fn is_by_work(&self) -> bool {
        self.steps.is_some()
    }

    /// By how much the limits of time for parts of the campaign are longer: where it is by work, they are far away.
    #[must_use]
    pub fn patience(&self) -> u32 {
        if self.is_by_work() { PATIENCE } else { 1 }
    }
}

/// How fields are written whose types have no form of their own.
#[cfg(feature = "serde")]
mod wire {
    pub(super) mod milliseconds {
        use std::time::Duration;

        use serde::{Deserialize, Deserializer, Serializer};

        pub(crate) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
            to.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Duration, D::Error> {
            u64::deserialize(from).map(Duration::from_millis)
        }
    }

    /// As what it shares: serde's feature `rc` is off.
    pub(super) mod shared {
        use std::sync::Arc;

        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        pub(crate) fn serialize<T: Serialize, S: Serializer>(
            value: &Arc<T>,
            to: S,
        ) -> Result<S::Ok, S::Error> {
            value.as_ref().serialize(to)
        }

        pub(crate) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Arc<T>, D::Error> {
            T::deserialize(from).map(Arc::new)
        }
    }
}

/// How large tests may be, as far as the user has bounded them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SizeBounds {
    /// Most threads beside the main thread.
    pub threads: Option<u8>,
    /// Most calls of one thread.
    pub calls: Option<u8>,
}

impl SizeBounds {
    /// These bounds; where there is none, that of `default`.
    #[must_use]
    pub fn or(self, default: TestSize) -> TestSize {
        TestSize {
            threads: self.threads.map_or(default.threads, usize::from),
            calls: self.calls.map_or(default.calls, usize::from),
        }
    }
}

impl From<TestSize> for SizeBounds {
    fn from(size: TestSize) -> Self {
        let bound = |most| Some(u8::try_from(most).unwrap_or(u8::MAX));
        Self {
            threads: bound(size.threads),
            calls: bound(size.calls),
        }
    }
}

/// How large tests may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TestSize {
    /// Most threads beside the main thread: 2 or 3.
    pub threads: usize,
    /// Most calls of one thread: at least 1.
    pub calls: usize,
}

impl TestSize {
    /// Two threads of at most two calls: what generators without a ladder make by default.
    pub const USUAL: Self = Self {
        threads: 2,
        calls: 2,
    };
}

/// A pruning of the search, or of the tests that it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// D1: the call fails. Always on.
    Failed,
    /// D2: see [`Prunings::unchanged`].
    Unchanged,
    /// D3: see [`Prunings::redundant_child`].
    RedundantChild,
    /// B1: see [`Prunings::gain_without_change`].
    GainWithoutChange,
    /// B2: see [`Prunings::redundant`].
    Redundant,
    /// The amendment of the published rule of redundancy.
    Amended,
    /// The limit of runs of one search.
    Runs,
    /// Pairs of operations that static analysis proved unable to disturb each other have no tests.
    Pairs,
}

impl Pruning {
    /// Those that can be switched off.
    pub const OPTIONAL: [Self; 7] = [
        Self::Unchanged,
        Self::RedundantChild,
        Self::GainWithoutChange,
        Self::Redundant,
        Self::Amended,
        Self::Runs,
        Self::Pairs,
    ];

    /// As on the command line and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failed => "d1",
            Self::Unchanged => "d2",
            Self::RedundantChild => "d3",
            Self::GainWithoutChange => "b1",
            Self::Redundant => "b2",
            Self::Amended => "amended",
            Self::Runs => "runs",
            Self::Pairs => "pairs",
        }
    }
}

/// Which prunings are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Prunings {
    /// D2: the call brought neither coverage nor another state.
    pub unchanged: bool,
    /// D3: the call brought no coverage, and the sequence is redundant.
    pub redundant_child: bool,
    /// B1: the call brought coverage and left the state as it was; go on from there only.
    pub gain_without_change: bool,
    /// B2: the sequence itself has become redundant.
    pub redundant: bool,
    /// The rule of redundancy as published, which ignores saturation.
    pub published: bool,
    /// Searches may run many more sequences from the first one on, to measure what prunings cost.
    pub long: bool,
    /// Pairs of operations that static analysis proved unable to disturb each other have no tests.
    pub pairs: bool,
}

impl Prunings {
    /// All but those with these names.
    #[must_use]
    pub fn without(names: &[String]) -> Self {
        let with = |pruning: Pruning| !names.iter().any(|off| off == pruning.name());
        Self {
            unchanged: with(Pruning::Unchanged),
            redundant_child: with(Pruning::RedundantChild),
            gain_without_change: with(Pruning::GainWithoutChange),
            redundant: with(Pruning::Redundant),
            published: !with(Pruning::Amended),
            long: !with(Pruning::Runs),
            pairs: with(Pruning::Pairs),
        }
    }

    /// All of them, with the amended rule of redundancy.
    pub const ALL: Self = Self {
        unchanged: true,
        redundant_child: true,
        gain_without_change: true,
        redundant: true,
        published: false,
        long: false,
        pairs: true,
    };
    /// None but D1: what fails is not gone on with.
    pub const NONE: Self = Self {
        unchanged: false,
        redundant_child: false,
        gain_without_change: false,
        redundant: false,
        published: false,
        long: false,
        pairs: false,
    };
}
