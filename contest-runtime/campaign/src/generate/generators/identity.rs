//! When two tests are the same.

use std::hash::{DefaultHasher, Hash, Hasher};

use contest_data::test::ConcurrentTest;

/// Equal for tests that differ in the order of their lanes only.
pub(crate) fn identity(test: &ConcurrentTest) -> u64 {
    let mut hasher = DefaultHasher::new();
    (test.subject, &test.objects, &test.prefix).hash(&mut hasher);
    let mut lanes: Vec<u64> = test
        .threads
        .iter()
        .map(|lane| {
            let mut hasher = DefaultHasher::new();
            lane.hash(&mut hasher);
            hasher.finish()
        })
        .collect();
    lanes.sort_unstable();
    lanes.hash(&mut hasher);
    hasher.finish()
}
