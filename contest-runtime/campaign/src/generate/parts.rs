//! What all generators make tests of.

use crate::generate::{DependencyTable, RandomCalls, RandomSource};
use contest_data::settings::TestSize;
use contest_data::subject::Subject;
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

/// Operations, random numbers and what is known of pairs, of one subject.
#[derive(Debug)]
pub(super) struct Parts {
    pub index: u16,
    pub calls: RandomCalls,
    pub size: TestSize,
    pub random: RandomSource,
    pub dependencies: DependencyTable,
    /// Some futures are kept without being polled.
    pub keeps_futures: bool,
}

impl Parts {
    /// Of the subject with this index. What draws random numbers for another `purpose` gets others.
    pub(super) fn new(
        subject: &'static Subject,
        index: u16,
        size: TestSize,
        seed: u64,
        purpose: &str,
        dependencies: DependencyTable,
    ) -> Self {
        let name = subject.name.bytes().chain(purpose.bytes());
        let purpose = name.fold(0_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        Self {
            index,
            calls: RandomCalls::new(subject),
            size,
            random: RandomSource::new(seed, purpose),
            dependencies,
            keeps_futures: false,
        }
    }

    /// Two objects if one of these operations takes another object, else one.
    pub(super) fn object_count(&self, operations: &[u16]) -> u8 {
        let two = operations
            .iter()
            .any(|&operation| self.calls.takes_object(operation));
        if two { 2 } else { 1 }
    }

    pub(super) fn random_objects(&mut self, count: u8) -> Vec<TestObject> {
        (0..count)
            .map(|_| self.calls.random_object(&mut self.random))
            .collect()
    }

    pub(super) fn random_call(&mut self, operation: u16, objects: u8) -> TestCall {
        self.calls.random_call(operation, objects, &mut self.random)
    }

    pub(super) fn random_shared(&mut self) -> Option<u16> {
        self.random.pick(self.calls.shared()).copied()
    }

    /// A lane around a call of this operation: alone every other time, else with random calls before or after it.
    pub(super) fn lane(&mut self, operation: u16, objects: u8) -> Vec<TestCall> {
        let mut lane = vec![self.random_call(operation, objects)];
        let more = self.random.below(self.size.calls);
        if self.random.one_in(2) {
            for _ in 0..more {
                let Some(other) = self.random_shared() else {
                    break;
                };
                if other == operation || !self.calls.takes_object(other) || objects > 1 {
                    let call = self.random_call(other, objects);
                    let at = self.random.below(lane.len() + 1);
                    lane.insert(at, call);
                }
            }
        }
        lane
    }

    pub(super) fn test(
        &self,
        objects: Vec<TestObject>,
        prefix: Vec<TestCall>,
        threads: Vec<Vec<TestCall>>,
    ) -> ConcurrentTest {
        ConcurrentTest {
            subject: self.index,
            objects,
            prefix,
            threads,
        }
    }
}

/// The pair with the smallest count; ties by chance.
pub(super) fn least<'a, T>(
    counted: &'a mut [(T, u64)],
    random: &mut RandomSource,
) -> Option<&'a mut (T, u64)> {
    let fewest = counted.iter().map(|(_, count)| *count).min()?;
    let ties = counted.iter().filter(|(_, count)| *count == fewest).count();
    let pick = random.below(ties);
    counted
        .iter_mut()
        .filter(|(_, count)| *count == fewest)
        .nth(pick)
}
