//! Tests whose explorations are paused. Which one goes on next depends on what executions showed and never on time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::cost::EXECUTION_COST;
use super::exploration::Exploration;
use super::prepared_test::PreparedTest;
use contest_data::gap::{Gap, Gaps};
use contest_data::test::TestShape;

/// Executions of the first visit to a test; each later visit has twice as many as the one before.
pub(super) const FIRST_VISIT: u64 = 6;
/// Most tests that wait.
const MOST_TESTS: usize = 10_000;
/// Most memory that they may take, as estimated.
const MOST_BYTES: usize = 256 << 20;
/// What a test takes besides what grows with its executions.
const BYTES: usize = 16 << 10;
/// What a serial run takes, and what strategies keep for each event of the longest execution.
const BYTES_OF_RUN: usize = 2 << 10;
const BYTES_OF_EVENT: usize = 1 << 10;
/// What is kept for each outcome.
const BYTES_OF_OUTCOME: usize = 32;

/// What one visit has to show before the next visit costs as much as that of a test that showed nothing.
const OUTCOME: u64 = 4;
const PATTERN: u64 = 2;
const CONTENDED: u64 = 8;
/// Worth of the first visit under RC11 alone, likewise.
const WEAK: u64 = CONTENDED;
/// Calls from which on a test is not small.
const MOST_CALLS: usize = 5;
/// Worths are whole numbers, so that they are the same everywhere.
const SCALE: u64 = 1 << 24;

/// A test with its exploration.
#[derive(Debug)]
pub(super) struct Paused {
    /// Number of the test.
    pub number: u64,
    pub prepared: Box<PreparedTest>,
    pub exploration: Exploration,
    /// Seed of its strategies.
    pub seed: u64,
    /// Executions of the next visit.
    pub quota: u64,
    /// Executions that looked like a bug and did not do so again.
    pub unsettled: u32,
    /// The last visit showed a bug that had been reported.
    pub showed_known: bool,
    /// Some visit showed a bug that is allowed.
    pub showed_allowed: bool,
    /// It was paused in an earlier run: its serial orders have not been run in this one, and what its visits there
    /// executed has to be executed once more.
    pub is_taken_up: bool,
    /// Addresses of memory matter for what its calls return.
    pub by_address: bool,
    before: Shown,
    gain: u64,
}

/// What an exploration has shown so far.
#[derive(Clone, Copy, Debug, Default)]
struct Shown {
    outcomes: u64,
    patterns: u64,
    contended: bool,
    weak: bool,
}

impl Shown {
    fn of(exploration: &Exploration) -> Self {
        Self {
            outcomes: exploration.outcomes(),
            patterns: exploration.new_patterns(),
            contended: exploration.sees_contended(),
            weak: exploration.explorer().is_left_to_weak(),
        }
    }
}

impl Paused {
    /// Before its first visit.
    pub(super) fn new(
        number: u64,
        seed: u64,
        prepared: Box<PreparedTest>,
        exploration: Exploration,
    ) -> Self {
        Self {
            number,
            prepared,
            exploration,
            seed,
            quota: FIRST_VISIT,
            unsettled: 0,
            showed_known: false,
            showed_allowed: false,
            is_taken_up: false,
            by_address: false,
            before: Shown::default(),
            gain: 0,
        }
    }

    /// A test that was paused in an earlier run before a visit of `quota` executions.
    pub(super) fn taken_up(self, quota: u64) -> Self {
        Self {
            quota,
            is_taken_up: true,
            ..self
        }
    }

    /// Executions of this visit. Those of earlier visits are fewer than the quota, which doubles from visit to visit.
    pub(super) fn executions(&self) -> u64 {
        if self.is_taken_up {
            self.quota.saturating_mul(2)
        } else {
            self.quota
        }
    }

    /// Why it may not be said that every interleaving of the test was run and judged.
    pub(super) fn gaps(&self) -> Gaps {
        let mut gaps = self.exploration.gaps();
        if !self.prepared.outcomes.complete {
            gaps.add(Gap::SerialOrders);
        }
        if self.by_address {
            gaps.add(Gap::Addresses);
        }
        if self.unsettled > 0 {
            gaps.add(Gap::Unsettled(String::new()));
        }
        gaps
    }

    /// True if only executions under RC11 are left.
    pub(super) fn is_whole(&self) -> bool {
        self.exploration.is_explored() && self.gaps().is_empty()
    }

    /// Takes stock after a visit.
    fn take_stock(&mut self) {
        let now = Shown::of(&self.exploration);
        let before = std::mem::replace(&mut self.before, now);
        // What a known bug does in other ways is of no use.
        self.gain = if std::mem::take(&mut self.showed_known) {
            0
        } else {
            OUTCOME * now.outcomes.saturating_sub(before.outcomes)
                + PATTERN * now.patterns.saturating_sub(before.patterns)
                + CONTENDED * u64::from(now.contended && !before.contended)
                + WEAK * u64::from(now.weak && !before.weak)
        };
        self.quota = self.quota.saturating_mul(2);
    }

    /// What the next visit promises for what it costs.
    fn worth(&self) -> u64 {
        let rest = self.exploration.rest().map_or(u64::MAX, |rest| rest as u64);
        let executions = self.executions().min(rest).max(1);
        let cost = executions.saturating_mul(EXECUTION_COST + self.exploration.longest() as u64);
        let worth = (1 + self.gain) * smallness(&self.prepared.shape);
        worth.saturating_mul(SCALE) / cost.max(1)
    }

    /// About how many bytes it takes.
    fn size(&self) -> usize {
        BYTES
            + BYTES_OF_RUN * self.prepared.outcomes.runs.len()
            + BYTES_OF_EVENT * self.exploration.longest()
            + BYTES_OF_OUTCOME * self.exploration.outcomes() as usize
    }
}

/// Most bugs show in the smallest tests, there are few of those, and larger ones have the same calls among others: each
/// call fewer is worth a visit more, and a visit has twice as many executions as the one before.
fn smallness(shape: &TestShape) -> u64 {
    let calls = shape.prefix + shape.lanes.iter().sum::<usize>();
    1 << MOST_CALLS.saturating_sub(calls)
}

/// The paused tests of one subject, by worth; of equals, the one with the lowest number is first.
#[derive(Debug)]
pub(super) struct Pool {
    waiting: BTreeMap<(u64, Reverse<u64>), (usize, Paused)>,
    bytes: usize,
    most_tests: usize,
    most_bytes: usize,
}

impl Default for Pool {
    fn default() -> Self {
        Self::within(MOST_TESTS, MOST_BYTES)
    }
}

impl Pool {
    /// For so many tests, which may take so many bytes.
    fn within(most_tests: usize, most_bytes: usize) -> Self {
        Self {
            waiting: BTreeMap::new(),
            bytes: 0,
            most_tests,
            most_bytes,
        }
    }

    /// Takes a test after a visit. Returns those that there is no room for: the ones that are worth least.
    pub(super) fn put(&mut self, mut paused: Paused) -> Vec<Paused> {
        if !paused.is_taken_up {
            paused.take_stock();
        }
        let size = paused.size();
        self.bytes += size;
        let key = (paused.worth(), Reverse(paused.number));
        self.waiting.insert(key, (size, paused));
        let mut out = Vec::new();
        while self.waiting.len() > self.most_tests || self.bytes > self.most_bytes {
            let Some((_, (size, paused))) = self.waiting.pop_first() else {
                break;
            };
            self.bytes -= size;
            out.push(paused);
        }
        out
    }

    /// The test that is worth most.
    pub(super) fn take_best(&mut self) -> Option<Paused> {
        let (_, (size, paused)) = self.waiting.pop_last()?;
        self.bytes -= size;
        Some(paused)
    }

    /// The tests, those that are worth most first.
    pub(super) fn by_worth(&self) -> impl Iterator<Item = &Paused> {
        self.waiting.values().rev().map(|(_, paused)| paused)
    }

    /// Number of tests.
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// True if no test waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_data::subject::Subject;
    use contest_data::test::{ConcurrentTest, RunnableTest};
    use contest_search::explore::Explorer;

    static SUBJECT: Subject = Subject {
        name: "Nothing",
        path: "Nothing",
        constructors: &[],
        operations: &[],
        state: None,
    };

    /// A test that was visited so often without showing anything.
    fn paused(number: u64, visits: u32) -> Paused {
        let test = RunnableTest {
            subject: &SUBJECT,
            test: ConcurrentTest {
                subject: 0,
                objects: Vec::new(),
                prefix: Vec::new(),
                threads: Vec::new(),
            },
            observers: Vec::new(),
            drops: false,
            state: None,
        };
        let explorer = Explorer::in_turns("auto", 1, 10, &std::sync::Arc::default()).unwrap();
        let prepared = Box::new(PreparedTest::unprepared(test));
        let mut paused = Paused::new(number, 1, prepared, Exploration::new(explorer));
        (1..visits).for_each(|_| paused.take_stock());
        paused
    }

    #[test]
    fn what_had_fewer_visits_goes_on_first_and_of_equals_what_came_first() {
        let mut pool = Pool::default();
        for (number, visits) in [(0, 3), (1, 1), (2, 2), (3, 1)] {
            assert!(pool.put(paused(number, visits)).is_empty());
        }
        let order = std::iter::from_fn(|| pool.take_best()).map(|paused| paused.number);
        assert_eq!(order.collect::<Vec<_>>(), [1, 3, 2, 0]);
        assert_eq!(pool.bytes, 0);
    }

    #[test]
    fn a_call_fewer_is_worth_a_visit_more() {
        let mut pool = Pool::default();
        for (number, visits, lanes, prefix) in [
            (0, 2, vec![2, 2], 1),
            (1, 4, vec![1, 1], 0),
            (2, 4, vec![1, 1], 2),
            (3, 3, vec![1, 2], 0),
            (4, 4, vec![1, 2], 0),
        ] {
            let mut paused = paused(number, visits);
            paused.prepared.shape.lanes = lanes;
            paused.prepared.shape.prefix = prefix;
            assert!(pool.put(paused).is_empty());
        }
        let order = std::iter::from_fn(|| pool.take_best()).map(|paused| paused.number);
        assert_eq!(order.collect::<Vec<_>>(), [1, 3, 0, 4, 2]);
    }

    #[test]
    fn what_finds_no_room_comes_back() {
        let numbers = |all: Vec<Paused>| all.iter().map(|it| it.number).collect::<Vec<_>>();
        let mut pool = Pool::within(2, MOST_BYTES);
        let out = [(0, 1), (1, 4), (2, 2), (3, 6)].map(|(number, visits)| {
            let out = pool.put(paused(number, visits));
            numbers(out)
        });
        assert_eq!(out, [vec![], vec![], vec![1], vec![3]]);
        assert_eq!(pool.len(), 2);
        let mut small = Pool::within(100, 3 * paused(0, 1).size());
        for number in 0..3 {
            assert!(small.put(paused(number, 1)).is_empty());
        }
        assert_eq!(numbers(small.put(paused(3, 1))), [3]);
    }
}
