//! Where a call of several sections meets changes that disturb more than one of them.
//!
//! A call sees one state in each of its sections (see [`SequenceAccess::section`]). What comes between two of them is
//! noticed only if it touches one section and another one after it: else the call does what it would do before it,
//! after it, or between two of the changes. Which sections a change touches is seen when one thread makes it after the
//! call. First come calls that take another path after the changes: they looked, and then acted on what they saw. Of
//! two changes, those come first of which neither disturbs the call alone: one change has a test of its own.

use super::is_value;
use crate::generate::call_tree::{SequenceAccess, SequenceRun};
use crate::generate::generators::{Parts, RunCalls};
use crate::generate::sequential_coverage::TraceId;
use contest_data::dependencies::Promise;
use contest_data::fast_hash::{FastMap, FastSet};
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

/// Sequences after which a look for a test ends, ...
const MOST_RUNS: u32 = 60;
/// ... and those of them that one state gets before the next one.
const RUNS_OF_STATE: u32 = 20;
/// Most states that calls meet in.
const MOST_STATES: usize = 12;
/// Turns of a state before the next one has its first one.
const BEFORE_NEXT: usize = 2;
/// States in which an operation has one section, after which it counts as one of one section everywhere.
const SHORT: u32 = 3;
/// Values of a call that differ from the first ones, one at a time.
const MOST_VALUES: usize = 3;
/// Tests of the same operations that one is worth whose call takes the same path.
const SAME_PATH: u32 = 4;

/// How many changes come beside a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    One,
    Two,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Meetings {
    /// `None` before the first look.
    states: Option<Vec<State>>,
    seen: Seen,
    /// Meetings that have had no test yet, with one change and with two.
    ready: [Vec<Meeting>; 2],
    /// Tests of the same operations.
    tested: FastMap<Vec<u16>, u32>,
}

/// What was seen of operations in all states.
#[derive(Debug, Default)]
struct Seen {
    /// Those that had several sections in some state.
    long: FastSet<u16>,
    /// In how many states they had one.
    short: FastMap<u16, u32>,
    /// The paths of calls by state; `None` where they fail.
    paths: FastMap<(u64, TestCall), Option<TraceId>>,
}

/// A state of the first object.
#[derive(Debug)]
struct State {
    before: Vec<TestCall>,
    /// `None` if it is not known.
    hash: Option<u64>,
    /// `None` before they were run.
    calls: Option<Calls>,
    turns: [usize; 2],
}

/// Calls in one state.
#[derive(Debug, Default)]
struct Calls {
    /// Those of several sections, with their paths.
    long: Vec<(TestCall, TraceId)>,
    /// Those that change the state, each to another one.
    changes: Vec<(TestCall, u64)>,
    /// Those that may change what one of these leaves.
    changers: Vec<TestCall>,
    /// Places in `changes` that no meeting was made of yet, ...
    one: Vec<usize>,
    /// ... and pairs of such places and places in `changers`.
    two: Vec<(usize, usize)>,
    /// States that two changes led to.
    reached: FastSet<(u64, u64)>,
}

#[derive(Debug)]
struct Meeting {
    before: Vec<TestCall>,
    long: TestCall,
    changes: Vec<TestCall>,
    same_path: bool,
    /// Of two changes, how many disturb the call alone.
    alone: u32,
}

impl Meeting {
    fn operations(&self) -> Vec<u16> {
        let calls = std::iter::once(&self.long).chain(&self.changes);
        calls.map(|call| call.operation).collect()
    }
}

/// Runs sequences on the first object.
struct Runs<'a> {
    runner: &'a mut dyn RunCalls,
    object: TestObject,
    made: u32,
}

impl Runs<'_> {
    /// What the last of the calls did; `None` if it failed.
    fn of(&mut self, calls: &[&[TestCall]]) -> Option<SequenceRun> {
        self.made += 1;
        let run = self.runner.run_calls(&self.object, &calls.concat());
        (!run.failed).then_some(run)
    }
}

impl Meetings {
    /// The next test of a call beside so many changes; `None` if there is none, or none was found among as many
    /// sequences as one look may run.
    pub(super) fn next(
        &mut self,
        parts: &mut Parts,
        beside: Beside,
        runner: &mut dyn RunCalls,
    ) -> Option<ConcurrentTest> {
        let mut runs = Runs {
            runner,
            object: parts.calls.first_object(),
            made: 0,
        };
        let states = self.states.get_or_insert_with(|| states(parts, &mut runs));
        let ready = &mut self.ready[beside as usize];
        let worth = |meeting: &Meeting, tested: &FastMap<Vec<u16>, u32>| {
            let same = u32::from(meeting.same_path) * SAME_PATH;
            same + meeting.alone + tested.get(&meeting.operations()).copied().unwrap_or(0)
        };
        while runs.made < MOST_RUNS && !ready.iter().any(|it| worth(it, &self.tested) == 0) {
            let open = (0..states.len()).filter(|&number| states[number].is_open(beside));
            let next = open.min_by_key(|&number| {
                states[number].turns[beside as usize] + BEFORE_NEXT * number
            });
            let Some(next) = next else {
                break;
            };
            states[next].turn(parts, beside, &mut self.seen, &mut runs, ready);
        }
        let best = (0..ready.len()).min_by_key(|&at| worth(&ready[at], &self.tested))?;
        let best = ready.remove(best);
        *self.tested.entry(best.operations()).or_default() += 1;
        let lanes = vec![vec![best.long], best.changes];
        Some(parts.test(vec![runs.object], best.before, lanes))
    }
}

/// States that at most one call leads to, those of the most promising calls first.
fn states(parts: &Parts, runs: &mut Runs<'_>) -> Vec<State> {
    let state = |before: Vec<TestCall>, hash: Option<u64>| State {
        before,
        hash,
        calls: None,
        turns: [0; 2],
    };
    let free = |operation: &&u16| !parts.calls.takes_object(**operation);
    // What a call that only looks leaves is what there was.
    let looks = |operation: &&u16| {
        let it = parts.calls.operation(**operation);
        it.observer && it.arguments.is_empty()
    };
    let quiet = parts.calls.shared().iter().filter(free).find(looks);
    let quiet = quiet.map(|&operation| parts.calls.first_call(operation, 0, 1));
    let fresh = quiet.and_then(|call| runs.of(&[&[call]])?.state);
    let mut known = FastSet::default();
    known.extend(fresh);
    let mut states = vec![state(Vec::new(), fresh)];
    let fitting = parts.calls.changers().iter().filter(free);
    let varied: Vec<Vec<TestCall>> = fitting.map(|&it| variants(parts, it)).collect();
    let longest = varied.iter().map(Vec::len).max().unwrap_or(0);
    // First each call with its first values.
    let in_order = (0..longest).flat_map(|at| varied.iter().filter_map(move |calls| calls.get(at)));
    for call in in_order {
        if states.len() == MOST_STATES {
            break;
        }
        let before = vec![call.clone()];
        if let Some(hash) = runs.of(&[&before]).and_then(|run| run.state)
            && known.insert(hash)
        {
            states.push(state(before, Some(hash)));
        }
    }
    states
}

impl State {
    /// True unless all of its meetings were looked at.
    fn is_open(&self, beside: Beside) -> bool {
        self.calls.as_ref().is_none_or(|calls| match beside {
            Beside::One => !calls.one.is_empty(),
            Beside::Two => !calls.two.is_empty(),
        })
    }

    /// Looks at some meetings: those that may disturb are ready.
    fn turn(
        &mut self,
        parts: &mut Parts,
        beside: Beside,
        seen: &mut Seen,
        runs: &mut Runs<'_>,
        ready: &mut Vec<Meeting>,
    ) {
        self.turns[beside as usize] += 1;
        let until = runs.made + RUNS_OF_STATE;
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
        known.extend(self.hash);
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
                    && known.insert(state)
                {
                    calls.changes.push((call.clone(), state));
                }
                if sections(&run, self.before.len()) > 1 {
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
            let after = runs.of(&[before, &changes]).and_then(|run| run.state);
            if let Some(after) = after
                && after != between
                && self.reached.insert((between, after))
            {
                return Some((changes, after));
            }
        }
        None
    }
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
    let meet = |one: &SequenceAccess, other: &SequenceAccess| {
        one.variable == other.variable && (one.writes || other.writes)
    };
    // For each section, the changes that touch it.
    let touched: Vec<Vec<usize>> = (1..=sections(&run, before.len()))
        .map(|section| {
            let own = || of(0).filter(|access| access.section == section);
            let touches = |change: &usize| of(*change).any(|it| own().any(|own| meet(own, it)));
            (1..=changes.len()).filter(touches).collect()
        })
        .collect();
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
fn variants(parts: &Parts, operation: u16) -> Vec<TestCall> {
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
