//! How a campaign grows while it runs, and how much is left of the smallest shape of tests that is not done.

use std::time::Duration;

use contest_data::ladder::{Rung, RungTotals};
use contest_data::totals::{NOT_FINISHED, Progress, SubjectTotals};

/// Most points that are kept; of more, every second is dropped.
const MOST_POINTS: usize = 240;
/// Shapes whose tests are followed.
const FOLLOWED: usize = 8;
/// The pace is that of this part of the time, at the end of it.
const RECENT: u32 = 4;
/// Least time that shows a pace.
const LEAST: Duration = Duration::from_secs(1);

/// Where a campaign stood, all types together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// Time since its beginning.
    pub elapsed: Duration,
    /// Executions so far.
    pub executions: u64,
    /// Access patterns that they have shown.
    pub patterns: u64,
    /// Pairs of operations that ran concurrently.
    pub pairs: u64,
    /// Tests that are left of the smallest shapes that are not done.
    left: Vec<(Rung, u64)>,
}

/// What is left of a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The shape.
    pub rung: Rung,
    /// Its tests, without those that are proved redundant.
    pub tests: u64,
    /// That number is exact, else it is a bound.
    pub exact: bool,
    /// Of these, tests that were not begun or whose exploration is paused.
    pub left: u64,
    /// How long they would take at the present pace; nothing if none was done lately.
    pub time: Option<Duration>,
}

/// How a campaign has grown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Growth {
    /// The first to the last.
    points: Vec<Point>,
    /// Least time between two points.
    between: Duration,
    /// The smallest shapes of each type, before any test was begun.
    smallest: Vec<Vec<RungTotals>>,
    /// Types as they are now.
    ladders: Vec<Vec<RungTotals>>,
    /// What earlier runs have done, type by type.
    before: Vec<SubjectTotals>,
    /// A part of the tests runs elsewhere: what is left of all of them is not known.
    is_part: bool,
}

impl Growth {
    /// Of a campaign that goes on after these runs. `is_part`: others run a part of its tests.
    #[must_use]
    pub fn after(before: Vec<SubjectTotals>, is_part: bool) -> Self {
        Self {
            before,
            is_part,
            ..Self::default()
        }
    }

    /// Adds where the campaign stands.
    pub fn add(&mut self, elapsed: Duration, progress: &Progress) {
        if self.smallest.is_empty() {
            self.smallest.clone_from(&progress.smallest);
        }
        let subjects = &progress.totals.subjects;
        self.ladders = subjects.iter().map(|it| self.ladder_of(it)).collect();
        let sum = |count: fn(&SubjectTotals) -> u64| subjects.iter().map(count).sum::<u64>();
        let point = Point {
            elapsed,
            executions: sum(|it| it.executions),
            patterns: sum(|it| it.coverage.covered),
            pairs: sum(|it| it.pairs.0),
            left: self.left_by_rung(),
        };
        match self.points.as_mut_slice() {
            // The last one is where it stands; it stays if the one before it is old enough.
            [.., earlier, last] if last.elapsed < earlier.elapsed + self.between => *last = point,
            _ => self.points.push(point),
        }
        if self.points.len() > MOST_POINTS {
            let mut number = 0;
            self.points.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            let all = self.points.last().map_or(Duration::ZERO, |it| it.elapsed);
            self.between = all / u32::try_from(self.points.len()).unwrap_or(1);
        }
    }

    /// What one type has, that of earlier runs included, and its smallest shapes of which nothing is begun.
    fn ladder_of(&self, subject: &SubjectTotals) -> Vec<RungTotals> {
        let mut ladder = subject.ladder.clone();
        let before = self.before.iter().find(|it| it.name == subject.name);
        let before = before.into_iter().flat_map(|it| &it.ladder);
        for earlier in before {
            match ladder.iter_mut().find(|it| it.rung == earlier.rung) {
                Some(rung) => rung.add(earlier),
                None => ladder.push(earlier.clone()),
            }
        }
        ladder
    }

    /// All shapes of a type, as far as they are known.
    fn shapes(&self, number: usize) -> impl Iterator<Item = &RungTotals> {
        let ladder = self.ladders.get(number).map_or(&[][..], Vec::as_slice);
        let smallest = self.smallest.get(number).into_iter().flatten();
        let begun = |rung: &Rung| ladder.iter().any(|it| it.rung == *rung);
        ladder
            .iter()
            .chain(smallest.filter(move |it| !begun(&it.rung)))
    }

    /// The smallest shapes of which tests are left, all types together.
    fn left_by_rung(&self) -> Vec<(Rung, u64)> {
        let mut all: Vec<(Rung, u64)> = Vec::new();
        for number in 0..self.ladders.len() {
            let left = self.shapes(number).map(|it| (&it.rung, left_of(it)));
            let mut left: Vec<(&Rung, u64)> = left.filter(|(_, left)| *left > 0).collect();
            left.sort_by_key(|(rung, _)| rung.size());
            // A shape of which all types have nothing smaller left is among these of each type.
            for (rung, left) in left.into_iter().take(FOLLOWED) {
                match all.iter_mut().find(|(known, _)| known == rung) {
                    None => all.push((rung.clone(), left)),
                    Some((_, sum)) => *sum = sum.saturating_add(left),
                }
            }
        }
        all.sort_by_key(|(rung, _)| rung.size());
        all.truncate(FOLLOWED);
        all
    }

    /// What is left of the smallest shape that is not done.
    #[must_use]
    pub fn left(&self) -> Option<Left> {
        if self.is_part {
            return None;
        }
        let (rung, left) = self.points.last()?.left.first()?.clone();
        let all = (0..self.ladders.len()).flat_map(|number| self.shapes(number));
        let of_rung = all.filter(|it| it.rung == rung);
        let (mut tests, mut exact) = (0_u64, true);
        for totals in of_rung {
            tests = tests.saturating_add(totals.tests.saturating_sub(totals.redundant));
            exact &= totals.exact;
        }
        Some(Left {
            time: self.time_for(&rung, left),
            rung,
            tests,
            exact,
            left,
        })
    }

    fn time_for(&self, rung: &Rung, left: u64) -> Option<Duration> {
        let now = self.points.last()?.elapsed;
        let recent = (now / RECENT).max(LEAST);
        let mut points = self.points.iter().rev();
        let then = points.find(|it| now.saturating_sub(it.elapsed) >= recent)?;
        let before = then.left.iter().find(|it| it.0 == *rung)?.1;
        let done = before.checked_sub(left).filter(|done| *done > 0)?;
        let pace = now.saturating_sub(then.elapsed).as_secs_f64() / done as f64;
        Duration::try_from_secs_f64(pace * left as f64).ok()
    }

    /// The smallest shapes before any test was begun, all types together: the shape, its tests, whether that is exact.
    #[must_use]
    pub fn ahead(smallest: &[Vec<RungTotals>]) -> Vec<(Rung, u64, bool)> {
        let mut all: Vec<(Rung, u64, bool)> = Vec::new();
        for totals in smallest.iter().flatten() {
            match all.iter_mut().find(|it| it.0 == totals.rung) {
                None => all.push((totals.rung.clone(), totals.tests, totals.exact)),
                Some((_, tests, exact)) => {
                    *tests = tests.saturating_add(totals.tests);
                    *exact &= totals.exact;
                }
            }
        }
        all.sort_by_key(|it| it.0.size());
        all
    }

    /// From the beginning to where it stands.
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.points
    }
}

/// Tests that were not begun, and those whose exploration is paused.
fn left_of(totals: &RungTotals) -> u64 {
    let paused = totals.cut.iter().find(|(reason, _)| reason == NOT_FINISHED);
    let paused = paused.map_or(0, |(_, tests)| *tests);
    if totals.enumerated {
        return paused;
    }
    let passed = totals.redundant.saturating_add(totals.begun);
    totals.tests.saturating_sub(passed).saturating_add(paused)
}

#[cfg(test)]
mod tests {
    use contest_data::totals::Totals;

    use super::*;

    fn rung(lanes: &[u8], tests: u64, begun: u64, paused: u64) -> RungTotals {
        RungTotals {
            rung: Rung {
                lanes: lanes.to_vec(),
                ..Rung::default()
            },
            tests,
            exact: true,
            begun,
            cut: vec![(NOT_FINISHED.to_owned(), paused)],
            ..RungTotals::default()
        }
    }

    fn progress(ladder: Vec<RungTotals>) -> Progress {
        let subject = SubjectTotals {
            name: "a::B".to_owned(),
            pairs: (2, 3),
            ladder,
            ..SubjectTotals::default()
        };
        Progress {
            totals: Totals {
                subjects: vec![subject],
                elapsed_ms: 0,
            },
            ..Progress::default()
        }
    }

    fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn what_is_left_takes_as_long_as_the_last_tests_did() {
        let mut growth = Growth::default();
        growth.add(seconds(0), &progress(vec![rung(&[1, 1], 100, 0, 0)]));
        let left = growth.left().unwrap();
        assert_eq!((left.left, left.time), (100, None), "no pace is known");
        // The first half is done in two seconds, then ten tests in eight.
        growth.add(seconds(2), &progress(vec![rung(&[1, 1], 100, 50, 0)]));
        growth.add(seconds(10), &progress(vec![rung(&[1, 1], 100, 65, 5)]));
        let left = growth.left().unwrap();
        assert_eq!((left.tests, left.left), (100, 40));
        assert_eq!(left.time, Some(seconds(32)));
        growth.add(seconds(20), &progress(vec![rung(&[1, 1], 100, 65, 5)]));
        assert_eq!(growth.left().unwrap().time, None, "none was done lately");
    }

    #[test]
    fn the_smallest_shape_that_is_not_done_is_the_one_that_counts() {
        let mut growth = Growth::default();
        let mut done = rung(&[1, 1], 6, 4, 0);
        done.redundant = 2;
        let first = Progress {
            smallest: vec![vec![rung(&[1, 1], 6, 0, 0), rung(&[1, 2], 9, 0, 0)]],
            ..progress(Vec::new())
        };
        growth.add(seconds(0), &first);
        assert_eq!(growth.left().unwrap().left, 6);
        growth.add(seconds(1), &progress(vec![done]));
        let left = growth.left().unwrap();
        assert_eq!((left.rung.lanes, left.left), (vec![1, 2], 9));
    }

    #[test]
    fn earlier_runs_count_and_of_a_part_nothing_is_said() {
        let earlier = progress(vec![rung(&[1, 1], 6, 5, 0)]).totals.subjects;
        let mut growth = Growth::after(earlier.clone(), false);
        growth.add(seconds(0), &progress(vec![rung(&[1, 1], 6, 0, 0)]));
        assert_eq!(growth.left().unwrap().left, 1);
        let mut part = Growth::after(earlier, true);
        part.add(seconds(0), &progress(vec![rung(&[1, 1], 6, 0, 0)]));
        assert_eq!(part.left(), None);
    }

    #[test]
    fn a_long_campaign_keeps_few_points_and_the_last() {
        let mut growth = Growth::default();
        for ms in 0..20_000 {
            growth.add(Duration::from_millis(10 * ms), &progress(Vec::new()));
        }
        assert!(growth.points().len() <= MOST_POINTS);
        assert!(growth.points().len() > MOST_POINTS / 4);
        let last = growth.points().last().unwrap();
        assert_eq!(last.elapsed, Duration::from_millis(199_990));
        assert_eq!(last.pairs, 2);
    }
}
