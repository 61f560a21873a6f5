//! Every test of one rung, once: no two that differ only in the order of threads or of equal objects.
//!
//! Tests are grouped by the operations with which the first two threads begin. Each round takes one test of each group,
//! the most promising group first, so that the first tests are spread over all pairs of operations. Within a group, the
//! order is a permutation by a stride: those first whose other calls change the state.

use std::ops::Range;

use super::calls::{Objects, breadth_of, calls_of, disturbed, objects_of};
use crate::generate::RandomCalls;
use crate::generate::ends::respects_ends;
use contest_data::ladder::Rung;
use contest_data::rng::Rng;
use contest_data::test::{ConcurrentTest, TestCall, TestObject};

/// The tests of a rung that were not yet made.
#[derive(Debug)]
pub(super) struct RungTests {
    rung: Rung,
    spaces: Vec<Space>,
    groups: Vec<Group>,
    next: usize,
    /// Groups of this round before `next` that are not at their end.
    kept: usize,
    round: u64,
    seed: u64,
}

/// What a look for the next test gives.
#[derive(Debug)]
pub(super) enum Step {
    Test(ConcurrentTest),
    /// None among as many candidates as it may look at.
    Pause,
    /// There are no more.
    End,
}

#[derive(Clone, Copy, Debug)]
struct Group {
    space: u8,
    left: u16,
    right: u16,
}

/// Tests on one number of objects.
#[derive(Debug)]
struct Space {
    objects: Objects,
    makes: Vec<TestObject>,
    /// Those that change the state first.
    prefix: Vec<TestCall>,
    changing_prefix: u32,
    /// By operation.
    calls: Vec<TestCall>,
    /// Of each operation, by index.
    of: Vec<Range<u32>>,
    /// Of these, calls that change the state.
    changing: Vec<u32>,
}

impl Space {
    fn new(calls: &RandomCalls, rung: &Rung, objects: Objects) -> Self {
        let of_all = |operation: &u16, disturbed: bool| {
            let makes = calls.operation(*operation);
            calls_of(makes, *operation, objects.count(), rung.breadth, disturbed)
        };
        let fits =
            |operation: &&u16| objects == Objects::Needed || !calls.takes_object(**operation);
        let changes = |operation: u16| calls.changers().contains(&operation);
        let before = calls.prefix();
        let prefix: Vec<TestCall> = before
            .iter()
            .filter(fits)
            .flat_map(|operation| of_all(operation, false))
            .collect();
        let mut own = Vec::new();
        let mut of = vec![0..0; calls.subject().operations.len()];
        for operation in calls.shared().iter().filter(fits) {
            let first = own.len() as u32;
            own.extend(of_all(operation, rung.disturbed > 0));
            of[usize::from(*operation)] = first..own.len() as u32;
        }
        let changing = (0_u32..).zip(&own);
        let changing = changing.filter(|(_, call)| changes(call.operation));
        Self {
            objects,
            makes: objects_of(calls.subject(), rung.breadth),
            changing_prefix: prefix.iter().filter(|call| changes(call.operation)).count() as u32,
            prefix,
            changing: changing.map(|(index, _)| index).collect(),
            calls: own,
            of,
        }
    }
}

/// A test as numbers of calls: comparable, and cheap to change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Numbers {
    make: u32,
    prefix: Vec<u32>,
    lanes: Vec<Vec<u32>>,
}

impl RungTests {
    /// All of them. `pairs` are the pairs of operations, the most promising first.
    pub(super) fn new(calls: &RandomCalls, rung: &Rung, pairs: &[(u16, u16)], seed: u64) -> Self {
        let kinds = Objects::of(rung, calls).into_iter();
        let spaces: Vec<Space> = kinds
            .map(|objects| Space::new(calls, rung, objects))
            .collect();
        let unequal = rung.lanes.len() > 1 && rung.lanes[0] != rung.lanes[1];
        let mut groups = Vec::new();
        for &(left, right) in pairs {
            for space in 0..spaces.len() as u8 {
                groups.push(Group { space, left, right });
                if unequal && left != right {
                    groups.push(Group {
                        space,
                        left: right,
                        right: left,
                    });
                }
            }
        }
        Self {
            rung: rung.clone(),
            spaces,
            groups,
            next: 0,
            kept: 0,
            round: 0,
            seed,
        }
    }

    /// The next test, among so many candidates.
    pub(super) fn next(&mut self, calls: &RandomCalls, mut candidates: u32) -> Step {
        loop {
            if self.next >= self.groups.len() {
                self.groups.truncate(self.kept);
                if self.groups.is_empty() {
                    return Step::End;
                }
                (self.next, self.kept) = (0, 0);
                self.round += 1;
            }
            let group = self.groups[self.next];
            self.next += 1;
            let candidate = self.candidate(group);
            if !matches!(candidate, Candidate::None) {
                self.groups[self.kept] = group;
                self.kept += 1;
            }
            if let Candidate::Numbers(numbers) = candidate {
                let space = &self.spaces[usize::from(group.space)];
                if let Some(test) = self.test(calls, space, &numbers) {
                    return Step::Test(test);
                }
            }
            candidates = candidates.saturating_sub(1);
            if candidates == 0 {
                return Step::Pause;
            }
        }
    }

    /// The candidate of this round.
    fn candidate(&self, group: Group) -> Candidate {
        let space = &self.spaces[usize::from(group.space)];
        let own = |operation: u16| space.of[usize::from(operation)].clone();
        let firsts = [own(group.left), own(group.right)];
        let slots = |prefix: usize, others: usize| -> Vec<u64> {
            let mut slots = vec![space.makes.len() as u64];
            slots.extend((0..self.rung.prefix).map(|_| prefix as u64));
            for (lane, &length) in self.rung.lanes.iter().enumerate() {
                for call in 0..length {
                    slots.push(match firsts.get(lane) {
                        Some(first) if call == 0 => first.len() as u64,
                        _ => others as u64,
                    });
                }
            }
            slots
        };
        let changing = slots(space.changing_prefix as usize, space.changing.len());
        let all = slots(space.prefix.len(), space.calls.len());
        let product = |slots: &[u64]| slots.iter().copied().fold(1, u64::saturating_mul);
        let (first, second) = (product(&changing), product(&all));
        let chance = Rng::at(
            self.seed,
            u64::from(group.left) << 16 | u64::from(group.right),
        );
        let in_first = self.round < first;
        let (slots, index) = if in_first {
            (changing, permuted(self.round, first, chance))
        } else if self.round - first < second {
            (all, permuted(self.round - first, second, chance))
        } else {
            return Candidate::None;
        };
        let mut digits = Digits {
            slots: slots.iter(),
            rest: index,
        };
        let make = digits.next();
        let prefix: Vec<u32> = (0..self.rung.prefix).map(|_| digits.next()).collect();
        let mut all_change = prefix.iter().all(|&call| call < space.changing_prefix);
        let mut lanes = Vec::with_capacity(self.rung.lanes.len());
        for (lane, &length) in self.rung.lanes.iter().enumerate() {
            let mut calls = Vec::with_capacity(usize::from(length));
            for number in 0..length {
                let digit = digits.next();
                calls.push(match firsts.get(lane) {
                    Some(first) if number == 0 => first.start + digit,
                    _ if in_first => space.changing[digit as usize],
                    _ => {
                        all_change &= space.changing.binary_search(&digit).is_ok();
                        digit
                    }
                });
            }
            lanes.push(calls);
        }
        if !in_first && all_change {
            return Candidate::MadeBefore;
        }
        Candidate::Numbers(Numbers {
            make,
            prefix,
            lanes,
        })
    }

    /// The test, if it is the first of those that differ by symmetry only, and of this rung.
    fn test(
        &self,
        calls: &RandomCalls,
        space: &Space,
        numbers: &Numbers,
    ) -> Option<ConcurrentTest> {
        let ordered = |lanes: &[Vec<u32>]| {
            lanes.windows(2).all(|two| match two {
                [one, other] => one.len() < other.len() || one <= other,
                _ => true,
            })
        };
        if !ordered(&numbers.lanes) {
            return None;
        }
        let call = |&number: &u32| &space.calls[number as usize];
        let before = |&number: &u32| &space.prefix[number as usize];
        let called = || {
            let prefix = numbers.prefix.iter().map(before);
            prefix.chain(numbers.lanes.iter().flatten().map(call))
        };
        let fits = match space.objects {
            Objects::One => true,
            Objects::Needed => called().any(|call| calls.takes_object(call.operation)),
            Objects::Beside => [0, 1]
                .iter()
                .all(|&it| called().any(|call| call.object == it)),
        };
        if !fits || space.objects != Objects::One && exchanged(calls, space, numbers) < *numbers {
            return None;
        }
        let test = ConcurrentTest {
            subject: 0,
            objects: vec![
                space.makes[numbers.make as usize].clone();
                usize::from(space.objects.count())
            ],
            prefix: numbers
                .prefix
                .iter()
                .map(|number| before(number).clone())
                .collect(),
            threads: numbers
                .lanes
                .iter()
                .map(|lane| lane.iter().map(|number| call(number).clone()).collect())
                .collect(),
        };
        let subject = calls.subject();
        let is_of_rung = breadth_of(subject, &test) == self.rung.breadth
            && disturbed(subject, &test) == self.rung.disturbed;
        (is_of_rung && respects_ends(subject, &test)).then_some(test)
    }
}

enum Candidate {
    Numbers(Numbers),
    /// All of its calls change the state: it came before.
    MadeBefore,
    /// All of the group came before.
    None,
}

struct Digits<'a> {
    slots: std::slice::Iter<'a, u64>,
    rest: u64,
}

impl Digits<'_> {
    fn next(&mut self) -> u32 {
        let slot = self.slots.next().copied().unwrap_or(1);
        let digit = self.rest % slot;
        self.rest /= slot;
        digit as u32
    }
}

/// The same test with the two objects exchanged, its lanes in order.
fn exchanged(calls: &RandomCalls, space: &Space, numbers: &Numbers) -> Numbers {
    let of = |list: &[TestCall], number: u32| -> u32 {
        let call = &list[number as usize];
        let mut other = call.clone();
        other.object = 1 - call.object;
        let arguments = calls.operation(call.operation).arguments;
        for (choice, argument) in other.choices.iter_mut().zip(arguments) {
            if argument.object {
                *choice = 1 - *choice;
            }
        }
        // Calls of one operation stand together: those of the first object, then as many of the other one.
        let same = |call: &&TestCall| call.operation == other.operation;
        let first = list.iter().position(|call| same(&call)).unwrap_or(0);
        let mut own = list[first..].iter().take_while(same);
        let place = own.position(|call| *call == other).unwrap_or(0);
        (first + place) as u32
    };
    let lane = |lane: &Vec<u32>| lane.iter().map(|&call| of(&space.calls, call)).collect();
    let mut lanes: Vec<Vec<u32>> = numbers.lanes.iter().map(lane).collect();
    lanes.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    let prefix = numbers.prefix.iter();
    Numbers {
        make: numbers.make,
        prefix: prefix.map(|&call| of(&space.prefix, call)).collect(),
        lanes,
    }
}

/// The element in this place of a permutation of the numbers below `of`: places are a stride apart that has no divisor
/// in common with `of`, near the golden section of it.
fn permuted(place: u64, of: u64, chance: u64) -> u64 {
    if of < 2 {
        return 0;
    }
    let mut stride = ((u128::from(of) * 618_033_989) / 1_000_000_000) as u64;
    while gcd(stride.max(1), of) != 1 {
        stride += 1;
    }
    let stride = u128::from(stride.max(1));
    ((u128::from(chance % of) + u128::from(place) * stride) % u128::from(of)) as u64
}

fn gcd(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}
