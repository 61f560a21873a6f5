//! CovCon (Choudhary, Lu and Pradel: Efficient detection of thread safety violations via coverage-guided generation of
//! concurrent tests, ICSE 2017, section 3): the pair of operations that ran side by side least often is next.
//!
//! Deviation: a pair counts as covered when a test of it was made; that its calls overlap is the explorer's business.

use super::{Generator, Parts, RunCalls};
use crate::generate::RandomCalls;
use crate::generate::parts::least;
use contest_data::test::ConcurrentTest;

/// Most calls before the threads start.
const LONGEST_PREFIX: usize = 5;

#[derive(Debug)]
pub(super) struct CovCon {
    pairs: Vec<((u16, u16), u64)>,
}

impl CovCon {
    pub(super) fn new(calls: &RandomCalls) -> Self {
        let shared = calls.shared();
        let pairs = (0..shared.len())
            .flat_map(|left| (left..shared.len()).map(move |right| (left, right)))
            .map(|(left, right)| (shared[left], shared[right]))
            .filter(|&(left, right)| calls.can_meet(left, right))
            .map(|pair| (pair, 0))
            .collect();
        Self { pairs }
    }
}

impl Generator for CovCon {
    fn propose(&mut self, parts: &mut Parts, _: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        let ((left, right), count) = least(&mut self.pairs, &mut parts.random)?;
        *count += 1;
        let (left, right) = (*left, *right);
        let objects = parts.object_count(&[left, right]);
        let length = parts.random.below(LONGEST_PREFIX + 1);
        let prefix = parts
            .calls
            .random_prefix(length, objects, &mut parts.random);
        let lanes = vec![parts.lane(left, objects), parts.lane(right, objects)];
        let made = parts.random_objects(objects);
        Some(parts.test(made, prefix, lanes))
    }
}
