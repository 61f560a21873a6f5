//! AutoConTest as published (Terragni and Cheung, ICSE 2016, sections 4.1 to 4.3), by iteration: a call sequence β is
//! found that adds most to sequential coverage, it joins the sequences ℒ found before, and β comes beside each
//! sequence of ℒ, itself included: |ℒ| tests. Strategy `pta` explores them as in section 4.4.
//!
//! Deviations. The paper has one way to make the object; here each constructor with each combination of its arguments
//! has an ℒ of its own, and they have iterations in turn, since the two sequences of a test need the same object. Of
//! an argument with more values, a search has [`POOL`] of them to choose from, drawn for it, in all combinations as
//! long as these are no more than [`MOST_COMBINATIONS`], and more after each search in a row that finds nothing.
//! Methods that a sequence has called least often are appended first, and what a call does in a state is run once. A
//! run costs more than an execution here, so that waiting for the best β would be most of the time: a search ends
//! after some runs, twice as many after each search that this ended (`--no-prune runs`: where whole searches are to
//! be measured). What lies behind the last new trace of β is left out. The generator ends where a search has seen all
//! sequences there are. See also [`call_tree`](crate::generate::call_tree) and
//! [`sequential_coverage`](crate::generate::sequential_coverage).

use std::collections::VecDeque;

use super::{Generator, Parts, RunCalls};
use crate::generate::call_tree::{RunSequence, SequenceRun};
use crate::generate::sequences::{SearchTotals, Sequences};
use crate::generate::{RandomCalls, RandomSource};
use contest_data::fast_hash::FastMap;
use contest_data::settings::Prunings;
use contest_data::sorted;
use contest_data::subject::Argument;
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

/// Values that a search has for each argument.
const POOL: usize = 2;
/// Most calls of one operation in a search, and most objects of one constructor.
const MOST_COMBINATIONS: usize = 16;
/// Calls of which it is remembered what they do in a state; then all are forgotten.
const MOST_STEPS: usize = 200_000;

/// See the module.
#[derive(Debug)]
pub(super) struct AutoConTest {
    roots: Vec<Root>,
    /// Whose iteration is next.
    next: usize,
    waiting: VecDeque<ConcurrentTest>,
    /// Objects beyond the number that is tried.
    beyond: u64,
}

/// An object, and the sequences found on it: ℒ.
#[derive(Debug)]
struct Root {
    object: TestObject,
    sequences: Sequences,
    known: Known,
    iterations: u64,
}

/// What calls on one object were seen to do.
#[derive(Debug, Default)]
struct Known {
    /// Traces by operation: entering and leaving a method is part of its trace.
    traces: FastMap<(u16, u32), u32>,
    /// By the state before it, what a call does.
    steps: FastMap<(u64, TestCall), SequenceRun>,
}

impl AutoConTest {
    pub(super) fn new(calls: &RandomCalls, prunings: Prunings) -> Self {
        let (objects, beyond) = objects(calls);
        let roots = objects.into_iter().map(|object| Root {
            object,
            sequences: Sequences::published(prunings),
            known: Known::default(),
            iterations: 0,
        });
        Self {
            roots: roots.collect(),
            next: 0,
            waiting: VecDeque::new(),
            beyond,
        }
    }

    /// The next iteration of the next object that has one.
    fn iterate(&mut self, parts: &mut Parts, runner: &mut dyn RunCalls) {
        let roots = self.roots.len();
        let due = (0..roots).map(|ahead| (self.next + ahead) % roots.max(1));
        let open = |at: &usize| !self.roots[*at].sequences.is_complete();
        let Some(at) = due.into_iter().find(open) else {
            return;
        };
        self.next = at + 1;
        let root = &mut self.roots[at];
        let first = root.iterations == 0;
        let wider = root.sequences.barren() as usize;
        let (edges, whole) = pool(&parts.calls, first, wider, &mut parts.random);
        root.iterations += 1;
        let mut entering = Entering {
            runner,
            object: &root.object,
            known: &mut root.known,
        };
        if root
            .sequences
            .search_among(&edges, whole, &mut entering)
            .is_some()
        {
            let tests = assemble(parts, root);
            self.waiting.extend(tests);
        }
    }
}

/// The newest sequence beside itself, then beside each of the others.
fn assemble(parts: &Parts, root: &Root) -> Vec<ConcurrentTest> {
    let Some((newest, others)) = root.sequences.kept().split_last() else {
        return Vec::new();
    };
    let beside = std::iter::once(newest).chain(others);
    beside
        .map(|other| {
            let lanes = vec![newest.calls.clone(), other.calls.clone()];
            parts.test(vec![root.object.clone()], Vec::new(), lanes)
        })
        .collect()
}

impl Generator for AutoConTest {
    fn propose(&mut self, parts: &mut Parts, runner: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        if self.waiting.is_empty() {
            self.iterate(parts, runner);
        }
        self.waiting.pop_front()
    }

    fn goes_on(&self) -> bool {
        self.roots.iter().any(|root| !root.sequences.is_complete())
    }

    fn searches(&self) -> SearchTotals {
        let all = self.roots.iter().map(|root| root.sequences.totals());
        all.fold(SearchTotals::default(), SearchTotals::and)
    }

    fn left_out(&self) -> Vec<(&'static str, u64)> {
        let reasons = [
            (
                "searches for call sequences ended by their limit",
                self.searches().cut,
            ),
            ("objects beyond the number that is tried", self.beyond),
        ];
        let counted = reasons.into_iter().filter(|(_, count)| *count > 0);
        counted.collect()
    }
}

/// Sequences on one object. What a call does depends on the state before it only, as the paper assumes: a sequence is
/// not run to see once more what its last call does.
struct Entering<'a> {
    runner: &'a mut dyn RunCalls,
    object: &'a TestObject,
    known: &'a mut Known,
}

impl RunSequence<TestCall> for Entering<'_> {
    fn run_sequence(&mut self, calls: &[TestCall]) -> SequenceRun {
        let mut run = self.runner.run_calls(self.object, calls);
        if let (false, Some(last)) = (run.failed, calls.last()) {
            let next = self.known.traces.len() as u32;
            let key = (last.operation, run.trace);
            run.trace = *self.known.traces.entry(key).or_insert(next);
        }
        run
    }

    fn run_from(&mut self, state: Option<u64>, calls: &[TestCall]) -> (SequenceRun, bool) {
        let key = state.zip(calls.last().cloned());
        let known = key.as_ref().and_then(|key| self.known.steps.get(key));
        if let Some(known) = known {
            return (known.clone(), false);
        }
        let run = self.run_sequence(calls);
        if let Some(key) = key {
            if self.known.steps.len() >= MOST_STEPS {
                self.known.steps.clear();
            }
            let step = SequenceRun {
                accesses: Vec::new(),
                ..run.clone()
            };
            self.known.steps.insert(key, step);
        }
        (run, true)
    }
}

/// The objects that each constructor makes, those of first alternatives first; and how many more there are.
fn objects(calls: &RandomCalls) -> (Vec<TestObject>, u64) {
    let mut objects = Vec::new();
    let mut beyond = 0;
    for (constructor, made) in (0_u16..).zip(calls.subject().constructors) {
        let values: Vec<Vec<u8>> = made.arguments.iter().map(all_values).collect();
        let all = count(&values);
        beyond += all.saturating_sub(MOST_COMBINATIONS as u64);
        let choices = combinations(&values).take(MOST_COMBINATIONS);
        objects.extend(choices.map(|choices| TestObject {
            constructor,
            choices,
        }));
    }
    let rank = |object: &TestObject| object.choices.iter().map(|it| u32::from(*it)).sum::<u32>();
    sorted::sort_by_key(&mut objects, rank);
    (objects, beyond)
}

/// The calls of one search: every operation that threads can call at the same time, with every combination of the
/// values in its pools; and whether these are all there are. Pools have so many more values than usual.
fn pool(
    calls: &RandomCalls,
    first: bool,
    wider: usize,
    random: &mut RandomSource,
) -> (Vec<TestCall>, bool) {
    let mut edges = Vec::new();
    let mut whole = true;
    let size = POOL + wider;
    let most = MOST_COMBINATIONS << wider.min(8);
    for &operation in calls.shared() {
        let arguments = calls.operation(operation).arguments;
        let values: Vec<Vec<u8>> = arguments
            .iter()
            .map(|argument| {
                let all = all_values(argument);
                whole &= all.len() <= size;
                some_of(all, size, first, random)
            })
            .collect();
        whole &= count(&values) <= most as u64;
        let choices = combinations(&values).take(most);
        edges.extend(choices.map(|choices| TestCall {
            object: 0,
            operation,
            choices,
        }));
    }
    (edges, whole)
}

/// An argument of the subject's own type is the object under test itself.
fn all_values(argument: &Argument) -> Vec<u8> {
    if argument.object || argument.of_future {
        return vec![0];
    }
    (0..argument.choices.len().max(1) as u8).collect()
}

/// At most so many of them: the first ones, or any.
fn some_of(mut values: Vec<u8>, size: usize, first: bool, random: &mut RandomSource) -> Vec<u8> {
    if !first {
        for at in 0..values.len().min(size) {
            let other = at + random.below(values.len() - at);
            values.swap(at, other);
        }
    }
    values.truncate(size);
    values
}

fn count(values: &[Vec<u8>]) -> u64 {
    values
        .iter()
        .fold(1_u64, |all, of_one| all.saturating_mul(of_one.len() as u64))
}

/// One value of each list, in every combination; the last list changes fastest.
fn combinations(values: &[Vec<u8>]) -> impl Iterator<Item = Vec<u8>> {
    (0..count(values)).map(move |number| {
        let mut rest = number;
        let mut choices: Vec<u8> = (values.iter().rev())
            .map(|of_one| {
                let size = of_one.len() as u64;
                let value = of_one[(rest % size) as usize];
                rest /= size;
                value
            })
            .collect();
        choices.reverse();
        choices
    })
}

#[cfg(test)]
mod tests;
