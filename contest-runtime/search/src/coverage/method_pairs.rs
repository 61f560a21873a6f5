//! Which pairs of operations ran at the same time (Choudhary, Lu, Pradel: Efficient detection of thread safety
//! violations via coverage-guided generation of concurrent tests, ICSE 2017).

use contest_data::sorted::SortedMap;
use contest_data::trace::{CallRecord, ThreadIndex};

/// Counts, for given pairs of operations, how often a call of the one met a call of the other. Other pairs are not
/// counted, so what was seen is never more than there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodPairs {
    counts: SortedMap<(u16, u16), u64>,
    covered: usize,
}

impl MethodPairs {
    /// Of these unordered pairs none was seen yet.
    pub fn of(pairs: impl IntoIterator<Item = (u16, u16)>) -> Self {
        let pairs = pairs.into_iter();
        Self {
            counts: pairs.map(|(a, b)| ((a.min(b), a.max(b)), 0)).collect(),
            covered: 0,
        }
    }

    /// Counts one meeting of these two.
    pub fn add(&mut self, a: u16, b: u16) {
        if let Some(count) = self.counts.get_mut(&(a.min(b), a.max(b))) {
            self.covered += usize::from(*count == 0);
            *count += 1;
        }
    }

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
                self.add(a, b);
            }
        }
    }

    /// Pairs seen, in order, with the number of overlaps.
    pub fn pairs(&self) -> impl Iterator<Item = ((u16, u16), u64)> {
        let seen = self.counts.iter().filter(|(_, count)| **count > 0);
        seen.map(|(pair, count)| (*pair, *count))
    }

    /// Number of pairs seen.
    #[must_use]
    pub fn covered(&self) -> usize {
        self.covered
    }

    /// Number of pairs there are.
    #[must_use]
    pub fn all(&self) -> usize {
        self.counts.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(thread: u16, call: u16, began: u32, ended: u32) -> CallRecord {
        CallRecord {
            ended,
            ..CallRecord::begun(ThreadIndex(thread), call, began)
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
        let mut pairs = MethodPairs::of([(20, 9), (10, 20), (9, 9)]);
        let operation = |thread: ThreadIndex, call: u16| Some(10 * thread.0 - call);
        pairs.observe(&calls, operation);
        let seen: Vec<_> = pairs.pairs().collect();
        assert_eq!(seen, [((9, 20), 1), ((10, 20), 1)]);
        pairs.observe(&calls, operation);
        assert_eq!((pairs.covered(), pairs.all()), (2, 3));
        assert_eq!(pairs.pairs().next(), Some(((9, 20), 2)));
    }

    #[test]
    fn a_pair_that_is_none_of_those_that_are_counted_is_not_seen() {
        let mut pairs = MethodPairs::of([(1, 2)]);
        pairs.add(1, 1);
        assert_eq!(pairs.covered(), 0);
        pairs.add(2, 1);
        assert_eq!((pairs.covered(), pairs.all()), (1, 1));
    }
}
