//! Whole calls one after another, in random orders: threads switch where a call begins or waits for a future, and
//! nowhere else. What a call does wrong by itself, with a future that is dropped where it waits, shows only in what
//! later calls find; with a switch inside of a call as well, such executions would be too many to be met by chance.

use contest_data::decision::{Choice, DecisionPoint, Strategy, any};
use contest_data::rng::Rng;
use contest_data::trace::{Action, ExecutionRecord, ThreadIndex};

/// Executions at most.
const MOST: u64 = 64;
/// Executions for each order of the calls and each outcome of its choices.
const EACH: u64 = 2;

/// The strategy.
#[derive(Clone, Debug)]
pub(crate) struct WholeCalls {
    rng: Rng,
    left: u64,
    /// Values that the execution has asked for.
    values: u32,
    is_first: bool,
}

impl WholeCalls {
    /// With this seed, for at most this many executions.
    #[must_use]
    pub(crate) fn new(seed: u64, executions: u64) -> Self {
        Self {
            rng: Rng::new(seed),
            left: executions,
            values: 0,
            is_first: true,
        }
    }
}

impl Strategy for WholeCalls {
    fn begin(&mut self) -> bool {
        self.values = 0;
        let more = self.left > 0;
        self.left = self.left.saturating_sub(1);
        more
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        let set = point.enabled;
        if !set.has_several() {
            return Choice::Run(set.lowest());
        }
        let pending = point.pending.get(point.current.index()).copied().flatten();
        let at_boundary =
            pending.is_none_or(|it| matches!(it.action, Action::CallBegin | Action::Await));
        if !at_boundary && !point.yielded && set.contains(point.current) {
            return Choice::Run(point.current);
        }
        Choice::Run(any(set, &mut self.rng))
    }

    fn value(&mut self, alternatives: u16) -> u16 {
        self.values += 1;
        self.rng.below(u32::from(alternatives)) as u16
    }

    fn seed(&mut self) -> u64 {
        self.rng.bits()
    }

    fn end(&mut self, record: &ExecutionRecord) {
        if std::mem::take(&mut self.is_first) {
            let orders = orders(record);
            let choices = 1_u64.checked_shl(self.values).unwrap_or(u64::MAX);
            let all = orders.saturating_mul(choices);
            // One call in each thread, and nothing to choose: other strategies have these executions, too.
            let mut calls = record.calls.iter();
            let is_plain =
                self.values == 0 && calls.all(|it| it.call == 0 || it.thread == ThreadIndex::MAIN);
            let wanted = if is_plain {
                0
            } else {
                all.saturating_mul(EACH)
            };
            self.left = self.left.min(wanted.min(MOST));
        }
    }
}

/// Orders in which the calls of the threads can follow each other.
fn orders(record: &ExecutionRecord) -> u64 {
    let mut lengths = std::collections::BTreeMap::new();
    for call in &record.calls {
        if call.thread != ThreadIndex::MAIN {
            *lengths.entry(call.thread.0).or_insert(0_u64) += 1;
        }
    }
    let mut total = 0;
    let mut orders = 1_u64;
    for length in lengths.into_values() {
        for call in 1..=length {
            total += 1;
            orders = orders.saturating_mul(total) / call;
        }
    }
    orders
}
