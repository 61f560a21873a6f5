//! The failing execution with the fewest context switches that were not necessary.

use std::time::{Duration, Instant};

use super::shown::{Running, Shown};
use crate::judge::of_model::Failure;
use crate::minimise::{Again, Reproduction, fewest_switches};
use contest_data::decision::Strategy;
use contest_data::delay::{Delay, DelayPoint};
use contest_data::limits::{Leeway, MemoryModel};
use contest_data::trace::ExecutionRecord;
use contest_search::explore::{
    Budget, Explorer, RunOnce, Switch, Switches, switches_of, values_of,
};

/// Most time for all attempts.
const TIME: Duration = Duration::from_secs(1);
/// Preemptions with which a failure that was found under RC11 is looked for among interleavings.
const MOST_PREEMPTIONS: u32 = 2;
/// Most executions of one search with a bound on preemptions.
const BOUNDED_EXECUTIONS: u64 = 500;

/// Looks for executions that fail in the same way with fewer preemptions and switches.
pub(super) fn smallest(running: &mut Running<'_, '_>, found: Shown) -> Shown {
    let visible = std::mem::replace(&mut running.visible, found.record.schedule.visible.clone());
    let found = without_weak_memory(running, found);
    let start = reproduction(&found.record);
    let mut attempts = Attempts {
        running,
        until: Instant::now() + TIME,
        memory_model: found.record.schedule.memory_model,
        leeway: found.record.schedule.leeway,
        best: found,
    };
    let smallest = fewest_switches(start, &mut attempts);
    let Attempts { running, best, .. } = attempts;
    let kind = best.failure.kind;
    let noted = running.runner.note_allocations(kind.needs_allocations());
    if kind.needs_memory() {
        running.replay_with_accesses(&smallest.schedule);
    } else {
        running.replay_named(&smallest.schedule);
    }
    running.runner.note_allocations(noted);
    let again = running.shown();
    running.visible = visible;
    again
        .filter(|again| is_like_with_allocation(&again.failure, &best.failure))
        .unwrap_or(best)
}

/// The same failure in an interleaving, if it was found under RC11 and needs no older value: in the same order of
/// threads, or with few preemptions. Without a place it might be another one.
fn without_weak_memory(running: &mut Running<'_, '_>, found: Shown) -> Shown {
    let is_weak = found.record.schedule.memory_model != MemoryModel::Sc;
    if !is_weak || !has_place(running, &found) {
        return found;
    }
    let switches = switches_of(&found.record);
    let mut attempts = Attempts {
        running,
        until: Instant::now() + TIME / 2,
        memory_model: MemoryModel::Sc,
        leeway: found.record.schedule.leeway,
        best: found,
    };
    if attempts.with_switches(&switches, &[]).is_none() {
        let mut bounds = 0..=MOST_PREEMPTIONS;
        bounds.find(|bound| attempts.goes_on() && attempts.with_preemptions(*bound).is_some());
    }
    attempts.best
}

/// The same failure without a thread that is held up, if other threads may come between at the same place: then it is
/// no matter of time. Another message at one place may be another failure, which has its own reason.
pub(super) fn without_delay(running: &mut Running<'_, '_>, found: Shown) -> Shown {
    let schedule = &found.record.schedule;
    let is_late = |delay: Delay| matches!(delay.at, DelayPoint::Step(..));
    if !schedule.leeway.delay.is_some_and(is_late) || !has_place(running, &found) {
        return found;
    }
    let visible = std::mem::replace(&mut running.visible, schedule.visible.clone());
    let undelayed = Leeway {
        delay: None,
        ..schedule.leeway
    };
    let mut switches = switches_of(&found.record);
    if let Some(delayed) = found.record.delayed {
        // To be held up is a step of its thread.
        let step = &found.record.events[delayed as usize];
        let later = |it: &&mut Switch| it.thread == step.thread && it.index > step.index;
        switches
            .iter_mut()
            .filter(later)
            .for_each(|it| it.index -= 1);
    }
    let mut strategy = Switches::new(&switches, &[], schedule.memory_model).with(undelayed);
    strategy.begin();
    running.run_once(&mut strategy);
    let again = running.shown().filter(|again| {
        again.failure.is_like(&found.failure) && again.failure.message == found.failure.message
    });
    running.visible = visible;
    again.unwrap_or(found)
}

/// True if the failure has a place of its own, and not only that of the test.
fn has_place(running: &Running<'_, '_>, found: &Shown) -> bool {
    let mut places = found.failure.locations.iter();
    places.any(|it| *it != running.test.declared)
}

/// True if both are the same; the first one may also say where a block was allocated, before all other places.
fn is_like_with_allocation(noted: &Failure, other: &Failure) -> bool {
    noted.kind == other.kind && noted.locations.ends_with(&other.locations)
}

struct Attempts<'r, 'a, 'i> {
    running: &'r mut Running<'a, 'i>,
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

impl Attempts<'_, '_, '_> {
    /// The last execution, if it fails in the same way.
    fn note(&mut self) -> Option<Reproduction> {
        let shown = self.running.shown()?;
        if !shown.failure.is_like(&self.best.failure) {
            return None;
        }
        let reproduction = reproduction(&shown.record);
        self.best = shown;
        Some(reproduction)
    }
}

impl Again for Attempts<'_, '_, '_> {
    fn with_preemptions(&mut self, bound: u32) -> Option<Reproduction> {
        let budget = Budget {
            executions: BOUNDED_EXECUTIONS,
            time: self.until.saturating_duration_since(Instant::now()),
            minimum: 0,
        };
        let mut explorer = Explorer::bounded(bound, budget, self.memory_model).with(self.leeway);
        while explorer.next(self.running).is_some() {
            if let Some(reproduction) = self.note() {
                return Some(reproduction);
            }
        }
        None
    }

    fn with_switches(&mut self, switches: &[Switch], values: &[u16]) -> Option<Reproduction> {
        let mut strategy = Switches::new(switches, values, self.memory_model).with(self.leeway);
        strategy.begin();
        self.running.run_once(&mut strategy);
        self.note()
    }

    fn goes_on(&self) -> bool {
        Instant::now() < self.until
    }
}
