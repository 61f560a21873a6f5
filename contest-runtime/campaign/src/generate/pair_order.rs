//! Which pairs of operations are tested, and in which order.

use crate::generate::{DependencyTable, RandomCalls};
use contest_data::dependencies::Promise;

/// The unordered pairs of shared operations of a subject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PairOrder {
    /// Those to be tested: the most promising first, and of equals those last that only observe.
    pub kept: Vec<(u16, u16)>,
    /// Those there are: two calls of an end that belongs to one thread are no pair.
    pub possible: Vec<(u16, u16)>,
    /// How many were left out, because the analysis proved that the two cannot disturb each other.
    pub pruned: usize,
    /// Those that are left out, and two calls of an end that belongs to one thread: they can be on two objects.
    others: Vec<(u16, u16)>,
}

impl PairOrder {
    /// All pairs but those that are proved unrelated. Where that would leave none, none is left out: a subject whose
    /// operations are all proved to exclude each other is still run, so that a wrong proof has a chance to be seen.
    pub(super) fn new(calls: &RandomCalls, dependencies: &DependencyTable) -> Self {
        let shared = calls.shared();
        let mut all = Vec::with_capacity(shared.len() * (shared.len() + 1) / 2);
        let mut others = Vec::new();
        for (index, &left) in shared.iter().enumerate() {
            for &right in &shared[index..] {
                if calls.can_meet(left, right) {
                    all.push((left, right));
                } else {
                    others.push((left, right));
                }
            }
        }
        let possible = all.clone();
        let passive = |operation: u16| {
            let operation = calls.operation(operation);
            usize::from(operation.observer || operation.weak)
        };
        all.sort_by_key(|&(left, right)| {
            let (promise, rank) = dependencies.rank(left, right);
            (promise, rank, passive(left) + passive(right))
        });
        let unrelated =
            |&(left, right): &(u16, u16)| dependencies.promise(left, right) == Promise::Unrelated;
        let pruned = all.iter().filter(|pair| unrelated(pair)).count();
        let pruned = if pruned < all.len() {
            others.extend(all.iter().filter(|pair| unrelated(pair)));
            all.retain(|pair| !unrelated(pair));
            pruned
        } else {
            0
        };
        Self {
            kept: all,
            possible,
            pruned,
            others,
        }
    }

    /// All pairs, those to be tested first.
    pub(super) fn all(&self) -> impl Iterator<Item = (u16, u16)> {
        self.kept.iter().chain(&self.others).copied()
    }
}
