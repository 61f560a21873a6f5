//! MAPTest (Wang, Zhao, Liu, Sun, Chen, Lin: MAP-coverage: a novel coverage criterion for testing thread-safe classes,
//! ASE 2019): aims at patterns that were covered least often, and steers towards them by holding threads back, without
//! checking that they are feasible. A baseline of PCR.
//!
//! Deviation: the patterns aimed at are those of the accesses of the last execution, where the original matches
//! instructions of the class.

use crate::coverage::FastMap;
use crate::coverage::PatternKey;
use crate::coverage::{Contents, MapCoverage};
use crate::research::predict::{FilterRules, TraceModel, construct};
use contest_data::decision::{Choice, DecisionPoint, Strategy, ThreadSet};
use contest_data::rng::Rng;
use contest_data::trace::{Ending, Event, ExecutionRecord, ThreadIndex};

/// Steps of a trace that are matched; more are left out.
const MOST_STEPS: usize = 240;

/// MAPTest.
#[derive(Debug)]
pub struct MapTest {
    rng: Rng,
    left: u64,
    contents: Contents,
    coverage: MapCoverage,
    /// Patterns of the last execution, as operations: thread and number in the thread.
    patterns: Vec<(PatternKey, Vec<(ThreadIndex, u32)>)>,
    tried: FastMap<PatternKey, u32>,
    aim: Vec<(ThreadIndex, u32)>,
    aim_key: Option<PatternKey>,
    reached: usize,
    executed: Vec<u32>,
    seen: usize,
    intended: u64,
    covered_intended: u64,
}

impl MapTest {
    /// With this seed, for at most this many executions.
    #[must_use]
    pub fn new(seed: u64, executions: u64) -> Self {
        Self::with_contents(seed, executions, Contents::Counted)
    }

    /// As [`MapTest::new`]; `contents` says whether the data that locks protect counts as variables.
    #[must_use]
    pub fn with_contents(seed: u64, executions: u64, contents: Contents) -> Self {
        Self {
            rng: Rng::new(seed),
            left: executions,
            contents,
            coverage: MapCoverage::new(contents),
            patterns: Vec::new(),
            tried: FastMap::default(),
            aim: Vec::new(),
            aim_key: None,
            reached: 0,
            executed: Vec::new(),
            seen: 0,
            intended: 0,
            covered_intended: 0,
        }
    }

    /// Executions that aimed at a pattern, and those in which its accesses came in the intended order.
    #[must_use]
    pub fn intended(&self) -> (u64, u64) {
        (self.intended, self.covered_intended)
    }

    /// What the executions have covered.
    #[must_use]
    pub fn coverage(&self) -> &MapCoverage {
        &self.coverage
    }

    fn catch_up(&mut self, events: &[Event]) {
        for event in &events[self.seen..] {
            let thread = event.thread.index();
            if self.executed.len() <= thread {
                self.executed.resize(thread + 1, 0);
            }
            self.executed[thread] = event.index + 1;
            if self.aim.get(self.reached) == Some(&(event.thread, event.index)) {
                self.reached += 1;
            }
        }
        self.seen = events.len();
    }

    fn choose(&mut self) {
        self.aim.clear();
        self.aim_key = None;
        let fewest = self
            .patterns
            .iter()
            .map(|(key, _)| self.tried.get(key).copied().unwrap_or(0))
            .min();
        let Some(fewest) = fewest else { return };
        let least: Vec<usize> = (0..self.patterns.len())
            .filter(|&index| {
                self.tried
                    .get(&self.patterns[index].0)
                    .copied()
                    .unwrap_or(0)
                    == fewest
            })
            .collect();
        let index = least[self.rng.below(least.len() as u32) as usize];
        let (key, steps) = &self.patterns[index];
        self.aim.clone_from(steps);
        self.aim_key = Some(*key);
        *self.tried.entry(*key).or_default() += 1;
    }
}

impl Strategy for MapTest {
    fn begin(&mut self) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.reached = 0;
        self.executed.clear();
        self.seen = 0;
        self.choose();
        true
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        self.catch_up(point.events);
        let mut set = point.enabled;
        if point.yielded && !set.without(point.current).is_empty() {
            set.remove(point.current);
        }
        // Threads about to make an access of the pattern before its turn are held back, as long as others can run.
        let about = |thread: ThreadIndex| self.executed.get(thread.index()).copied().unwrap_or(0);
        let held: ThreadSet = self
            .aim
            .iter()
            .skip(self.reached + 1)
            .filter(|(thread, index)| about(*thread) == *index)
            .map(|(thread, _)| *thread)
            .collect();
        let mut allowed = set & !held;
        if allowed.is_empty() {
            allowed = set;
        }
        if let Some((thread, _)) = self.aim.get(self.reached)
            && allowed.contains(*thread)
        {
            return Choice::Run(*thread);
        }
        let index = self.rng.below(allowed.len());
        Choice::Run(allowed.member(index))
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.rng.below(u32::from(alternatives)) as u16
    }

    fn seed(&mut self) -> u64 {
        self.rng.bits()
    }

    fn end(&mut self, record: &ExecutionRecord) {
        if record.ending == Ending::Abandoned {
            return;
        }
        self.catch_up(&record.events);
        self.coverage.observe(record);
        if self.aim_key.is_some() {
            self.intended += 1;
            self.covered_intended += u64::from(self.reached == self.aim.len());
        }
        let model = TraceModel::new(
            record,
            self.coverage.sites_mut(),
            self.contents,
            0,
            MOST_STEPS,
        );
        let rules = FilterRules {
            defined: true,
            program_order: true,
            uninterrupted: true,
            ..FilterRules::none()
        };
        let coverage = &self.coverage;
        let construction = construct(&model, rules, &|key| coverage.covers(key));
        self.patterns.clear();
        for candidate in construction.candidates {
            if let Some(key) = candidate.key.filter(|key| !coverage.covers(*key)) {
                let operation = |step: &u32| {
                    let event = &record.events[model.step(*step).event as usize];
                    (event.thread, event.index)
                };
                self.patterns
                    .push((key, candidate.steps.iter().map(operation).collect()));
            }
        }
    }
}
