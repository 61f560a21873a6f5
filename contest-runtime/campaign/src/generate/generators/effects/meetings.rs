//! Where a call of several sections meets calls that disturb more than one of them.
//!
//! A call sees one state in each of its sections (see [`SequenceAccess::section`]). What comes between two of them is
//! noticed only if the calls there touch one section and another one after it: else the call does what it would do
//! before or after them, or between two of them. Which sections a call touches is seen when one thread runs it after
//! the other one. Where the call also takes another path after them, it looked first and acted on what it saw, and this
//! comes first.

use std::collections::VecDeque;

use super::is_value;
use crate::generate::call_tree::SequenceAccess;
use crate::generate::generators::{Parts, RunCalls, SequenceRun};
use crate::generate::sequential_coverage::TraceId;
use contest_data::dependencies::Promise;
use contest_data::fast_hash::{FastMap, FastSet};
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

/// Sequences after which a look for a test gives up.
const MOST_RUNS: u32 = 60;
/// Most states that calls meet in.
const MOST_STATES: usize = 12;
/// Tests of a state before the next one has its first one.
const BEFORE_NEXT: usize = 2;
/// States in which an operation has one section, after which it counts as one of one section everywhere.
const SHORT: u32 = 3;
/// Values of a call that differ from the first ones, one at a time.
const MOST_VALUES: usize = 3;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Meetings {
    /// `None` before the first look.
    states: Option<Vec<State>>,
    seen: Seen,
}

/// What was seen of operations in all states.
#[derive(Debug, Default)]
struct Seen {
    /// Those that had several sections in some state.
    long: FastSet<u16>,
    /// In how many states they had one.
    short: FastMap<u16, u32>,
    /// The paths of calls by state.
    paths: FastMap<(u64, TestCall), Option<TraceId>>,
}

/// A state of the first object.
#[derive(Debug)]
struct State {
    before: Vec<TestCall>,
    /// `None` if it is not known.
    hash: Option<u64>,
    /// Calls of several sections there, and those that change it, each to another state; `None` before they were run.
    calls: Option<Calls>,
    /// Tests it has had.
    had: usize,
}

#[derive(Debug, Default)]
struct Calls {
    looks: Vec<Look>,
    changes: Vec<(TestCall, u64)>,
    /// Calls that may change what one of those leaves.
    changers: Vec<TestCall>,
    one: Waiting,
    two: Waiting,
    /// Two changes that were not run yet.
    pairs: Vec<(usize, usize)>,
    /// States that two changes led to.
    reached: FastSet<(u64, u64)>,
}

#[derive(Clone, Debug)]
struct Look {
    call: TestCall,
    trace: TraceId,
}

/// Looks, each beside some changes.
#[derive(Debug, Default)]
struct Waiting {
    unseen: VecDeque<Meeting>,
    /// The look takes the same path after the changes.
    weak: VecDeque<Meeting>,
}

#[derive(Debug)]
struct Meeting {
    look: Look,
    changes: Vec<TestCall>,
    /// The state after the changes.
    after: u64,
}

/// How many changes come beside a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    One,
    Two,
}

/// Runs sequences on the first object, so many at most.
struct Runs<'a> {
    runner: &'a mut dyn RunCalls,
    object: TestObject,
    left: u32,
}

impl Runs<'_> {
    /// What the last of the calls did; `None` if it failed.
    fn of(&mut self, calls: &[&[TestCall]]) -> Option<SequenceRun> {
        self.left = self.left.saturating_sub(1);
        let run = self.runner.run_calls(&self.object, &calls.concat());
        (!run.failed).then_some(run)
    }
}

impl Meetings {
    /// The next look beside so many changes; the states have turns. `None` if there is none, or none was found among
    /// as many sequences as it may run.
    pub(super) fn next(
        &mut self,
        parts: &mut Parts,
        beside: Beside,
        runner: &mut dyn RunCalls,
    ) -> Option<ConcurrentTest> {
        let object = parts.calls.first_object();
        let mut runs = Runs {
            runner,
            object: object.clone(),
            left: MOST_RUNS,
        };
        let states = self.states.get_or_insert_with(|| states(parts, &mut runs));
        for weak in [false, true] {
            let mut turns: Vec<usize> = (0..states.len()).collect();
            turns.sort_by_key(|&turn| states[turn].had + BEFORE_NEXT * turn);
            for turn in turns {
                let state = &mut states[turn];
                let found = if weak {
                    state.weak(beside, &mut runs)
                } else {
                    state.strong(parts, beside, &mut self.seen, &mut runs)
                };
                if let Some((look, changes)) = found {
                    state.had += 1;
                    let lanes = vec![vec![look.call], changes];
                    return Some(parts.test(vec![object], state.before.clone(), lanes));
                }
                if runs.left == 0 {
                    return None;
                }
            }
        }
        None
    }
}

/// States that at most one call leads to, those of the most promising calls first.
fn states(parts: &Parts, runs: &mut Runs<'_>) -> Vec<State> {
    let mut known = FastSet::default();
    let mut states = vec![State {
        before: Vec::new(),
        hash: None,
        calls: None,
        had: 0,
    }];
    let calls = parts.calls.changers().iter();
    let fitting = calls.filter(|&&operation| !parts.calls.takes_object(operation));
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
            states.push(State {
                before,
                hash: Some(hash),
                calls: None,
                had: 0,
            });
        }
    }
    states
}

impl State {
    /// The next look that takes another path after the changes.
    fn strong(
        &mut self,
        parts: &mut Parts,
        beside: Beside,
        seen: &mut Seen,
        runs: &mut Runs<'_>,
    ) -> Option<(Look, Vec<TestCall>)> {
        if self.calls.is_none() {
            self.calls = Some(self.look_around(parts, seen, runs));
        }
        let Self {
            before,
            calls: Some(calls),
            ..
        } = self
        else {
            return None;
        };
        loop {
            let waiting = match beside {
                Beside::One => &mut calls.one,
                Beside::Two => &mut calls.two,
            };
            let Some(found) = waiting.unseen.pop_front() else {
                if beside == Beside::One || !calls.next_pair(parts, before, runs) {
                    return None;
                }
                continue;
            };
            let path = seen.path(before, &found, runs);
            if path == Some(found.look.trace) {
                waiting.weak.push_back(found);
            } else if disturbs(before, &found, runs) {
                return Some((found.look, found.changes));
            }
            if runs.left == 0 {
                return None;
            }
        }
    }

    /// The next look that takes the same path.
    fn weak(&mut self, beside: Beside, runs: &mut Runs<'_>) -> Option<(Look, Vec<TestCall>)> {
        let calls = self.calls.as_mut()?;
        let waiting = match beside {
            Beside::One => &mut calls.one,
            Beside::Two => &mut calls.two,
        };
        while runs.left > 0
            && let Some(found) = waiting.weak.pop_front()
        {
            if disturbs(&self.before, &found, runs) {
                return Some((found.look, found.changes));
            }
        }
        None
    }

    /// Runs calls in this state.
    fn look_around(&self, parts: &mut Parts, seen: &mut Seen, runs: &mut Runs<'_>) -> Calls {
        let mut calls = Calls::default();
        let mut known = FastSet::default();
        known.extend(self.hash);
        let shared = parts.calls.shared().iter();
        let fitting = shared.filter(|&&operation| !parts.calls.takes_object(operation));
        for &operation in fitting {
            let changes = parts.calls.changers().contains(&operation);
            if !changes && seen.is_short(operation) {
                continue;
            }
            for call in variants(parts, operation) {
                if changes {
                    calls.changers.push(call.clone());
                }
                let run = runs.of(&[&self.before, std::slice::from_ref(&call)]);
                let trace = run.as_ref().map(|run| run.trace);
                if let Some(state) = self.hash {
                    seen.paths.insert((state, call.clone()), trace);
                }
                let Some(run) = run else {
                    continue;
                };
                let accesses = run.accesses.iter();
                let own = accesses.filter(|access| access.call == self.before.len());
                let is_long = own.map(|access| access.section).max().unwrap_or(0) > 1;
                if changes
                    && let Some(state) = run.state
                    && known.insert(state)
                {
                    calls.changes.push((call.clone(), state));
                }
                if is_long {
                    seen.long.insert(operation);
                    let trace = run.trace;
                    calls.looks.push(Look { call, trace });
                } else if !changes {
                    // With other values it is most likely short as well.
                    *seen.short.entry(operation).or_default() += 1;
                    break;
                }
            }
        }
        let changes = calls.changes.iter();
        let mut one: Vec<Meeting> = changes
            .flat_map(|(call, after)| calls.looks_beside(parts, &[call.clone()], *after))
            .collect();
        shuffle(&mut one, parts);
        calls.one.unseen = one.into();
        if !calls.looks.is_empty() && parts.size.calls > 1 {
            let changers = 0..calls.changers.len();
            let firsts = 0..calls.changes.len();
            calls.pairs = firsts
                .flat_map(|first| changers.clone().map(move |second| (first, second)))
                .collect();
            shuffle(&mut calls.pairs, parts);
        }
        calls
    }
}

impl Seen {
    fn is_short(&self, operation: u16) -> bool {
        let short = self.short.get(&operation).copied().unwrap_or(0);
        short >= SHORT && !self.long.contains(&operation)
    }

    /// The path of the look after the changes; `None` if it fails there.
    fn path(&mut self, before: &[TestCall], of: &Meeting, runs: &mut Runs<'_>) -> Option<TraceId> {
        let key = (of.after, of.look.call.clone());
        *self.paths.entry(key).or_insert_with(|| {
            let run = runs.of(&[before, &of.changes, std::slice::from_ref(&of.look.call)]);
            run.map(|run| run.trace)
        })
    }
}

impl Calls {
    /// The looks that these changes may disturb, beside them.
    fn looks_beside(&self, parts: &Parts, changes: &[TestCall], after: u64) -> Vec<Meeting> {
        let fits = |look: &&Look| {
            changes.iter().all(|change| {
                let (left, right) = (look.call.operation, change.operation);
                parts.calls.can_meet(left, right)
                    && parts.dependencies.promise(left, right) != Promise::Unrelated
            })
        };
        let looks = self.looks.iter().filter(fits);
        looks
            .map(|look| Meeting {
                look: look.clone(),
                changes: changes.to_vec(),
                after,
            })
            .collect()
    }

    /// Takes the next two changes that lead from one new state to another one; false if there are none.
    fn next_pair(&mut self, parts: &mut Parts, before: &[TestCall], runs: &mut Runs<'_>) -> bool {
        while runs.left > 0
            && let Some((first, second)) = self.pairs.pop()
        {
            let (first, between) = self.changes[first].clone();
            let changes = [first, self.changers[second].clone()];
            let after = runs.of(&[before, &changes]).and_then(|run| run.state);
            if let Some(after) = after
                && after != between
                && self.reached.insert((between, after))
            {
                let mut looks = self.looks_beside(parts, &changes, after);
                shuffle(&mut looks, parts);
                self.two.unseen.extend(looks);
                return true;
            }
        }
        false
    }
}

/// True if the changes touch two sections of the look so that what comes between these may show: in the order in which
/// they come, no place between the changes has all that touch the first section on its far side and all that touch the
/// second one on its near side.
fn disturbs(before: &[TestCall], of: &Meeting, runs: &mut Runs<'_>) -> bool {
    let Meeting { look, changes, .. } = of;
    let Some(run) = runs.of(&[before, std::slice::from_ref(&look.call), changes]) else {
        return true;
    };
    let of = |at: usize| {
        let accesses = run.accesses.iter();
        accesses.filter(move |access| access.visible && access.call == before.len() + at)
    };
    let meet = |one: &SequenceAccess, other: &SequenceAccess| {
        one.variable == other.variable && (one.writes || other.writes)
    };
    let sections = of(0).map(|access| access.section).max().unwrap_or(0);
    // For each section, the first and the last change that touches it.
    let touched: Vec<(usize, usize)> = (1..=sections)
        .filter_map(|section| {
            let own = || of(0).filter(|access| access.section == section);
            let touches = |change: &usize| of(*change).any(|it| own().any(|own| meet(own, it)));
            let mut touching = (1..=changes.len()).filter(touches);
            let first = touching.next()?;
            Some((first, touching.last().unwrap_or(first)))
        })
        .collect();
    let mut earliest = usize::MAX;
    for (first, last) in touched {
        // The look is after all changes that touch the later section, and before those that touch an earlier one.
        if earliest <= last {
            return true;
        }
        earliest = earliest.min(first);
    }
    false
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
