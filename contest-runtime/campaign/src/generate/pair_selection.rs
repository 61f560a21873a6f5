//! The order in which tests of one subject are tried: an endless stream without duplicates.
//!
//! First, for ends of a pair, what two threads do with one end while the other end is dropped. Then rounds over all
//! unordered pairs of operations, each with another combination of prefix and arguments, the plainest first; from the
//! third round on larger tests (two calls a thread, three threads, random ones) are mixed in.

use std::collections::VecDeque;

use super::ends::partings;
use super::identity::identity;
use super::pair_order::PairOrder;
use super::parts::Parts;
use crate::generate::{DependencyTable, RandomCalls};
use contest_data::fast_hash::FastSet;
use contest_data::settings::TestSize;
use contest_data::subject::Subject;
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

/// Duplicates in a row after which the stream ends: there is nothing new to be made.
const PATIENCE: u32 = 5_000;
/// Rounds over all pairs without larger tests in between.
const PLAIN_ROUNDS: u32 = 2;

/// The stream of tests of one subject.
#[derive(Debug)]
pub(super) struct TestStream {
    parts: Parts,
    pairs: Vec<(u16, u16)>,
    round: u32,
    next_pair: usize,
    large: u32,
    ready: VecDeque<ConcurrentTest>,
    seen: FastSet<(u64, u64)>,
}

impl TestStream {
    /// Tests of the subject with this index; the same seed gives the same tests.
    #[must_use]
    pub(super) fn new(
        subject: &'static Subject,
        index: u16,
        size: TestSize,
        seed: u64,
        dependencies: &DependencyTable,
    ) -> Self {
        let parts = Parts::new(subject, index, size, seed, "", dependencies.clone());
        let pairs = PairOrder::new(&parts.calls, dependencies).kept;
        let ready = partings(subject)
            .into_iter()
            .filter(|_| size.calls > 1)
            .map(|[left, right, last]| {
                let call = |operation| parts.calls.first_call(operation, 0, 1);
                let lanes = vec![vec![call(left)], vec![call(right), call(last)]];
                parts.test(vec![parts.calls.first_object()], Vec::new(), lanes)
            })
            .collect();
        Self {
            parts,
            pairs,
            round: 0,
            next_pair: 0,
            large: 0,
            ready,
            seen: FastSet::default(),
        }
    }

    /// True as long as no larger tests are mixed in.
    #[must_use]
    pub(super) fn in_first_rounds(&self) -> bool {
        self.round < PLAIN_ROUNDS
    }

    fn propose(&mut self) -> Option<ConcurrentTest> {
        if let Some(test) = self.ready.pop_front() {
            return Some(test);
        }
        if self.pairs.is_empty() {
            return None;
        }
        if self.next_pair >= self.pairs.len() {
            self.next_pair = 0;
            self.round += 1;
        }
        // After the plain rounds three of seven tests are larger ones.
        if self.round >= PLAIN_ROUNDS {
            self.large = (self.large + 1) % 7;
            match self.large {
                1 => return Some(self.more_calls()),
                3 => return Some(self.more_threads()),
                5 => return Some(self.random_test()),
                _ => {}
            }
        }
        let pair = self.pairs[self.next_pair];
        self.next_pair += 1;
        Some(self.pair_test(pair))
    }

    /// One call in each of two lanes.
    fn pair_test(&mut self, (left, right): (u16, u16)) -> ConcurrentTest {
        let objects = self.parts.object_count(&[left, right]);
        let plain = |calls: &RandomCalls| {
            // The second call has the objects the other way round, for locks taken in different orders.
            [
                calls.first_call(left, 0, objects),
                calls.first_call(right, objects - 1, objects),
            ]
        };
        let [mut first, mut second] = plain(&self.parts.calls);
        let mut prefix = Vec::new();
        match self.round {
            0 => {}
            // The calls themselves are the likeliest to set up what the other one meets.
            1 => prefix = self.filling_prefix(left, objects),
            2 => {
                let pick = self.parts.random.one_in(2);
                self.vary(if pick { &mut first } else { &mut second }, objects);
            }
            3 => {
                prefix = self.filling_prefix(right, objects);
                self.vary(&mut second, objects);
            }
            round => {
                prefix = self.parts.calls.random_prefix(
                    round as usize % 3,
                    objects,
                    &mut self.parts.random,
                );
                first = self
                    .parts
                    .calls
                    .random_call(left, objects, &mut self.parts.random);
                second = self
                    .parts
                    .calls
                    .random_call(right, objects, &mut self.parts.random);
            }
        }
        let made = self.objects(objects, self.round >= 4);
        self.parts
            .test(made, prefix, vec![vec![first], vec![second]])
    }

    /// Lanes of two calls, at least one of them.
    fn more_calls(&mut self) -> ConcurrentTest {
        let (left, right) = self.random_pair();
        let objects = self.parts.object_count(&[left, right]);
        let both = self.parts.random.one_in(2);
        let first = self.lane(left, self.parts.size.calls.min(2), objects);
        let second = self.lane(
            right,
            if both {
                self.parts.size.calls.min(2)
            } else {
                1
            },
            objects,
        );
        let length = self.parts.random.below(2);
        let prefix = self
            .parts
            .calls
            .random_prefix(length, objects, &mut self.parts.random);
        let made = self.objects(objects, false);
        self.parts.test(made, prefix, vec![first, second])
    }

    /// Three lanes, if allowed.
    fn more_threads(&mut self) -> ConcurrentTest {
        if self.parts.size.threads < 3 {
            return self.more_calls();
        }
        let (left, right) = self.random_pair();
        let third = self.random_shared();
        let objects = self.parts.object_count(&[left, right, third]);
        let long = if self.parts.random.one_in(2) {
            self.parts.size.calls.min(2)
        } else {
            1
        };
        let lanes = vec![
            self.lane(left, long, objects),
            self.lane(right, 1, objects),
            self.lane(third, 1, objects),
        ];
        let length = self.parts.random.below(2);
        let prefix = self
            .parts
            .calls
            .random_prefix(length, objects, &mut self.parts.random);
        let made = self.objects(objects, false);
        self.parts.test(made, prefix, lanes)
    }

    /// Anything within the size.
    fn random_test(&mut self) -> ConcurrentTest {
        let lanes = 2 + self
            .parts
            .random
            .below(self.parts.size.threads.saturating_sub(1));
        let firsts: Vec<u16> = (0..lanes).map(|_| self.random_shared()).collect();
        let objects = self.parts.object_count(&firsts);
        // Orders grow with the product: three lanes stay short.
        let longest = if lanes > 2 {
            self.parts.size.calls.min(2)
        } else {
            self.parts.size.calls
        };
        let lanes = firsts
            .into_iter()
            .map(|first| {
                let length = 1 + self.parts.random.below(longest);
                self.lane(first, length, objects)
            })
            .collect();
        let length = self.parts.random.below(3);
        let prefix = self
            .parts
            .calls
            .random_prefix(length, objects, &mut self.parts.random);
        let made = self.objects(objects, true);
        self.parts.test(made, prefix, lanes)
    }

    fn lane(&mut self, first: u16, length: usize, objects: u8) -> Vec<TestCall> {
        let mut lane = vec![
            self.parts
                .calls
                .random_call(first, objects, &mut self.parts.random),
        ];
        while lane.len() < length {
            let operation = self.random_shared();
            lane.push(
                self.parts
                    .calls
                    .random_call(operation, objects, &mut self.parts.random),
            );
        }
        lane
    }

    /// One state changer: every other pair gets the next of the promising ones.
    fn filling_prefix(&mut self, pair: u16, objects: u8) -> Vec<TestCall> {
        let changers = self.parts.calls.changers();
        if changers.is_empty() {
            return Vec::new();
        }
        let rank = if self.parts.random.one_in(2) {
            0
        } else {
            usize::from(pair) % changers.len()
        };
        vec![self.parts.calls.first_call(changers[rank], 0, objects)]
    }

    /// Changes one argument of the call.
    fn vary(&mut self, call: &mut TestCall, objects: u8) {
        let arguments = self.parts.calls.operation(call.operation).arguments;
        if call.choices.is_empty() {
            return;
        }
        let which = self.parts.random.below(call.choices.len());
        let alternatives = if arguments[which].object {
            usize::from(objects)
        } else if arguments[which].of_future {
            1
        } else {
            usize::from(arguments[which].values())
        };
        if alternatives > 1 {
            call.choices[which] = 1 + self.parts.random.below(alternatives - 1) as u8;
        }
    }

    fn objects(&mut self, count: u8, any: bool) -> Vec<TestObject> {
        (0..count)
            .map(|_| {
                if any {
                    self.parts.calls.random_object(&mut self.parts.random)
                } else {
                    self.parts.calls.first_object()
                }
            })
            .collect()
    }

    fn random_pair(&mut self) -> (u16, u16) {
        let index = self.parts.random.below(self.pairs.len());
        self.pairs[index]
    }

    fn random_shared(&mut self) -> u16 {
        let (left, right) = self.random_pair();
        if self.parts.random.one_in(2) {
            left
        } else {
            right
        }
    }
}

impl Iterator for TestStream {
    type Item = ConcurrentTest;

    fn next(&mut self) -> Option<ConcurrentTest> {
        for _ in 0..PATIENCE {
            let test = self.propose()?;
            if self.seen.insert(identity(&self.parts.calls, &test)) {
                return Some(test);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
