//! Whole calls one after another, in random orders: threads switch where a call begins or waits for a future, and
//! nowhere else. What a call does wrong by itself, with a future that is dropped where it waits, shows only in what
//! later calls find; with a switch inside of a call as well, such executions would be too many to be met by chance.

use contest_data::decision::{Choice, DecisionPoint, Strategy, any};
use contest_data::rng::Rng;
use contest_data::sorted::SortedMap;
use contest_data::test::order_count;
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
        if !std::mem::take(&mut self.is_first) {
            return;
        }
        let mut lengths: SortedMap<u16, u64> = SortedMap::new();
        for call in record
            .calls
            .iter()
            .filter(|it| it.thread != ThreadIndex::MAIN)
        {
            *lengths.get_or_default(call.thread.0) += 1;
        }
        // One call in each thread, and nothing to choose: other strategies have these executions, too.
        if self.values == 0 && lengths.values().all(|&it| it < 2) {
            self.left = 0;
            return;
        }
        let choices = 1_u64.checked_shl(self.values).unwrap_or(u64::MAX);
        let all = order_count(lengths.into_values()).saturating_mul(choices);
        self.left = self.left.min(all.saturating_mul(EACH).min(MOST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_data::trace::CallRecord;

    /// Threads with so many calls each.
    fn record(lengths: &[u16]) -> ExecutionRecord {
        let mut record = ExecutionRecord::empty();
        let main = std::iter::once((ThreadIndex::MAIN, 5));
        let lanes = (1..).map(ThreadIndex).zip(lengths.iter().copied());
        for (thread, calls) in main.chain(lanes) {
            let calls = (0..calls).map(|call| CallRecord::begun(thread, call, 0));
            record.calls.extend(calls);
        }
        record
    }

    /// The number of executions of a test with threads of these lengths that asks for so many values each time.
    fn executions(lengths: &[u16], values: usize) -> u64 {
        let mut strategy = WholeCalls::new(1, 1_000);
        let mut executions = 0;
        while strategy.begin() {
            executions += 1;
            for _ in 0..values {
                strategy.value(2);
            }
            strategy.end(&record(lengths));
        }
        executions
    }

    #[test]
    fn it_ends_after_a_few_executions_of_each_order_and_choice() {
        assert_eq!(executions(&[1, 1], 0), 1, "others have these orders too");
        assert_eq!(executions(&[1, 2], 0), 1 + 3 * EACH);
        assert_eq!(executions(&[1, 1], 1), 1 + 2 * 2 * EACH);
        assert_eq!(executions(&[3, 4], 3), 1 + MOST);
    }
}
