//! What a campaign is asked to do, and whom it tells.

use std::sync::Arc;
use std::time::Duration;

use super::totals::{Alone, Progress};
use crate::assemble::{ConcurrentTest, TestSize};
use crate::coverage::AtomicSets;
use crate::generate::Dependencies;
use crate::generate::call_tree::Prunings;
use crate::judge::{Allowed, Finding};

/// The package under test, as schedule tokens name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// Operations of a subject that run code in which synchronisation is not seen. Whether anything orders two accesses is not known where a test
/// calls them, so what is only wrong for want of an order is not reported there, but counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "driver", derive(serde::Serialize, serde::Deserialize))]
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

/// Calls that end the process when they come together, as an earlier process found out. Tests that have them all are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "driver", derive(serde::Serialize, serde::Deserialize))]
pub struct Avoid {
    /// The subject, by index.
    pub subject: u16,
    /// Operations, by index, each as often as it must occur.
    pub operations: Vec<u16>,
    /// Why, for the counts of what was left out.
    pub why: String,
}

impl Avoid {
    /// True if the test has all these calls.
    #[must_use]
    pub fn concerns(&self, test: &ConcurrentTest) -> bool {
        let mut calls: Vec<u16> = test
            .prefix
            .iter()
            .chain(test.threads.iter().flatten())
            .map(|call| call.operation)
            .collect();
        test.subject == self.subject
            && self.operations.iter().all(|operation| {
                let found = calls.iter().position(|call| call == operation);
                found.map(|at| calls.swap_remove(at)).is_some()
            })
    }
}

/// What a campaign is asked to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Subjects to test, by index; empty = all.
    pub subjects: Vec<u16>,
    /// Exploration time for all of them together; default 60 s.
    pub budget: Duration,
    /// Seed of everything random; default 0.
    pub seed: u64,
    /// Name of the exploration strategy, see [`STRATEGIES`](crate::explore::explorer::STRATEGIES); default `auto`.
    pub strategy: String,
    /// Name of the generator, see [`GENERATORS`](crate::assemble::GENERATORS); default `autocontest`.
    pub generator: String,
    /// What is known of pairs of operations, for each subject that was analysed.
    pub dependencies: Vec<Dependencies>,
    /// How fields are grouped; default: all of one set.
    pub atomic_sets: Arc<AtomicSets>,
    /// Prunings of the search for call sequences; all by default, fewer for measurement.
    pub prunings: Prunings,
    /// How large tests may be; default two threads of at most three calls.
    pub size: TestSize,
    /// Stop at the first finding.
    pub fail_fast: bool,
    /// Take only every n-th test, starting with the k-th (counting from 1): `(k, n)`.
    pub shard: Option<(u32, u32)>,
    /// One more than the number of the test that an earlier process died of; 0 if none did. It and those of its subject before it are not
    /// run.
    pub first_test: u64,
    /// How many tests earlier processes have begun, for each subject of the campaign, in the order of `subjects`.
    pub begun: Vec<u64>,
    /// Fingerprints of findings already reported, see [`fingerprint`](crate::judge::fingerprint::fingerprint).
    pub known: Vec<String>,
    /// Tests that are left out.
    pub avoid: Vec<Avoid>,
    /// Kinds that are not reported.
    pub allow: Vec<Allowed>,
    /// Operations in which what orders threads is not seen.
    pub unseen_order: Vec<UnseenOrder>,
    /// Compare the results of weakly consistent operations too.
    pub strict: bool,
    /// Keep what operations were seen to do, for a check of the static analysis.
    pub behaviour: bool,
    /// Watch memory accesses in every execution instead of a share of them, where the code under test tells of them.
    pub watch_all: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            subjects: Vec::new(),
            budget: Duration::from_secs(60),
            seed: 0,
            strategy: "auto".to_owned(),
            generator: "autocontest".to_owned(),
            dependencies: Vec::new(),
            atomic_sets: Arc::default(),
            prunings: Prunings::ALL,
            size: TestSize {
                threads: 2,
                calls: 3,
            },
            fail_fast: false,
            shard: None,
            first_test: 0,
            begun: Vec::new(),
            known: Vec::new(),
            avoid: Vec::new(),
            allow: Vec::new(),
            unseen_order: Vec::new(),
            strict: false,
            behaviour: false,
            watch_all: false,
        }
    }
}

/// What the campaign does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Runs the serial orders of a test.
    Serial,
    /// Explores its interleavings.
    Exploring,
    /// Makes a finding smaller.
    Minimising,
    /// Runs a given schedule.
    Replaying,
}

/// Hears what a campaign finds, while it runs.
pub trait Listener {
    /// A bug, confirmed and minimised.
    fn finding(&mut self, finding: Finding);
    /// An operation that fails without any concurrency; once for each operation and way to fail.
    fn alone(&mut self, alone: Alone);
    /// Where the campaign stands; at most ten times a second.
    fn progress(&mut self, progress: &Progress);
    /// A test is about to run.
    fn test(&mut self, number: u64, test: &ConcurrentTest) {
        let _ = (number, test);
    }
    /// A sequence of calls is about to run in one thread, in search of the test with this number.
    fn sequence(&mut self, number: u64, sequence: &ConcurrentTest) {
        let _ = (number, sequence);
    }
    /// What is done from here on.
    fn doing(&mut self, doing: Doing) {
        let _ = doing;
    }
}
