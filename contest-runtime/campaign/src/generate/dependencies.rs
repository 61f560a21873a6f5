//! What is known of pairs of operations before anything runs (Terragni, Pezzè, Bianchi and others: DepCon+).

use contest_data::dependencies::{Dependencies, PairDependency, Promise};

use contest_data::fast_hash::FastMap;
use std::cmp::Reverse;

/// The dependencies of one subject, by pair.
#[derive(Clone, Debug, Default)]
pub(crate) struct DependencyTable {
    pairs: FastMap<(u16, u16), PairDependency>,
    circles: Vec<[u16; 3]>,
}

impl DependencyTable {
    /// Of this subject.
    #[must_use]
    pub(crate) fn new(dependencies: &Dependencies) -> Self {
        let by_pair = |pair: &PairDependency| (ordered(pair.left, pair.right), *pair);
        Self {
            pairs: dependencies.pairs.iter().map(by_pair).collect(),
            circles: dependencies.circles.clone(),
        }
    }

    /// Three operations that can take three locks in a circle.
    #[must_use]
    pub(super) fn circles(&self) -> &[[u16; 3]] {
        &self.circles
    }

    /// Where a pair belongs: the smallest first.
    #[must_use]
    pub(super) fn rank(&self, left: u16, right: u16) -> (Promise, Reverse<u8>) {
        let found = self.pairs.get(&ordered(left, right));
        let rank = found.map_or(0, |pair| pair.rank);
        (self.promise(left, right), Reverse(rank))
    }

    /// The promise of a pair.
    #[must_use]
    pub(crate) fn promise(&self, left: u16, right: u16) -> Promise {
        let found = self.pairs.get(&ordered(left, right));
        found.map_or(Promise::Unknown, PairDependency::promise)
    }

    /// True unless the two are known not to conflict.
    #[must_use]
    pub(super) fn may_conflict(&self, left: u16, right: u16) -> bool {
        let found = self.pairs.get(&ordered(left, right));
        found.is_none_or(|pair| pair.conflict || !pair.exact)
    }
}

fn ordered(left: u16, right: u16) -> (u16, u16) {
    (left.min(right), left.max(right))
}
