//! An interleaving as rows of a drawing with a lane for each thread: what each thread is in, holds and waits for while
//! a row happens, and which earlier row it depends on. Nothing is drawn that the finding does not say.

use std::collections::{BTreeSet, HashMap};

use contest_data::finding::{Finding, InterleavingStep, LinkKind, StepEffect};

use crate::source_files::{Owner, SourceFiles};

/// A drawing.
#[derive(Debug)]
pub(super) struct Lanes<'a> {
    /// Threads that do something, in order: their numbers and names.
    pub(super) threads: Vec<(u16, String)>,
    /// Names of the locks that are held, in order of first use, without the mode.
    pub(super) locks: Vec<String>,
    /// From top to bottom.
    pub(super) rows: Vec<LaneRow<'a>>,
}

/// One row.
#[derive(Debug)]
pub(super) struct LaneRow<'a> {
    /// The step.
    pub(super) step: &'a InterleavingStep,
    /// Its lane.
    pub(super) lane: usize,
    /// The call that begins with the row, if the row is not that call itself.
    pub(super) opens: Option<&'a str>,
    /// The row is the call itself.
    pub(super) is_call: bool,
    /// Another thread took the step before.
    pub(super) switched: bool,
    /// Each lane, while the row happens.
    pub(super) states: Vec<LaneState>,
    /// Locks that the thread holds after it.
    pub(super) holds: Vec<usize>,
    /// Earlier rows of other threads that it depends on.
    pub(super) links: Vec<(LinkKind, usize)>,
    /// Whose code the step is in.
    pub(super) owner: Owner,
}

/// A thread at a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LaneState {
    /// In this call of its thread.
    pub(super) call: Option<u16>,
    /// Holds these locks (positions in [`Lanes::locks`]).
    pub(super) holds: Vec<usize>,
    /// Cannot go on.
    pub(super) waits: bool,
}

/// What a call that has not returned comes back with.
const HUNG: &str = "<hung>";

impl<'a> Lanes<'a> {
    /// Of the interleaving of a finding. What the main thread does before the others start is code above the drawing.
    pub(super) fn of(finding: &'a Finding, sources: &SourceFiles) -> Self {
        let steps = after_prefix(&finding.interleaving);
        let numbers: BTreeSet<u16> = steps.iter().map(|step| step.thread).collect();
        let threads: Vec<(u16, String)> = numbers
            .into_iter()
            .map(|number| (number, thread_name(finding, number)))
            .collect();
        let mut locks: Vec<String> = Vec::new();
        let mut rows: Vec<LaneRow<'a>> = Vec::with_capacity(steps.len());
        let mut states = vec![LaneState::default(); threads.len()];
        let mut row_of: HashMap<u32, usize> = HashMap::new();
        for step in steps {
            let Some(lane) = threads.iter().position(|it| it.0 == step.thread) else {
                continue;
            };
            let before = states[lane].clone();
            let begins = step.call.is_some() && before.call != step.call;
            let is_call = begins && step.location.is_empty() && !step.event.is_empty();
            let mut during = LaneState {
                call: step.call,
                ..before
            };
            let mut after = during.clone();
            after.waits = false;
            let mut links = Vec::new();
            if let Some(facts) = &step.facts {
                after.holds = facts.holds.iter().map(|it| index(&mut locks, it)).collect();
                after.waits = matches!(facts.effect, StepEffect::Waits | StepEffect::Blocked);
                row_of.insert(facts.number, rows.len());
                let earlier = facts.links.iter().filter_map(|link| {
                    let row = *row_of.get(&link.step)?;
                    let other = rows.get(row)?;
                    (other.lane != lane).then_some((link.why, row))
                });
                links.extend(earlier);
            }
            // A lock is held in the row that takes it and in the one that gives it back.
            let taken = after.holds.iter().copied();
            let new: Vec<usize> = taken.filter(|it| !during.holds.contains(it)).collect();
            during.holds.extend(new);
            during.waits = after.waits;
            let ends = step.result.as_ref().is_some_and(|it| it != HUNG);
            if ends {
                after.call = None;
            }
            states[lane] = during;
            rows.push(LaneRow {
                step,
                lane,
                opens: (begins && !is_call)
                    .then(|| call_text(finding, step))
                    .flatten(),
                is_call,
                switched: rows.last().is_some_and(|last| last.lane != lane),
                states: states.clone(),
                holds: after.holds.clone(),
                links,
                owner: sources.owner(&step.location),
            });
            states[lane] = after;
        }
        Self {
            threads,
            locks,
            rows,
        }
    }

    /// Rows that are shown as one until they are opened: several steps of one thread in a crate that is not the user's.
    /// How many rows from this one on; 1 if it stands by itself.
    pub(super) fn folded(&self, at: usize) -> usize {
        let foldable = |row: &LaneRow<'_>| {
            matches!(row.owner, Owner::Dependency(_) | Owner::Standard)
                && row.step.result.is_none()
                && row.opens.is_none()
                && row.step.facts.as_ref().is_none_or(|facts| {
                    !matches!(facts.effect, StepEffect::Faults | StepEffect::Blocked)
                })
        };
        let first = &self.rows[at];
        if !foldable(first) {
            return 1;
        }
        let rest = self.rows[at..].iter();
        rest.take_while(|row| foldable(row) && (row.lane, &row.owner) == (first.lane, &first.owner))
            .count()
    }
}

/// Without the calls of the main thread at the beginning, unless there is nothing else.
fn after_prefix(steps: &[InterleavingStep]) -> &[InterleavingStep] {
    let is_header = |step: &&InterleavingStep| {
        step.thread == 0
            && step.call.is_some()
            && step.location.is_empty()
            && !step.event.is_empty()
    };
    let prefix = steps.iter().take_while(is_header).count();
    match &steps[prefix..] {
        [] => steps,
        rest => rest,
    }
}

fn thread_name(finding: &Finding, number: u16) -> String {
    match (finding.thread_names.get(usize::from(number)), number) {
        (Some(name), _) => name.clone(),
        (None, 0) => "main thread".to_owned(),
        (None, number) => format!("thread {number}"),
    }
}

fn call_text<'a>(finding: &'a Finding, step: &InterleavingStep) -> Option<&'a str> {
    let calls = finding
        .threads
        .get(usize::from(step.thread).checked_sub(1)?)?;
    calls.get(usize::from(step.call?)).map(String::as_str)
}

/// Position of a lock; its mode (`RwLock#1 (read)`) does not make it another one.
fn index(locks: &mut Vec<String>, held: &str) -> usize {
    let name = held.split(" (").next().unwrap_or(held);
    locks
        .iter()
        .position(|lock| lock == name)
        .unwrap_or_else(|| {
            locks.push(name.to_owned());
            locks.len() - 1
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::deadlock;

    #[test]
    fn locks_are_held_from_the_row_that_takes_them_and_waits_last() {
        let finding = deadlock();
        let lanes = Lanes::of(&finding, &SourceFiles::default());
        assert_eq!(lanes.threads.len(), 2);
        assert_eq!(lanes.locks, ["Mutex#1", "Mutex#2"]);
        let last = &lanes.rows[3];
        assert_eq!(last.states[0].holds, [0]);
        assert!(last.states[0].waits && last.states[1].waits);
        assert_eq!(last.links, [(LinkKind::WaitsFor, 1)]);
        assert!(last.switched && !lanes.rows[2].switched);
    }

    #[test]
    fn links_to_rows_that_are_not_shown_are_left_out() {
        let mut finding = deadlock();
        finding.interleaving.remove(0);
        let lanes = Lanes::of(&finding, &SourceFiles::default());
        assert_eq!(lanes.rows[1].links, []);
    }
}
