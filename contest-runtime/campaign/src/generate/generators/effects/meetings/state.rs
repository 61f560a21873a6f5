//! What calls do in one state of an object, and which of them may disturb each other there.

use super::{Beside, Meeting, Runs};
use crate::generate::call_tree::SequenceRun;
use crate::generate::generators::Parts;
use crate::generate::generators::effects::is_value;
use crate::generate::sequential_coverage::TraceId;
use contest_data::dependencies::Promise;
use contest_data::fast_hash::{FastMap, FastSet};
use contest_data::sorted;
use contest_data::test::TestCall;

/// Sequences that one turn of a state may run, about.
const RUNS_OF_TURN: u32 = 20;
/// States in which an operation has one section, after which it counts as one of one section everywhere.
const SHORT: u32 = 3;
/// Values of a call that differ from the first ones, one at a time.
const MOST_VALUES: usize = 3;

/// What calls access: which call, which variable, and whether it writes.
type Accessed = Vec<(usize, u32, bool)>;

/// What was seen of operations in all states.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Those that had several sections in some state.
    long: FastSet<u16>,
    /// In how many states they had one.
    short: FastMap<u16, u32>,
    /// The paths of calls by state; `None` where they fail.
    paths: FastMap<(u64, TestCall), Option<TraceId>>,
}

/// A state of the first object.
#[derive(Debug)]
pub(super) struct State {
    before: Vec<TestCall>,
    /// `None` if it is not known.
    hash: Option<u64>,
    /// `None` before they were run.
    calls: Option<Calls>,
    /// That it had, for meetings with one change and with two.
    pub(super) turns: [usize; 2],
}

/// Calls in one state.
#[derive(Debug, Default)]
struct Calls {
    /// Those of several sections, with their paths.
    long: Vec<(TestCall, TraceId)>,
    /// Those that change the state, each to another one or by other accesses.
    changes: Vec<(TestCall, u64)>,
    /// Those that may change what one of these leaves.
    changers: Vec<TestCall>,
    /// Places in `changes` that no meeting was made of yet, ...
    one: Vec<usize>,
    /// ... and pairs of such places and places in `changers`.
    two: Vec<(usize, usize)>,
    /// States that two changes led to, with what they accessed.
    reached: FastSet<(u64, u64, Accessed)>,
}

impl State {
    /// The state after these calls.
    pub(super) fn new(before: Vec<TestCall>, hash: Option<u64>) -> Self {
        Self {
            before,
            hash,
            calls: None,
            turns: [0; 2],
        }
    }

    /// True unless all of its meetings were looked at.
    pub(super) fn is_open(&self, beside: Beside) -> bool {
        self.calls.as_ref().is_none_or(|calls| match beside {
            Beside::One => !calls.one.is_empty(),
            Beside::Two => !calls.two.is_empty(),
        })
    }

    /// Looks at some meetings: those that may disturb are ready.
    pub(super) fn turn(
        &mut self,
        parts: &mut Parts,
        beside: Beside,
        seen: &mut Seen,
        runs: &mut Runs<'_>,
        ready: &mut Vec<Meeting>,
    ) {
        self.turns[beside as usize] += 1;
        let until = runs.made + RUNS_OF_TURN;
        if self.calls.is_none() {
            self.calls = Some(self.look_around(parts, seen, runs));
        }
        let Self {
            before,
            calls: Some(calls),
            ..
        } = self
        else {
            return;
        };
        while runs.made < until {
            let next = match beside {
                Beside::One => calls.next_change(),
                Beside::Two => calls.next_two(before, runs),
            };
            let Some((changes, after)) = next else {
                return;
            };
            for (long, trace) in &calls.long {
                if !may_meet(parts, long, &changes) {
                    continue;
                }
                let Some(alone) = disturbing(before, long, &changes, runs) else {
                    continue;
                };
                let path = seen.path(before, &changes, after, long, runs);
                ready.push(Meeting {
                    before: before.clone(),
                    long: long.clone(),
                    changes: changes.clone(),
                    same_path: path == Some(*trace),
                    alone: if beside == Beside::Two { alone } else { 0 },
                });
            }
        }
    }

    /// Runs calls in this state.
    fn look_around(&self, parts: &mut Parts, seen: &mut Seen, runs: &mut Runs<'_>) -> Calls {
        let mut calls = Calls::default();
        let mut known = FastSet::default();
        let at = self.before.len();
        let shared = parts.calls.shared().iter();
        for &operation in shared.filter(|&&operation| !parts.calls.takes_object(operation)) {
            let changes = parts.calls.changers().contains(&operation);
            if !changes && seen.is_short(operation) {
                continue;
            }
            for call in variants(parts, operation) {
                if changes {
                    calls.changers.push(call.clone());
                }
                let run = runs.of(&[&self.before, std::slice::from_ref(&call)]);
                if let Some(state) = self.hash {
                    let trace = run.as_ref().map(|run| run.trace);
                    seen.paths.insert((state, call.clone()), trace);
                }
                let Some(run) = run else {
                    continue;
                };
                if changes
                    && let Some(state) = run.state
                    && Some(state) != self.hash
                    && known.insert((state, touched(&run, at)))
                {
                    calls.changes.push((call.clone(), state));
                }
                if sections(&run, at) > 1 {
                    seen.long.insert(operation);
                    calls.long.push((call, run.trace));
                } else if !changes {
                    // With other values it is most likely short as well.
                    *seen.short.entry(operation).or_default() += 1;
                    break;
                }
            }
        }
        if !calls.long.is_empty() {
            calls.one = (0..calls.changes.len()).collect();
            shuffle(&mut calls.one, parts);
            shuffle(&mut calls.long, parts);
            if parts.size.calls > 1 {
                let changers = 0..calls.changers.len();
                let firsts = 0..calls.changes.len();
                calls.two = firsts
                    .flat_map(|first| changers.clone().map(move |second| (first, second)))
                    .collect();
                shuffle(&mut calls.two, parts);
            }
        }
        calls
    }
}

impl Seen {
    fn is_short(&self, operation: u16) -> bool {
        let short = self.short.get(&operation).copied().unwrap_or(0);
        short >= SHORT && !self.long.contains(&operation)
    }

    /// The path of the call after the changes, which lead to the state `after`.
    fn path(
        &mut self,
        before: &[TestCall],
        changes: &[TestCall],
        after: u64,
        call: &TestCall,
        runs: &mut Runs<'_>,
    ) -> Option<TraceId> {
        let path = self.paths.entry((after, call.clone()));
        *path.or_insert_with(|| {
            let run = runs.of(&[before, changes, std::slice::from_ref(call)]);
            run.map(|run| run.trace)
        })
    }
}

impl Calls {
    /// The next change, and the state after it.
    fn next_change(&mut self) -> Option<(Vec<TestCall>, u64)> {
        let (call, after) = self.changes[self.one.pop()?].clone();
        Some((vec![call], after))
    }

    /// The next two changes of which each leads to another state, and the state after them.
    fn next_two(
        &mut self,
        before: &[TestCall],
        runs: &mut Runs<'_>,
    ) -> Option<(Vec<TestCall>, u64)> {
        while let Some((first, second)) = self.two.pop() {
            let (first, between) = self.changes[first].clone();
            let changes = vec![first, self.changers[second].clone()];
            if let Some(run) = runs.of(&[before, &changes])
                && let Some(after) = run.state
                && after != between
                && self
                    .reached
                    .insert((between, after, touched(&run, before.len())))
            {
                return Some((changes, after));
            }
        }
        None
    }
}

/// What the calls of the sequence accessed, from this one on.
fn touched(run: &SequenceRun, from: usize) -> Accessed {
    let accesses = run.accesses.iter();
    let own = accesses.filter(|access| access.visible && access.call >= from);
    let mut touched: Accessed = own
        .map(|access| (access.call, access.variable, access.writes))
        .collect();
    sorted::sort(&mut touched);
    touched.dedup();
    touched
}

/// Sections of this call of the sequence.
fn sections(run: &SequenceRun, call: usize) -> u32 {
    let own = run.accesses.iter().filter(|access| access.call == call);
    own.map(|access| access.section).max().unwrap_or(0)
}

fn may_meet(parts: &Parts, long: &TestCall, changes: &[TestCall]) -> bool {
    changes.iter().all(|change| {
        let (left, right) = (long.operation, change.operation);
        parts.calls.can_meet(left, right)
            && parts.dependencies.promise(left, right) != Promise::Unrelated
    })
}

/// If the changes touch two sections of the call so that it may notice, how many of them do so alone: not if there is a
/// place between the changes that has all that touch the first section after it, and all that touch the second one
/// before it.
fn disturbing(
    before: &[TestCall],
    call: &TestCall,
    changes: &[TestCall],
    runs: &mut Runs<'_>,
) -> Option<u32> {
    let run = runs.of(&[before, std::slice::from_ref(call), changes])?;
    let of = |at: usize| {
        let accesses = run.accesses.iter();
        accesses.filter(move |access| access.visible && access.call == before.len() + at)
    };
    // In which sections the call accesses a variable, and whether it writes there.
    let mut own: FastMap<u32, FastSet<(u32, bool)>> = FastMap::default();
    for access in of(0).filter(|it| it.section > 0) {
        let sections = own.entry(access.variable).or_default();
        sections.insert((access.section, access.writes));
    }
    // For each section, the changes that touch it.
    let mut touched = vec![Vec::new(); sections(&run, before.len()) as usize + 1];
    for change in 1..=changes.len() {
        let theirs: FastSet<(u32, bool)> = of(change).map(|it| (it.variable, it.writes)).collect();
        for (variable, writes) in theirs {
            let met = own.get(&variable).into_iter().flatten();
            for &(section, _) in met.filter(|(_, own_writes)| writes || *own_writes) {
                let touched: &mut Vec<usize> = &mut touched[section as usize];
                if touched.last() != Some(&change) {
                    touched.push(change);
                }
            }
        }
    }
    let alone = (1..=changes.len()).filter(|change| {
        let touched = touched.iter().filter(|changes| changes.contains(change));
        touched.count() > 1
    });
    let mut earliest = usize::MAX;
    for changes in &touched {
        if changes.last().is_some_and(|&last| earliest <= last) {
            return Some(alone.count() as u32);
        }
        earliest = earliest.min(changes.first().copied().unwrap_or(usize::MAX));
    }
    None
}

/// Calls of the operation: with first values, and with one value that is the second one.
pub(super) fn variants(parts: &Parts, operation: u16) -> Vec<TestCall> {
    let first = parts.calls.first_call(operation, 0, 1);
    let arguments = parts.calls.operation(operation).arguments;
    let mut all = vec![first.clone()];
    for (at, argument) in arguments.iter().enumerate() {
        if is_value(argument) && argument.choices.len() > 1 && all.len() <= MOST_VALUES {
            let mut varied = first.clone();
            varied.choices[at] = 1;
            all.push(varied);
        }
    }
    all
}

fn shuffle<T>(all: &mut [T], parts: &mut Parts) {
    for last in (1..all.len()).rev() {
        all.swap(last, parts.random.below(last + 1));
    }
}
