//! The failing execution with the fewest context switches that were not necessary.

use std::time::{Duration, Instant};

use super::running::Running;

use contest_campaign::judge::of_model::{self, Failure};
use contest_campaign::minimise::{Again, Reproduction, fewest_switches};
use contest_data::decision::Strategy;
use contest_data::limits::{Leeway, MemoryModel};
use contest_data::trace::ExecutionRecord;
use contest_search::explore::{Budget, Explorer, Switch, Switches, switches_of, values_of};

/// Most time for all attempts.
const TIME: Duration = Duration::from_secs(2);
/// Most executions of one search with a bound on preemptions.
const BOUNDED_EXECUTIONS: u64 = 2_000;

/// A failing execution.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) record: ExecutionRecord,
    pub(super) names: Vec<String>,
    pub(super) failure: Failure,
}

/// Looks for executions that fail in the same way with fewer preemptions and switches.
pub(super) fn smallest(running: &mut Running<'_>, found: Shown) -> Shown {
    let start = reproduction(&found.record);
    let mut attempts = Attempts {
        running,
        wanted: found.failure.clone(),
        until: Instant::now() + TIME,
        memory_model: found.record.schedule.memory_model,
        leeway: found.record.schedule.leeway,
        best: found,
    };
    let smallest = fewest_switches(start, &mut attempts);
    let mut best = attempts.best;
    if best.record.schedule != smallest.schedule
        && let Some(last) = attempts
            .running
            .replayed(&smallest.schedule, &attempts.wanted)
    {
        best = last;
    }
    best
}

struct Attempts<'r, 'f> {
    running: &'r mut Running<'f>,
    wanted: Failure,
    until: Instant,
    memory_model: MemoryModel,
    leeway: Leeway,
    /// The last one that was accepted, or an attempt after it.
    best: Shown,
}

fn reproduction(record: &ExecutionRecord) -> Reproduction {
    Reproduction {
        schedule: record.schedule.clone(),
        preemptions: record.preemptions,
        steps: record.steps,
        switches: switches_of(record),
        values: values_of(record),
    }
}

impl Attempts<'_, '_> {
    fn note(&mut self, record: ExecutionRecord) -> Option<Reproduction> {
        let names = self.running.names(record.threads);
        let failure = self.running.failure(&record, &names)?;
        if !failure.is_like(&self.wanted) {
            return None;
        }
        let reproduction = reproduction(&record);
        self.best = Shown {
            record,
            names,
            failure,
        };
        Some(reproduction)
    }
}

impl Again for Attempts<'_, '_> {
    fn with_preemptions(&mut self, bound: u32) -> Option<Reproduction> {
        let budget = Budget {
            executions: BOUNDED_EXECUTIONS,
            time: self.until.saturating_duration_since(Instant::now()),
            minimum: 0,
        };
        let may_block = self.running.may_block;
        let mut explorer = Explorer::bounded(bound, budget, self.memory_model).with(self.leeway);
        while let Some(record) = explorer.next(self.running) {
            // Most executions do not fail: only those that do are copied.
            if of_model::failure(record, &[], may_block).is_none() {
                continue;
            }
            let record = record.clone();
            if let Some(reproduction) = self.note(record) {
                return Some(reproduction);
            }
        }
        None
    }

    fn with_switches(&mut self, switches: &[Switch], values: &[u16]) -> Option<Reproduction> {
        let mut strategy = Switches::new(switches, values, self.memory_model).with(self.leeway);
        strategy.begin();
        let record = self.running.run_one(&mut strategy).clone();
        self.note(record)
    }

    fn goes_on(&self) -> bool {
        Instant::now() < self.until
    }
}
