//! What a type's tests show with other orderings: trials of the search, each in driver processes of its own, since a
//! weaker ordering may end one.

use std::time::{Duration, Instant};

use contest_data::finding::{Allowed, Finding};
use contest_data::limits::MemoryModel;
use contest_data::orderings::{AtomicPlace, OrderingChange, OrderingSettings};
use contest_data::scenario::Scenario;
use contest_data::settings::{ModelChoice, Settings, SizeBounds};
use contest_data::test::ConcurrentTest;
use contest_data::totals::SubjectTotals;

use super::prepare::Prepared;
use crate::advise::{Shown, Trials};
use contest_drive::campaign::{
    self, CampaignError, CampaignEvent, Interrupt, ScenarioEnd, explore_scenario,
};

/// Most time of one test that is known to show a bug, and most executions.
const ONE_TEST: Duration = Duration::from_secs(1);
const EXECUTIONS: u64 = 1 << 12;

/// What was explored of all tests of the bound.
#[derive(Clone, Debug, Default)]
pub(super) struct Whole {
    pub(super) totals: SubjectTotals,
    pub(super) findings: Vec<Finding>,
    /// A process ended before its tests did.
    pub(super) deaths: u32,
}

impl Whole {
    /// Tests of every rung, those explored in every interleaving, those left out; `None` if not every rung is there
    /// whole.
    pub(super) fn tests(&self) -> (u64, u64, u64) {
        let sum = |count: &dyn Fn(&contest_data::ladder::RungTotals) -> u64| {
            self.totals.ladder.iter().map(count).sum()
        };
        (
            sum(&|rung| rung.tests - rung.redundant),
            sum(&|rung| rung.explored()),
            sum(&|rung| rung.left_out.iter().map(|it| it.1).sum()),
        )
    }

    /// Why not every test that was not left out was explored in every interleaving; `None` if each was.
    pub(super) fn unfinished(&self) -> Option<String> {
        let (tests, explored, left_out) = self.tests();
        let enumerated = self
            .totals
            .ladder
            .iter()
            .all(|rung| rung.exact && rung.enumerated);
        if enumerated && explored > 0 && explored + left_out == tests && self.deaths == 0 {
            return None;
        }
        let cut = self.totals.ladder.iter().flat_map(|rung| &rung.cut);
        let most = cut.max_by_key(|(_, count)| *count);
        Some(match most {
            Some((why, _)) => {
                format!("{explored} of {tests} tests in every interleaving: {why}")
            }
            None if self.deaths > 0 => "a process under test ended".to_owned(),
            None => format!("{explored} of {tests} tests in every interleaving"),
        })
    }
}

/// Trials of one type.
pub(super) struct Driven<'p> {
    pub(super) prepared: &'p Prepared,
    pub(super) subject: u16,
    pub(super) size: SizeBounds,
    pub(super) seed: u64,
    pub(super) strict: bool,
    pub(super) allow: Vec<Allowed>,
    pub(super) deadline: Instant,
    /// Most time of all tests, in one trial.
    pub(super) most: Duration,
    pub(super) interrupt: &'p Interrupt,
    /// Fingerprints of findings that orderings do not remove.
    pub(super) known: Vec<String>,
    /// Tests that showed a bug in some trial.
    pub(super) bugs: Vec<ConcurrentTest>,
    /// The last exploration of all tests.
    pub(super) last: Whole,
}

impl Driven<'_> {
    pub(super) fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn is_over(&self) -> bool {
        self.left().is_zero() || self.interrupt.is_set()
    }

    /// Explores all tests of the bound, for at most this long; to the first bug if `to_first`.
    ///
    /// # Errors
    /// If no process can run.
    pub(super) fn explore(
        &self,
        changes: &[OrderingChange],
        collect: bool,
        to_first: bool,
        most: Duration,
    ) -> Result<Whole, CampaignError> {
        let settings = Settings {
            subjects: vec![self.subject],
            budget: self.left().min(most),
            seed: self.seed,
            memory_model: ModelChoice::Rc11,
            orderings: OrderingSettings {
                changes: changes.to_vec(),
                collect,
            },
            generator: "ladder".to_owned(),
            size: self.size,
            fail_fast: to_first,
            allow: self.allow.clone(),
            known: self.known.clone(),
            strict: self.strict,
            watch_all: true,
            ..Settings::default()
        };
        let stop = Interrupt::default();
        let mut whole = Whole::default();
        let driver = &self.prepared.driver;
        let outcome = campaign::run(driver, &settings, 1, &[], &stop, &mut |_, event| {
            if let CampaignEvent::Finding(finding) = event {
                whole.findings.push(*finding);
                if to_first {
                    stop.set();
                }
            }
            if self.interrupt.is_set() {
                stop.set();
            }
        })?;
        whole.deaths = outcome.deaths;
        whole.totals = outcome.totals.into_iter().next().unwrap_or_default();
        Ok(whole)
    }

    fn scenario(&self, test: &ConcurrentTest, changes: &[OrderingChange]) -> Scenario {
        let budget = ONE_TEST.min(self.left());
        Scenario {
            test: test.clone(),
            budget_ms: u64::try_from(budget.as_millis()).unwrap_or(u64::MAX),
            executions: EXECUTIONS,
            seed: self.seed,
            strategy: "auto".to_owned(),
            strict: self.strict,
            observe: true,
            memory_model: MemoryModel::Rc11,
            orderings: OrderingSettings {
                changes: changes.to_vec(),
                collect: true,
            },
        }
    }

    /// Explores one test: what it shows, and the atomic operations that it executed.
    fn explore_one(
        &self,
        test: &ConcurrentTest,
        changes: &[OrderingChange],
    ) -> Result<(Shown, Vec<AtomicPlace>), CampaignError> {
        if self.is_over() {
            return Ok((Shown::NoTime, Vec::new()));
        }
        let scenario = self.scenario(test, changes);
        let end = explore_scenario(&self.prepared.driver, scenario, self.interrupt)?;
        Ok(match end {
            ScenarioEnd::Explored(_, report) => {
                let bug = report.outcomes.iter().any(|it| it.is_bug);
                let shown = match (bug, report.complete) {
                    (true, _) => Shown::Bug,
                    (false, true) => Shown::Clean,
                    (false, false) => Shown::Unfinished(report.why),
                };
                (shown, report.places)
            }
            ScenarioEnd::Died(_) => (Shown::Bug, Vec::new()),
            ScenarioEnd::Interrupted => (Shown::NoTime, Vec::new()),
        })
    }

    /// Takes in tests that showed bugs under these changes; those that do so again when explored alone are tried first
    /// from then on. Returns how many do, and the atomic operations that they executed.
    ///
    /// # Errors
    /// If no process can run.
    pub(super) fn take_in(
        &mut self,
        findings: &[Finding],
        changes: &[OrderingChange],
    ) -> Result<(usize, Vec<AtomicPlace>), CampaignError> {
        let before = self.bugs.len();
        let mut places = Vec::new();
        for finding in findings {
            if self.bugs.contains(&finding.test) {
                continue;
            }
            let (shown, executed) = self.explore_one(&finding.test, changes)?;
            if shown == Shown::Bug {
                self.bugs.push(finding.test.clone());
                places.extend(executed);
            }
        }
        Ok((self.bugs.len() - before, places))
    }
}

impl Trials for Driven<'_> {
    type Error = CampaignError;

    fn known_bugs(&self) -> usize {
        self.bugs.len()
    }

    fn known_bug(
        &mut self,
        number: usize,
        changes: &[OrderingChange],
    ) -> Result<Shown, CampaignError> {
        Ok(self.explore_one(&self.bugs[number], changes)?.0)
    }

    fn all_tests(&mut self, changes: &[OrderingChange]) -> Result<Shown, CampaignError> {
        if self.is_over() {
            return Ok(Shown::NoTime);
        }
        let whole = self.explore(changes, false, true, self.most)?;
        if !whole.findings.is_empty() {
            let findings = whole.findings.clone();
            let (new, _) = self.take_in(&findings, changes)?;
            // What does not show again alone cannot guide the search; the set is given up as it is.
            return Ok(match new {
                0 => Shown::Unfinished("a bug that did not show again".to_owned()),
                _ => Shown::Bug,
            });
        }
        if self.is_over() {
            return Ok(Shown::NoTime);
        }
        let unfinished = whole.unfinished();
        self.last = whole;
        Ok(match unfinished {
            None => Shown::Clean,
            Some(why) => Shown::Unfinished(why),
        })
    }
}
