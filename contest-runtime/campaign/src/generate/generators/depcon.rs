//! DepCon+: pairs that depend on each other, the one tested least often first; exception mode and deadlock mode in
//! turn.
//!
//! A pair is left out only if the analysis proved that the two cannot disturb each other. The published generator runs
//! each test again and again on the system's scheduler; here each goes to the explorer once.

use super::{Generator, Parts, RunCalls};
use crate::generate::identity::mirrored;
use crate::generate::parts::least;
use contest_data::dependencies::Promise;
use contest_data::test::{ConcurrentTest, TestCall};

/// Most random calls before the threads start.
const LONGEST_PREFIX: usize = 10;

#[derive(Debug)]
pub(super) struct DepCon {
    racing: Vec<((u16, u16), u64)>,
    locking: Vec<((u16, u16), u64)>,
    circles: Vec<([u16; 3], u64)>,
    threads: usize,
    turn: u64,
}

impl DepCon {
    /// Of these pairs.
    pub(super) fn new(parts: &Parts, pairs: &[(u16, u16)]) -> Self {
        let table = &parts.dependencies;
        let locking = |&(left, right): &(u16, u16)| table.promise(left, right) == Promise::Deadlock;
        Self {
            racing: pairs.iter().map(|&pair| (pair, 0)).collect(),
            locking: pairs
                .iter()
                .copied()
                .filter(locking)
                .map(|pair| (pair, 0))
                .collect(),
            circles: table.circles().iter().map(|&circle| (circle, 0)).collect(),
            threads: parts.size.threads,
            turn: 0,
        }
    }

    /// The pair alone first; then after calls of which one disturbs it.
    fn exception_test(&mut self, parts: &mut Parts) -> Option<ConcurrentTest> {
        let ((left, right), count) = least(&mut self.racing, &mut parts.random)?;
        let first = *count == 0;
        *count += 1;
        let (left, right) = (*left, *right);
        let objects = parts.object_count(&[left, right]);
        let prefix = if first {
            Vec::new()
        } else {
            disturbing_prefix(parts, left, right, objects)
        };
        let lanes = vec![parts.lane(left, objects), parts.lane(right, objects)];
        let made = parts.random_objects(objects);
        Some(parts.test(made, prefix, lanes))
    }

    /// Two objects, each call with the other one as argument; the prefix does the same to both.
    fn deadlock_test(&mut self, parts: &mut Parts) -> Option<ConcurrentTest> {
        let ((left, right), count) = least(&mut self.locking, &mut parts.random)?;
        let first = *count == 0;
        *count += 1;
        let (left, right) = (*left, *right);
        // A pair of locks inside one object needs one object only.
        let objects = parts.object_count(&[left, right]);
        let mut prefix = Vec::new();
        if !first {
            let length = 1 + parts.random.below(LONGEST_PREFIX / 2);
            for _ in 0..length {
                let Some(&operation) = parts.random.pick(parts.calls.changers()) else {
                    break;
                };
                let call = parts.random_call(operation, objects);
                prefix.extend((objects > 1).then(|| mirrored(&call, &parts.calls)));
                prefix.push(call);
            }
        }
        let one = parts.calls.first_call(left, 0, objects);
        let other = parts.calls.first_call(right, objects - 1, objects);
        let made = parts.random_objects(objects);
        Some(parts.test(made, prefix, vec![vec![one], vec![other]]))
    }

    /// Three calls that can take three locks in a circle, which the paper leaves out.
    fn circle_test(&mut self, parts: &mut Parts) -> Option<ConcurrentTest> {
        let (operations, count) = least(&mut self.circles, &mut parts.random)?;
        let length = (*count as usize).min(LONGEST_PREFIX / 2);
        *count += 1;
        let operations = *operations;
        let prefix = parts.calls.random_prefix(length, 1, &mut parts.random);
        Some(circle(parts, operations, prefix))
    }
}

/// An object for each lane, each call with the next lane's object as argument; one object if no call takes another one.
fn circle(parts: &mut Parts, operations: [u16; 3], prefix: Vec<TestCall>) -> ConcurrentTest {
    let objects = if parts.object_count(&operations) > 1 {
        3
    } else {
        1
    };
    let lanes = (0_u8..)
        .zip(operations)
        .map(|(lane, operation)| {
            let mut call = parts.calls.first_call(operation, lane % objects, objects);
            let arguments = parts.calls.operation(operation).arguments;
            for (choice, argument) in call.choices.iter_mut().zip(arguments) {
                if argument.object {
                    *choice = (lane + 1) % objects;
                }
            }
            vec![call]
        })
        .collect();
    let made = parts.random_objects(objects);
    parts.test(made, prefix, lanes)
}

/// Random calls, at least one of which may conflict with one of the pair.
fn disturbing_prefix(parts: &mut Parts, left: u16, right: u16, objects: u8) -> Vec<TestCall> {
    let disturbing: Vec<u16> = parts
        .calls
        .changers()
        .iter()
        .copied()
        .filter(|&operation| {
            let table = &parts.dependencies;
            table.may_conflict(operation, left) || table.may_conflict(operation, right)
        })
        .collect();
    let length = parts.random.below(LONGEST_PREFIX);
    let mut prefix = parts
        .calls
        .random_prefix(length, objects, &mut parts.random);
    if let Some(&operation) = parts.random.pick(&disturbing) {
        let call = parts.random_call(operation, objects);
        let at = parts.random.below(prefix.len() + 1);
        prefix.insert(at, call);
    }
    prefix
}

impl Generator for DepCon {
    fn propose(&mut self, parts: &mut Parts, _: &mut dyn RunCalls) -> Option<ConcurrentTest> {
        self.turn += 1;
        if self.turn % 4 == 3 && self.threads >= 3 && !self.circles.is_empty() {
            return self.circle_test(parts);
        }
        if self.turn.is_multiple_of(2) && !self.locking.is_empty() {
            return self.deadlock_test(parts);
        }
        self.exception_test(parts)
    }

    fn left_out(&self) -> Vec<(&'static str, u64)> {
        if self.circles.is_empty() || self.threads >= 3 {
            return Vec::new();
        }
        let why = "circles of three locks, which need `--threads 3`";
        vec![(why, self.circles.len() as u64)]
    }
}
