//! ConTeGe (Pradel and Gross: Fully automatic and precise detection of thread safety violations, PLDI 2012, section 3):
//! an object, random calls that change its state, random calls in two threads.

use super::{Generator, Parts, RunCalls};
use contest_data::test::ConcurrentTest;

/// Most calls before the threads start.
const LONGEST_PREFIX: usize = 5;

#[derive(Debug)]
pub(super) struct ConTeGe;

impl Generator for ConTeGe {
    fn propose(&mut self, parts: &mut Parts, _: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        let lanes = 2 + parts.random.below(parts.size.threads.saturating_sub(1));
        let mut operations = Vec::new();
        for _ in 0..lanes {
            let length = 1 + parts.random.below(parts.size.calls);
            let mut lane = Vec::with_capacity(length);
            for _ in 0..length {
                lane.push(parts.random_shared()?);
            }
            operations.push(lane);
        }
        let objects = parts.object_count(&operations.concat());
        let length = parts.random.below(LONGEST_PREFIX + 1);
        let prefix = parts
            .calls
            .random_prefix(length, objects, &mut parts.random);
        let lanes = operations
            .into_iter()
            .map(|lane| {
                lane.into_iter()
                    .map(|operation| parts.random_call(operation, objects))
                    .collect()
            })
            .collect();
        let made = parts.random_objects(objects);
        Some(parts.test(made, prefix, lanes))
    }
}
