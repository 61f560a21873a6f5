//! What became of the tests of each rung, whichever generator made them.

use crate::generate::{RungState, TestSource};
use contest_data::gap::Gaps;
use contest_data::ladder::{Checksum, RungTotals};
use contest_data::sorted::SortedMap;
use contest_data::test::ConcurrentTest;
use contest_data::totals::{NOT_FINISHED, Reasons};

/// Shapes that are announced before the first test.
const ANNOUNCED: usize = 6;

/// The smallest shapes of the source's ladder, of which nothing is begun.
pub(super) fn smallest(source: &TestSource) -> Vec<RungTotals> {
    let ladder = source.ladder().into_iter();
    let steps = ladder.flat_map(|ladder| ladder.steps().iter().take(ANNOUNCED));
    let of_step = |step: &RungState| RungTotals {
        rung: (*step.rung).clone(),
        tests: step.tests,
        exact: step.exact,
        ..RungTotals::default()
    };
    steps.map(of_step).collect()
}

/// What became of a test that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Every interleaving was explored, watched and judged.
    Complete {
        /// Another memory model may show more.
        only_sc: bool,
        /// Random numbers were drawn.
        drew: bool,
        /// The clock was read.
        read_clock: bool,
    },
    /// Nothing is left that would be explored, and all the same not every interleaving was explored, watched and
    /// judged: why.
    Partly(Gaps),
    /// Not every interleaving was explored: why.
    Cut(String),
    /// It was not run, or its executions show nothing: why.
    LeftOut(String),
}

/// Counts by rung. Each test begins once and ends once; of one whose process dies the end is missing.
#[derive(Debug, Default)]
pub(super) struct RungCounts {
    rungs: SortedMap<usize, Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    begun: u64,
    checksum: Checksum,
    ended: u64,
    complete: u64,
    only_sc: u64,
    drew: u64,
    read_clock: u64,
    partly: SortedMap<Gaps, u64>,
    cut: Reasons,
    left_out: Reasons,
}

impl RungCounts {
    /// Counts a test that is begun or left out, if it has a shape of the source's ladder.
    pub(super) fn begin(&mut self, source: &TestSource, test: &ConcurrentTest) {
        let Some(part) = source.ladder().map(|it| it.part_of_checksum(test)) else {
            return;
        };
        if let Some(counts) = self.of(source, test) {
            counts.begun += 1;
            counts.checksum.add(part);
        }
    }

    /// Counts what became of it.
    pub(super) fn end(&mut self, source: &TestSource, test: &ConcurrentTest, fate: Fate) {
        let Some(counts) = self.of(source, test) else {
            return;
        };
        counts.ended += 1;
        match fate {
            Fate::Complete {
                only_sc,
                drew,
                read_clock,
            } => {
                counts.complete += 1;
                counts.drew += u64::from(drew);
                counts.read_clock += u64::from(read_clock);
                counts.only_sc += u64::from(only_sc);
            }
            Fate::Partly(gaps) => *counts.partly.get_or_default(gaps) += 1,
            Fate::Cut(reason) => counts.cut.add(&reason),
            Fate::LeftOut(reason) => counts.left_out.add(&reason),
        }
    }

    fn of(&mut self, source: &TestSource, test: &ConcurrentTest) -> Option<&mut Counts> {
        let rung = source.ladder()?.rung_of(test)?;
        Some(self.rungs.get_or_default(rung))
    }

    /// The rungs that were begun.
    pub(super) fn totals(&self, source: &TestSource) -> Vec<RungTotals> {
        let Some(ladder) = source.ladder() else {
            return Vec::new();
        };
        let none = Counts::default();
        let steps = ladder.steps().iter().enumerate();
        steps
            .filter(|(number, step)| step.begun() || self.rungs.contains_key(number))
            .map(|(number, step)| {
                let counts = self.rungs.get(&number).unwrap_or(&none);
                let mut cut = counts.cut.list();
                let paused = counts.begun - counts.ended;
                if paused > 0 {
                    cut.push((NOT_FINISHED.to_owned(), paused));
                }
                RungTotals {
                    rung: (*step.rung).clone(),
                    tests: step.tests,
                    exact: step.exact,
                    enumerated: step.enumerated,
                    redundant: step.redundant,
                    checksum: step.checksum,
                    begun: counts.begun,
                    checksum_begun: counts.checksum,
                    complete: counts.complete,
                    only_sc: counts.only_sc,
                    drew: counts.drew,
                    read_clock: counts.read_clock,
                    partly: counts.partly.clone().into_iter().collect(),
                    cut,
                    left_out: counts.left_out.list(),
                }
            })
            .collect()
    }
}
