//! The ladder of shapes: every test of the smallest shape, of the next one, and so on.
//!
//! A shape has a size (see [`Rung::size`]); a rung of size `s` gets a `2^s`-th of the tests of a rung of size 0 that is
//! not yet done. So small rungs come to their end soon, and large ones are tried all the same.

mod calls;
mod rung_tests;

use std::rc::Rc;

use super::RandomCalls;
use super::dependencies::DependencyTable;
use super::identity::identity;
use super::pair_order::PairOrder;
use calls::{call_count, count, has_ends, has_futures, rung_of};
use contest_data::dependencies::Promise;
use contest_data::fast_hash::FastMap;
use contest_data::ladder::{Breadth, Checksum, Rung};
use contest_data::settings::SizeBounds;
use contest_data::sorted;
use contest_data::subject::{Argument, Subject};
use contest_data::test::{ConcurrentTest, order_count};
use rung_tests::{RungTests, Step};

/// Most threads where the user has not bounded them.
const MOST_THREADS: u8 = 3;
/// Most calls of one thread where the user has not bounded them.
const MOST_CALLS: u8 = 6;
/// Most calls before the threads start; where the user has bounded both threads and calls, 2.
const MOST_PREFIX: u8 = 4;
const MOST_PREFIX_IF_BOUNDED: u8 = 2;
/// Most futures of a test that are cancelled or polled once more.
const MOST_DISTURBED: u8 = 2;
/// Most alternatives of an argument.
const MOST_VALUES: u8 = 6;
/// Orders of calls above which not all of them are run, so that results cannot be judged.
const MOST_ORDERS: u64 = 2_000;
/// Most different calls in a rung: all of them are kept.
const MOST_CALLS_KEPT: u128 = 100_000;
/// Candidates that one look for a test may take.
const CANDIDATES: u32 = 20_000;

/// The ladder of one subject.
#[derive(Debug)]
pub(crate) struct Ladder {
    calls: RandomCalls,
    index: u16,
    /// The smallest first.
    steps: Vec<RungState>,
    numbers: FastMap<Rc<Rung>, usize>,
    pairs: Vec<(u16, u16)>,
    dependencies: DependencyTable,
    prunes: bool,
    seed: u64,
    /// Rungs too wide to be enumerated.
    too_wide: u64,
}

/// Where a rung stands.
#[derive(Debug)]
pub(crate) struct RungState {
    /// The shape.
    pub rung: Rc<Rung>,
    /// Tests, or an upper bound.
    pub tests: u64,
    /// That number is exact.
    pub exact: bool,
    /// All of its tests were made.
    pub enumerated: bool,
    /// Tests of which no two calls in different threads can disturb each other, by proof: not made.
    pub redundant: u64,
    /// Of the tests that were made.
    pub checksum: Checksum,
    /// Turns that it had.
    turns: u64,
    found: u64,
    size: u32,
    left: Option<RungTests>,
}

impl RungState {
    /// It had a turn.
    pub(crate) fn begun(&self) -> bool {
        self.turns > 0
    }
}

impl Ladder {
    /// The ladder of the subject with this index, with rungs up to these bounds.
    pub(super) fn new(
        subject: &'static Subject,
        index: u16,
        bounds: SizeBounds,
        seed: u64,
        dependencies: &DependencyTable,
    ) -> Self {
        let calls = RandomCalls::new(subject);
        let order = PairOrder::new(&calls, dependencies);
        let pairs = order.all().collect();
        let ends = has_ends(subject);
        let mut too_wide = 0;
        let mut steps = Vec::new();
        for rung in rungs(&calls, bounds) {
            let tests = count(&calls, &rung);
            if tests == 0 {
                continue;
            }
            if call_count(&calls, rung.breadth) > MOST_CALLS_KEPT {
                too_wide += 1;
                continue;
            }
            let bounded = u64::try_from(tests);
            steps.push(RungState {
                tests: bounded.unwrap_or(u64::MAX),
                exact: bounded.is_ok() && !ends && rung.disturbed == 0,
                enumerated: false,
                redundant: 0,
                checksum: Checksum::default(),
                turns: 0,
                found: 0,
                size: rung.size(),
                left: None,
                rung: Rc::new(rung),
            });
        }
        sorted::sort_by_key(&mut steps, |step| (step.size, step.tests));
        let numbered = steps.iter().enumerate();
        Self {
            numbers: numbered
                .map(|(number, step)| (Rc::clone(&step.rung), number))
                .collect(),
            calls,
            index,
            steps,
            pairs,
            dependencies: dependencies.clone(),
            prunes: order.pruned > 0,
            seed,
            too_wide,
        }
    }

    /// Its rungs, the smallest first.
    pub(crate) fn steps(&self) -> &[RungState] {
        &self.steps
    }

    /// The number of the rung that the test belongs to.
    pub(crate) fn rung_of(&self, test: &ConcurrentTest) -> Option<usize> {
        self.numbers.get(&rung_of(&self.calls, test)?).copied()
    }

    /// What the test adds to the checksum of its rung.
    pub(crate) fn part_of_checksum(&self, test: &ConcurrentTest) -> u64 {
        identity(&self.calls, test).0
    }

    /// True if static analysis proved that no two calls in different threads of the test can disturb each other.
    pub(super) fn proves_redundant(&self, test: &ConcurrentTest) -> bool {
        self.prunes && is_redundant(&self.dependencies, test)
    }

    /// Rungs that are left out, because they have more calls than are kept.
    pub(super) fn too_wide(&self) -> u64 {
        self.too_wide
    }

    /// True once all tests of all rungs were made.
    pub(super) fn is_done(&self) -> bool {
        self.steps.iter().all(|step| step.enumerated)
    }

    /// The next test; `None` if there is none, or none was found this time.
    pub(super) fn next(&mut self) -> Option<ConcurrentTest> {
        let number = self.next_step()?;
        let step = &mut self.steps[number];
        step.turns += 1;
        let left = step
            .left
            .get_or_insert_with(|| RungTests::new(&self.calls, &step.rung, &self.pairs, self.seed));
        let mut candidates = CANDIDATES;
        loop {
            match left.next(&self.calls, candidates) {
                Step::Test(mut test) => {
                    step.found += 1;
                    if self.prunes && is_redundant(&self.dependencies, &test) {
                        step.redundant += 1;
                        candidates -= 1;
                        if candidates == 0 {
                            return None;
                        }
                        continue;
                    }
                    test.subject = self.index;
                    step.checksum.add(identity(&self.calls, &test).0);
                    return Some(test);
                }
                Step::Pause => return None,
                Step::End => {
                    step.enumerated = true;
                    step.exact = true;
                    step.tests = step.found;
                    step.left = None;
                    return None;
                }
            }
        }
    }

    /// The rung whose turn it is: that with the fewest turns for its size.
    fn next_step(&self) -> Option<usize> {
        let mut best: Option<(u128, usize)> = None;
        for (number, step) in self.steps.iter().enumerate() {
            if step.enumerated {
                continue;
            }
            let weight = 1_u128.checked_shl(step.size).unwrap_or(u128::MAX);
            let due = u128::from(step.turns + 1).saturating_mul(weight);
            if best.is_none_or(|(least, _)| due < least) {
                best = Some((due, number));
            }
            // Those after the first that had no turn are larger still.
            if step.turns == 0 {
                break;
            }
        }
        best.map(|(_, number)| number)
    }
}

/// True if no two calls in different threads can disturb each other, by proof: then every interleaving does what some
/// order of the calls does.
fn is_redundant(dependencies: &DependencyTable, test: &ConcurrentTest) -> bool {
    let operations = |lane: &[contest_data::test::TestCall]| -> Vec<u16> {
        lane.iter().map(|call| call.operation).collect()
    };
    let lanes: Vec<Vec<u16>> = test.threads.iter().map(|lane| operations(lane)).collect();
    let unrelated = lanes.iter().enumerate().all(|(number, lane)| {
        let others = || lanes[number + 1..].iter().flatten();
        lane.iter().all(|&left| {
            others().all(|&right| dependencies.promise(left, right) == Promise::Unrelated)
        })
    });
    let circle = |circle: &[u16; 3]| {
        let has = |operation: &u16| lanes.iter().flatten().any(|own| own == operation);
        circle.iter().all(has)
    };
    unrelated && !dependencies.circles().iter().any(circle)
}

/// All shapes within the bounds.
fn rungs(calls: &RandomCalls, bounds: SizeBounds) -> Vec<Rung> {
    let bounded = bounds.threads.is_some() && bounds.calls.is_some();
    let threads = bounds.threads.unwrap_or(MOST_THREADS);
    let most_calls = bounds.calls.unwrap_or(MOST_CALLS);
    let most_prefix = if bounded {
        MOST_PREFIX_IF_BOUNDED
    } else {
        MOST_PREFIX
    };
    let subject = calls.subject();
    let arguments = subject.operations.iter().flat_map(|it| it.arguments);
    let of_constructors = subject.constructors.iter().flat_map(|it| it.arguments);
    let values = arguments
        .chain(of_constructors)
        .filter(|it| !it.object && !it.of_future)
        .map(Argument::values)
        .max()
        .unwrap_or(1)
        .min(MOST_VALUES);
    let breadths = Breadth::needed(values, subject.constructors.len() > 1).0;
    let mut shapes: Vec<Vec<u8>> = vec![Vec::new()];
    let mut found = Vec::new();
    for _ in 0..threads {
        let mut longer = Vec::new();
        for shape in &shapes {
            let least = shape.last().copied().unwrap_or(1);
            for length in least..=most_calls {
                let mut lanes = shape.clone();
                lanes.push(length);
                if order_count(lanes.iter().map(|&it| it.into())) <= MOST_ORDERS {
                    longer.push(lanes);
                }
            }
        }
        found.extend(longer.iter().filter(|lanes| lanes.len() >= 2).cloned());
        shapes = longer;
    }
    let most_disturbed = if has_futures(subject) {
        MOST_DISTURBED
    } else {
        0
    };
    let kinds = (0..=most_disturbed).flat_map(|disturbed| [(false, disturbed), (true, disturbed)]);
    let mut all = Vec::new();
    for lanes in found {
        for prefix in 0..=most_prefix {
            for breadth in 0..=breadths {
                for (two_objects, disturbed) in kinds.clone() {
                    all.push(Rung {
                        lanes: lanes.clone(),
                        prefix,
                        breadth: Breadth(breadth),
                        two_objects,
                        disturbed,
                    });
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests;
