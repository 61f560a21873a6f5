//! What the calls of a test return when they run one after another: the type is its own specification.

use std::cell::OnceCell;

use super::history::History;
use contest_data::circumstances::Circumstances;
use contest_data::sorted::SortedSet;
use contest_data::test::{CallName, RunnableTest, Split, StateOf, TestCall};
use contest_data::trace::{Ending, Outcome, Schedule};
use contest_search::explore::Waits;

/// Most orders that are run. Tests with more are sampled, and then no difference is ever reported.
pub(super) const MOST_ORDERS: usize = 2_000;

/// Which interleavings with background threads are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interleavings {
    /// A few that differ much.
    Some,
    /// All, unless there are too many.
    All,
}

/// Runs the calls of a test one after another on fresh objects. The campaign implements it with the engine.
pub(crate) trait RunSerially {
    /// Runs `test` with its lanes' steps in the given order of lanes. A step is a call, or a part of one of the calls
    /// in `split`.
    fn run_serially(&mut self, test: &RunnableTest, order: &[u8], split: &Split) -> SerialRun;

    /// Runs the calls of a test with one lane beside the threads that its objects have started, and hands over what the
    /// callers saw in each run. True if these were all interleavings, and nothing else was chosen.
    fn run_beside_tasks(
        &mut self,
        test: &RunnableTest,
        interleavings: Interleavings,
        seen: &mut dyn FnMut(History),
    ) -> bool;

    /// Whether in the runs to come background threads go first whenever they can. Otherwise they run where a call
    /// waits.
    fn set_background_first(&mut self, on: bool);

    /// What in the runs to come becomes of calls that wait for time.
    fn set_waits(&mut self, _: Waits) {}

    /// The state of the objects of a test after its prefix and these calls, one after another, as a hash; `None` if it
    /// is not known.
    fn state_after(&mut self, _: &RunnableTest, _: &[TestCall], _: StateOf) -> Option<u64> {
        None
    }

    /// True if the last of these calls, made after the prefix of a test and the others, only reads: its steps leave
    /// every lock and atomic as they found it, and it writes to no memory that was there before. `None` if it is not
    /// known.
    fn only_reads(&mut self, _: &RunnableTest, _: &[TestCall]) -> Option<bool> {
        None
    }

    /// Runs the execution of this schedule once more, of a test that only looks at more in the end. `None` if the code
    /// does not do the same.
    fn run_again(&mut self, _: &RunnableTest, _: &Schedule) -> Option<History> {
        None
    }

    /// Changes what the runs to come meet beside their order; returns what it was.
    fn set_circumstances(&mut self, circumstances: Circumstances) -> Circumstances {
        circumstances
    }
}

/// One serial run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SerialRun {
    /// The lane of each step, in order.
    pub order: Vec<u8>,
    /// What the callers saw.
    pub history: History,
    /// A call could not go on before another one had started: the run was not one call after another.
    pub overlapped: bool,
    /// Locations of all panics, those of background threads included.
    pub panics: Vec<String>,
}

/// All serial runs of one test.
#[derive(Clone, Debug, Default)]
pub(crate) struct SerialOutcomes {
    /// One for each order.
    pub runs: Vec<SerialRun>,
    /// Further runs of these orders, which show something else under other circumstances.
    pub varied: Vec<SerialRun>,
    /// Calls that did not return the same in two runs of one order: not compared.
    pub unstable: SortedSet<CallName>,
    /// Calls of which each part is a step of its own.
    pub split: Split,
    /// Every order was run.
    pub complete: bool,
    /// The calls of lanes that change nothing, once that was measured.
    pub(super) readers: OnceCell<Vec<CallName>>,
    /// What is right if other calls may come while code of callers runs, once that was needed.
    pub(super) beside_callers: OnceCell<Box<SerialOutcomes>>,
    /// Every order was run a second time, so that `unstable` is known.
    settled: bool,
}

impl SerialOutcomes {
    /// Runs every order. What two runs of one order differ in is only known once they are
    /// [settled](Self::settle); until then more is compared, so what is explained stays explained.
    pub(crate) fn of(test: &RunnableTest, run: &mut dyn RunSerially) -> Self {
        let mut outcomes = Self::split_at(test, run, Split::new());
        loop {
            let mut split = outcomes.split.clone();
            let calls = outcomes.runs.iter();
            for (name, call) in calls.flat_map(|run| run.history.lane_calls()) {
                if call.held {
                    let points = split.get_or_default(name);
                    *points = call.holds.max(*points);
                }
            }
            // That one call holds something may be what lets another one get something to hold.
            if split == outcomes.split {
                return outcomes;
            }
            outcomes = Self::split_at(test, run, split);
        }
    }

    /// All runs, those under other circumstances too.
    pub(crate) fn all(&self) -> impl Iterator<Item = &SerialRun> {
        self.runs.iter().chain(&self.varied)
    }

    /// Adds what an order has shown under other circumstances, if no run has shown it before.
    pub(crate) fn add_varied(&mut self, shown: SerialRun) {
        let outcomes = |run: &SerialRun| -> Vec<Outcome> {
            let calls = run.history.lane_calls().chain(run.history.observer_calls());
            calls.map(|(_, call)| call.outcome.clone()).collect()
        };
        let new = outcomes(&shown);
        let known = |run: &SerialRun| {
            run.order == shown.order
                && run.panics == shown.panics
                && run.history.unowned.len() >= shown.history.unowned.len()
                && outcomes(run) == new
        };
        if !self.all().any(known) {
            self.varied.push(shown);
        }
    }

    /// Runs every order a second time, under a clock of another speed, to see what does not depend on the order alone.
    /// True if that was not known before, and something is unstable.
    pub(crate) fn settle(&mut self, test: &RunnableTest, run: &mut dyn RunSerially) -> bool {
        if std::mem::replace(&mut self.settled, true) {
            return false;
        }
        let usual = run.set_circumstances(Circumstances::USUAL);
        run.set_circumstances(usual.with_fast_clock());
        for number in 0..self.runs.len() {
            let second = run.run_serially(test, &self.runs[number].order, &self.split);
            self.note_differences(number, &second.history);
        }
        run.set_circumstances(usual);
        !self.unstable.is_empty()
    }

    fn split_at(test: &RunnableTest, run: &mut dyn RunSerially, split: Split) -> Self {
        let steps = |lane: usize, calls: usize| {
            let points = |call| split.get(&CallName::Lane(lane, call)).copied().unwrap_or(0);
            calls
                + (0..calls)
                    .map(|call| usize::from(points(call)))
                    .sum::<usize>()
        };
        let lanes = test.test.threads.iter().enumerate();
        let lengths: Vec<usize> = lanes
            .map(|(lane, calls)| steps(lane, calls.len()))
            .collect();
        let (orders, complete) = orders(&lengths);
        let mut outcomes = Self {
            complete,
            split,
            ..Self::default()
        };
        for order in orders {
            let first = run.run_serially(test, &order, &outcomes.split);
            outcomes.runs.push(first);
        }
        outcomes
    }

    /// Number of calls that the first `steps` steps of a lane begin.
    pub(crate) fn calls_begun(&self, lane: usize, steps: usize) -> usize {
        let mut left = steps;
        let mut calls = 0;
        while left > 0 {
            left -= 1;
            let points = self
                .split
                .get(&CallName::Lane(lane, calls))
                .copied()
                .unwrap_or(0);
            left = left.saturating_sub(usize::from(points));
            calls += 1;
        }
        calls
    }

    /// The calls that the steps of this order begin: lane and number.
    pub(crate) fn calls_of(&self, order: &[u8]) -> Vec<(usize, usize)> {
        let mut steps = vec![0; order.iter().max().map_or(0, |it| usize::from(*it) + 1)];
        let mut calls = Vec::with_capacity(order.len());
        for &lane in order {
            let lane = usize::from(lane);
            let begun = self.calls_begun(lane, steps[lane]);
            steps[lane] += 1;
            if self.calls_begun(lane, steps[lane]) > begun {
                calls.push((lane, begun));
            }
        }
        calls
    }

    fn note_differences(&mut self, number: usize, second: &History) {
        let first = &self.runs[number].history;
        let main = (0..first.main.len()).map(CallName::Main);
        let lanes = first.lane_calls().map(|(name, _)| name);
        for name in main.chain(lanes) {
            let (one, other) = (first.call(name), second.call(name));
            if one.map(|call| &call.outcome) != other.map(|call| &call.outcome) {
                self.unstable.insert(name);
            }
        }
    }

    /// A call of some run that was blocked while another one started, or never came back.
    #[must_use]
    pub(crate) fn some_call_blocks(&self) -> bool {
        self.runs
            .iter()
            .any(|run| run.overlapped || run.history.pending().next().is_some())
    }

    /// Background threads ran in some run.
    #[must_use]
    pub(crate) fn background_steps(&self) -> bool {
        self.runs.iter().any(|run| run.history.background_steps)
    }

    /// A run that says nothing about the calls, because a limit ended it.
    #[must_use]
    pub(crate) fn inconclusive(&self) -> Option<&Ending> {
        self.runs
            .iter()
            .map(|run| &run.history.ending)
            .find(|ending| {
                matches!(
                    ending,
                    Ending::StepLimit(_)
                        | Ending::MemoryLimit(_)
                        | Ending::Unsupported(_)
                        | Ending::Exit(_)
                        | Ending::Panicked(_)
                )
            })
    }

    /// A call of the main thread before the lanes that does not return: how, and which.
    #[must_use]
    pub(crate) fn failing_prefix(&self) -> Option<(CallName, &Outcome)> {
        let history = &self.runs.first()?.history;
        history.main[..history.observers.start]
            .iter()
            .enumerate()
            .find(|(_, call)| !matches!(call.outcome, Outcome::Returned(_) | Outcome::Absent))
            .map(|(number, call)| (CallName::Main(number), &call.outcome))
    }

    /// Calls that panic or block although no other lane's call came before them: they fail alone.
    #[must_use]
    pub(crate) fn failing_alone(&self) -> SortedSet<CallName> {
        let mut alone = SortedSet::new();
        for run in &self.runs {
            let Some(&lane) = run.order.first() else {
                continue;
            };
            let lane = usize::from(lane);
            // Calls of this lane up to the first step of another one ran alone.
            let own = run
                .order
                .iter()
                .take_while(|&&other| usize::from(other) == lane)
                .count();
            let own = self.calls_begun(lane, own);
            let calls = run.history.lanes.get(lane).into_iter().flatten().take(own);
            for (number, call) in calls.enumerate() {
                let blocks = run.overlapped && call.blocked || call.outcome == Outcome::Pending;
                if blocks || matches!(call.outcome, Outcome::Panicked(..)) {
                    alone.insert(CallName::Lane(lane, number));
                    break;
                }
            }
        }
        alone
    }
}

/// All merges of lists with these lengths, and whether they are all; else a spread of them.
#[must_use]
pub fn orders(lengths: &[usize]) -> (Vec<Vec<u8>>, bool) {
    let mut all = Vec::new();
    let mut left = lengths.to_vec();
    let mut order = Vec::with_capacity(lengths.iter().sum());
    let complete = merge(&mut left, &mut order, &mut all);
    (all, complete)
}

fn merge(left: &mut [usize], order: &mut Vec<u8>, all: &mut Vec<Vec<u8>>) -> bool {
    if all.len() >= MOST_ORDERS {
        return false;
    }
    if left.iter().all(|&calls| calls == 0) {
        all.push(order.clone());
        return true;
    }
    let mut complete = true;
    for lane in 0..left.len() {
        if left[lane] > 0 {
            left[lane] -= 1;
            order.push(lane as u8);
            complete &= merge(left, order, all);
            order.pop();
            left[lane] += 1;
        }
    }
    complete
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn orders_are_all_merges_and_each_once() {
        for (lengths, count) in [
            (&[1, 1][..], 2),
            (&[2, 2], 6),
            (&[3, 3], 20),
            (&[2, 2, 2], 90),
            (&[0, 2], 1),
        ] {
            let (orders, complete) = orders(lengths);
            assert!(complete);
            assert_eq!(orders.len(), count);
            assert_eq!(orders.iter().collect::<BTreeSet<_>>().len(), count);
        }
    }

    #[test]
    fn too_many_orders_are_cut_and_that_is_said() {
        let (orders, complete) = orders(&[4, 4, 4]);
        assert_eq!((orders.len(), complete), (MOST_ORDERS, false));
    }
}
