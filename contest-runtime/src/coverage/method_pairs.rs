//! Which pairs of operations ran at the same time (Choudhary, Lu, Pradel: Efficient detection of thread safety violations via
//! coverage-guided generation of concurrent tests, ICSE 2017).

use std::collections::BTreeMap;

use crate::trace::{CallRecord, ThreadIndex};

/// Counts, for pairs of operations, the executions in which a call of the one overlapped a call of the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodPairs {
    counts: BTreeMap<(String, String), u64>,
}

impl MethodPairs {
    /// Takes the calls of an execution in; `operation` names what a call of a thread called. Calls overlap if each began before the
    /// other ended and one of them was under way with operations of its own.
    pub fn observe<'a>(
        &mut self,
        calls: &[CallRecord],
        operation: impl Fn(ThreadIndex, u16) -> Option<&'a str>,
    ) {
        for (index, one) in calls.iter().enumerate() {
            for two in calls[index + 1..]
                .iter()
                .filter(|two| two.thread != one.thread)
            {
                if one.began >= two.ended || two.began >= one.ended {
                    continue;
                }
                let (Some(a), Some(b)) = (
                    operation(one.thread, one.call),
                    operation(two.thread, two.call),
                ) else {
                    continue;
                };
                let key = if a <= b { (a, b) } else { (b, a) };
                *self
                    .counts
                    .entry((key.0.to_owned(), key.1.to_owned()))
                    .or_default() += 1;
            }
        }
    }

    /// Pairs seen, in the order of their names, with the number of overlaps.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str, u64)> {
        self.counts
            .iter()
            .map(|((a, b), count)| (a.as_str(), b.as_str(), *count))
    }

    /// Number of pairs seen.
    #[must_use]
    pub fn covered(&self) -> usize {
        self.counts.len()
    }

    /// Unordered pairs there are of so many operations, an operation with itself included.
    #[must_use]
    pub fn possible(operations: usize) -> usize {
        operations * (operations + 1) / 2
    }
}
