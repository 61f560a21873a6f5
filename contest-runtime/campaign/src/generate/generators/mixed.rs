//! Every pair of operations in the plainest tests first, promising pairs before others; then, in turn,
//! calls in the states that sequences of new coverage lead to (AutoConTest), larger tests, pairs that may deadlock or
//! disturb each other (DepCon+) and patterns that were aimed at least often (MAPTest).
//!
//! AutoConTest's own tests run two whole sequences side by side, see [`super::autocontest`]. Here each is taken apart
//! into focused tests: what comes before the call in question is the prefix, so that two calls meet in a known state
//! and all their interleavings can be explored.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::depcon::DepCon;
use super::maptest::MapTest;
use super::{Generator, OnObject, Parts, RunCalls};
use crate::generate::TestStream;
use crate::generate::sequences::SearchTotals;
use crate::generate::{CallSequence, Sequences};
use contest_data::dependencies::Promise;
use contest_data::settings::Prunings;
use contest_data::sorted;
use contest_data::test::{ConcurrentTest, TestCall};

/// Most focused tests that wait.
const MOST_WAITING: usize = 4_000;

#[derive(Debug)]
pub(super) struct Mixed {
    stream: TestStream,
    sequences: Sequences,
    depcon: DepCon,
    maptest: MapTest,
    waiting: VecDeque<ConcurrentTest>,
    turn: u64,
    dropped: u64,
    stream_ended: bool,
}

impl Mixed {
    pub(super) fn new(
        stream: TestStream,
        prunings: Prunings,
        depcon: DepCon,
        maptest: MapTest,
    ) -> Self {
        Self {
            stream,
            sequences: Sequences::new(prunings),
            depcon,
            maptest,
            waiting: VecDeque::new(),
            turn: 0,
            dropped: 0,
            stream_ended: false,
        }
    }

    /// The next focused test; searches for another sequence if none waits.
    fn focused(&mut self, parts: &mut Parts, runner: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        while self.waiting.is_empty() && !self.sequences.is_complete() {
            let object = parts.calls.first_object();
            let mut on_object = OnObject {
                runner: &mut *runner,
                object: &object,
            };
            let found = self
                .sequences
                .search(&parts.calls, &mut parts.random, &mut on_object);
            if found.is_some() {
                let mut tests = focused_tests(parts, self.sequences.kept());
                // The plain rounds have seen what needs no calls before.
                sorted::sort_by_key(&mut tests, |test| Reverse(test.prefix.len()));
                let room = MOST_WAITING.saturating_sub(self.waiting.len());
                self.dropped += tests.len().saturating_sub(room) as u64;
                tests.truncate(room);
                self.waiting.extend(tests);
            }
        }
        self.waiting.pop_front()
    }
}

/// Every call of the newest sequence that covered something, beside every such call of all sequences, each in the state
/// it had and in the state the other one had.
fn focused_tests(parts: &mut Parts, sequences: &[CallSequence]) -> Vec<ConcurrentTest> {
    let Some(newest) = sequences.last() else {
        return Vec::new();
    };
    let new_calls = |sequence: &CallSequence| -> Vec<usize> {
        (0..sequence.calls.len())
            .filter(|&at| sequence.new[at])
            .collect()
    };
    let mut tests = Vec::new();
    for own in new_calls(newest) {
        for other in sequences {
            for others in new_calls(other) {
                let (one, two) = (&newest.calls[own], &other.calls[others]);
                if parts.dependencies.promise(one.operation, two.operation) == Promise::Unrelated {
                    continue;
                }
                for prefix in [&newest.calls[..own], &other.calls[..others]] {
                    let lanes = vec![vec![one.clone()], vec![two.clone()]];
                    tests.push(focused(parts, prefix, lanes));
                    // What the two leave behind shows only if a call looks.
                    let after = parts.random_shared().unwrap_or(two.operation);
                    let look = parts.random_call(after, 1);
                    let lanes = vec![vec![one.clone()], vec![two.clone(), look]];
                    tests.push(focused(parts, prefix, lanes));
                }
            }
        }
    }
    tests
}

fn focused(parts: &Parts, prefix: &[TestCall], lanes: Vec<Vec<TestCall>>) -> ConcurrentTest {
    parts.test(vec![parts.calls.first_object()], prefix.to_vec(), lanes)
}

impl Generator for Mixed {
    fn propose(&mut self, parts: &mut Parts, runner: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        self.turn += 1;
        let first = self.stream.in_first_rounds();
        if !first {
            // One of eight turns each: deadlock and exception mode, and patterns.
            let test = match self.turn % 8 {
                0 => self.depcon.propose(parts, runner),
                4 => self.maptest.propose(parts, runner),
                _ => None,
            };
            if test.is_some() {
                return test;
            }
        }
        let plain = first || self.turn.is_multiple_of(2);
        if plain && !self.stream_ended {
            match self.stream.next() {
                Some(test) => return Some(test),
                None => self.stream_ended = true,
            }
        }
        if let Some(test) = self.focused(parts, runner) {
            return Some(test);
        }
        if self.stream_ended {
            return None;
        }
        self.stream.next()
    }

    fn searches(&self) -> SearchTotals {
        self.sequences.totals()
    }

    fn left_out(&self) -> Vec<(&'static str, u64)> {
        let mut reasons = Vec::new();
        let totals = self.sequences.totals();
        if totals.cut > 0 {
            reasons.push((
                "searches for call sequences ended by their limit",
                totals.cut,
            ));
        }
        reasons.extend(self.depcon.left_out());
        reasons.extend(self.maptest.left_out());
        if self.dropped > 0 {
            reasons.push(("focused tests beyond the number that is kept", self.dropped));
        }
        reasons
    }
}
