//! Which pairs of operations ran at the same time (Choudhary, Lu, Pradel: Efficient detection of thread safety
//! violations via coverage-guided generation of concurrent tests, ICSE 2017).

use std::collections::BTreeMap;

use contest_data::trace::{CallRecord, ThreadIndex};

/// Counts, for pairs of operations, the overlaps of a call of the one with a call of the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodPairs {
    counts: BTreeMap<(u16, u16), u64>,
}

impl MethodPairs {
    /// Adds the calls of an execution; `operation` maps a call of a thread to its operation. Calls overlap if each
    /// began before the other ended, counted in visible operations.
    pub fn observe(
        &mut self,
        calls: &[CallRecord],
        operation: impl Fn(ThreadIndex, u16) -> Option<u16>,
    ) {
        for (index, one) in calls.iter().enumerate() {
            let others = calls[index + 1..].iter();
            for two in others.filter(|two| two.thread != one.thread) {
                if one.began >= two.ended || two.began >= one.ended {
                    continue;
                }
                let (Some(a), Some(b)) = (
                    operation(one.thread, one.call),
                    operation(two.thread, two.call),
                ) else {
                    continue;
                };
                *self.counts.entry((a.min(b), a.max(b))).or_default() += 1;
            }
        }
    }

    /// Pairs seen, in order, with the number of overlaps.
    pub fn pairs(&self) -> impl Iterator<Item = ((u16, u16), u64)> {
        self.counts.iter().map(|(pair, count)| (*pair, *count))
    }

    /// Number of pairs seen.
    #[must_use]
    pub fn covered(&self) -> usize {
        self.counts.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_data::trace::Outcome;

    fn call(thread: u16, call: u16, began: u32, ended: u32) -> CallRecord {
        CallRecord {
            thread: ThreadIndex(thread),
            call,
            began,
            ended,
            outcome: Outcome::Pending,
            blocked: false,
            held: false,
            holds: 0,
            waited_out: std::time::Duration::ZERO,
        }
    }

    #[test]
    fn calls_one_after_another_are_no_pair_and_the_order_of_a_pair_does_not_matter() {
        let calls = [
            call(1, 0, 0, 5),
            call(1, 1, 5, 9),
            call(2, 0, 4, 6),
            call(3, 0, 9, u32::MAX),
        ];
        let mut pairs = MethodPairs::default();
        let operation = |thread: ThreadIndex, call: u16| Some(10 * thread.0 - call);
        pairs.observe(&calls, operation);
        let seen: Vec<_> = pairs.pairs().collect();
        assert_eq!(seen, [((9, 20), 1), ((10, 20), 1)]);
        pairs.observe(&calls, operation);
        assert_eq!(pairs.covered(), 2);
        assert_eq!(pairs.pairs().next(), Some(((9, 20), 2)));
    }
}
