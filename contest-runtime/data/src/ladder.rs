//! The ladder of shapes: sets of tests that are enumerated whole, smallest first, and what became of each.

use std::fmt;

use crate::circumstances::{DRAWS, under};
use crate::gap::{Gap, Gaps};

/// The shape that all tests of a rung have in common. No test has two shapes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rung {
    /// Calls of each thread, in ascending order.
    pub lanes: Vec<u8>,
    /// Calls before the threads start.
    pub prefix: u8,
    /// How many alternatives of arguments and constructors are used, see [`Breadth`].
    pub breadth: Breadth,
    /// Tests with two objects although no call takes a second one. In all other rungs a test has two objects exactly if
    /// one of its calls takes another object as argument.
    pub two_objects: bool,
    /// Calls whose future is cancelled, or polled without having been woken; see
    /// [`FutureUse`](crate::subject::FutureUse).
    #[cfg_attr(feature = "serde", serde(default))]
    pub disturbed: u8,
}

/// How many alternatives of arguments and constructors the tests of a rung use. The alternatives of a lower number are
/// among those of a higher one; the tests of a rung are those that need this number and no lower one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Breadth(pub u8);

impl Breadth {
    /// The smallest breadth that has the first `values` alternatives of each argument, and all constructors if
    /// `constructors`.
    #[must_use]
    pub fn needed(values: u8, constructors: bool) -> Self {
        match (values, constructors) {
            (0 | 1, false) => Self(0),
            (2, false) => Self(1),
            (values, _) => Self(values.max(2)),
        }
    }

    /// Alternatives of each argument.
    #[must_use]
    pub fn values(self) -> u8 {
        match self.0 {
            0 => 1,
            1 => 2,
            more => more,
        }
    }

    /// All constructors, not the first one only.
    #[must_use]
    pub fn all_constructors(self) -> bool {
        self.0 >= 2
    }

    /// The next smaller one.
    #[must_use]
    pub fn inner(self) -> Option<Self> {
        self.0.checked_sub(1).map(Self)
    }
}

impl Rung {
    /// How large the shape is; smaller ones come first. Tests of 1 + 2 calls come before three threads, one call before
    /// the threads start comes before either, and three threads of which one has two calls before 2 + 3 calls.
    #[must_use]
    pub fn size(&self) -> u32 {
        let more = |count: u8| u32::from(count.saturating_sub(1));
        let calls: u32 = self.lanes.iter().map(|&calls| 2 * more(calls)).sum();
        let threads = 3 * (self.lanes.len() as u32).saturating_sub(2);
        let prefix = u32::from(self.prefix) * (u32::from(self.prefix) + 1) / 2;
        let breadth = 2 * u32::from(self.breadth.0);
        // Tests with one such call come next to those without, tests with two after most others.
        let disturbed = [0, 1, 5][usize::from(self.disturbed.min(2))];
        calls + threads + prefix + breadth + disturbed + if self.two_objects { 4 } else { 0 }
    }

    /// The same shape with the fewest alternatives.
    #[must_use]
    pub fn narrowed(&self) -> Self {
        Self {
            breadth: Breadth(0),
            ..self.clone()
        }
    }
}

/// As in the summary: `2 threads, 1 + 2 calls, after 1 call`.
impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} threads, ", self.lanes.len())?;
        let first = self.lanes.first().copied().unwrap_or(0);
        if self.lanes.iter().all(|&calls| calls == first) {
            write!(f, "{} each", calls(first))?;
        } else {
            let lanes: Vec<String> = self.lanes.iter().map(u8::to_string).collect();
            write!(f, "{} calls", lanes.join(" + "))?;
        }
        if self.prefix > 0 {
            write!(f, ", after {}", calls(self.prefix))?;
        }
        if self.breadth > Breadth(0) {
            write!(f, ", {} values an argument", self.breadth.values())?;
        }
        if self.breadth.all_constructors() {
            f.write_str(", all constructors")?;
        }
        if self.two_objects {
            f.write_str(", two objects")?;
        }
        match self.disturbed {
            0 => {}
            1 => f.write_str(", one future dropped or polled otherwise")?,
            more => write!(f, ", {more} futures dropped or polled otherwise")?,
        }
        Ok(())
    }
}

fn calls(count: u8) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} call{plural}")
}

/// The sum of a number for each test of a set, made from what the test does: equal for equal sets, and by all
/// likelihood for no others. Processes choose the tests of a campaign each by itself and run a share of them; should
/// their choices differ, one test would be run twice and another one by no process. Counts alone cannot show that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Checksum(pub u64);

impl Checksum {
    /// Adds a test.
    pub fn add(&mut self, test: u64) {
        self.0 = self.0.wrapping_add(test);
    }

    /// Takes a test out again.
    pub fn remove(&mut self, test: u64) {
        self.0 = self.0.wrapping_sub(test);
    }

    /// Adds the tests of another set.
    pub fn join(&mut self, tests: Self) {
        self.add(tests.0);
    }
}

/// What became of the tests of one rung.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RungTotals {
    /// The shape.
    pub rung: Rung,
    /// Tests of this shape, up to exchanged threads and exchanged equal objects.
    pub tests: u64,
    /// The number is exact. If not, it is an upper bound: some of the tests may be such as safe code cannot have.
    pub exact: bool,
    /// The enumeration has come to its end: every test that is not counted below was not chosen for another reason than
    /// that it was not yet its turn.
    pub enumerated: bool,
    /// Proved redundant: static analysis proved that no two of its calls in different threads disturb each other.
    pub redundant: u64,
    /// Of the tests that are not redundant and were made in the enumeration; see [`Checksum`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub checksum: Checksum,
    /// Tests that were begun, by whatever generator made them.
    pub begun: u64,
    /// Of these.
    #[cfg_attr(feature = "serde", serde(default))]
    pub checksum_begun: Checksum,
    /// Of these, tests of which every interleaving was explored and judged, with all memory accesses watched.
    pub complete: u64,
    /// Of the complete ones, those of which that holds under sequential consistency and may not hold under RC11.
    #[cfg_attr(feature = "serde", serde(default))]
    pub only_sc: u64,
    /// Of the complete ones, those that draw random numbers: of these it holds under [`DRAWS`] draws.
    #[cfg_attr(feature = "serde", serde(default))]
    pub drew: u64,
    /// Of the complete ones, those that read the clock: of these it holds where time passes only while all threads
    /// wait.
    #[cfg_attr(feature = "serde", serde(default))]
    pub read_clock: u64,
    /// Of the tests that were begun, those of which nothing is left that would be explored: what is missing all the
    /// same, and counts.
    pub partly: Vec<(Gaps, u64)>,
    /// Of these, tests that were cut, with the reasons and counts.
    pub cut: Vec<(String, u64)>,
    /// Of these, tests that were left out, with the reasons and counts.
    pub left_out: Vec<(String, u64)>,
}

impl RungTotals {
    /// Nothing of the rung is left, and nothing was cut, left out or unwatched: what may be stated of the whole rung.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_begun_once() && self.complete + self.redundant == self.tests
    }

    /// Every test was explored in every interleaving, though not everything was watched and judged.
    #[must_use]
    pub fn is_explored(&self) -> bool {
        self.is_begun_once() && self.explored() + self.redundant == self.tests
    }

    /// As many tests were begun as there are, or more, and some of them twice: by processes that chose different tests.
    #[must_use]
    pub fn has_repeated(&self) -> bool {
        let as_many = self.exact && self.enumerated && self.begun + self.redundant >= self.tests;
        as_many && self.checksum_begun != self.checksum
    }

    /// Every test was begun, and none of them twice.
    fn is_begun_once(&self) -> bool {
        let as_many = self.exact && self.enumerated && self.begun + self.redundant == self.tests;
        as_many && !self.has_repeated()
    }

    /// Tests that were run: those that were begun and not left out.
    #[must_use]
    pub fn run(&self) -> u64 {
        let left_out: u64 = self.left_out.iter().map(|(_, count)| count).sum();
        self.begun.saturating_sub(left_out)
    }

    /// Tests of which every interleaving was explored, watched and judged or not.
    #[must_use]
    pub fn explored(&self) -> u64 {
        let of_judging = |gaps: &Gaps| gaps.iter().all(Gap::is_of_judging);
        let partly = self.partly.iter().filter(|(gaps, _)| of_judging(gaps));
        self.complete + partly.map(|(_, count)| count).sum::<u64>()
    }

    /// Adds what another process did of the same rung. Each test runs in one process only.
    pub fn add(&mut self, more: &Self) {
        // Processes enumerate the same tests. One that began later has not come as far.
        self.tests = if self.exact == more.exact {
            self.tests.max(more.tests)
        } else if self.exact {
            self.tests
        } else {
            more.tests
        };
        self.exact |= more.exact;
        if more.enumerated {
            self.checksum = more.checksum;
        }
        self.enumerated |= more.enumerated;
        self.redundant = self.redundant.max(more.redundant);
        self.begun += more.begun;
        self.checksum_begun.join(more.checksum_begun);
        self.complete += more.complete;
        self.only_sc += more.only_sc;
        self.drew += more.drew;
        self.read_clock += more.read_clock;
        add_counts(&mut self.partly, &more.partly);
        add_counts(&mut self.cut, &more.cut);
        add_counts(&mut self.left_out, &more.left_out);
    }
}

/// The sentence that a user can quote of one rung of a type's ladder; `None` if it is not true, if no test of the rung
/// was run, or if a rung of the same shape with fewer alternatives is not complete either: the sentence includes the
/// tests of those.
#[must_use]
pub fn statement(
    ladder: &[RungTotals],
    number: usize,
    subject: &str,
    operations: u64,
) -> Option<String> {
    let RungTotals { rung, complete, .. } = ladder.get(number)?;
    if *complete == 0 {
        return None;
    }
    let (mut tests, mut redundant, mut only_sc, mut drew, mut read_clock) = (0, 0, 0, 0, 0);
    for other in ladder {
        let same_shape = other.rung.narrowed() == rung.narrowed();
        if same_shape && other.rung.breadth <= rung.breadth {
            if !other.is_complete() {
                return None;
            }
            tests += other.tests;
            redundant += other.redundant;
            only_sc += other.only_sc;
            drew += other.drew;
            read_clock += other.read_clock;
        }
    }
    let values = match rung.breadth.values() {
        1 => "the first value of each argument".to_owned(),
        many => format!("the first {many} values of each argument"),
    };
    let constructors = if rung.breadth.all_constructors() {
        "every constructor"
    } else {
        "the first constructor"
    };
    let saved = match redundant {
        0 => String::new(),
        some => format!(
            "; {some} of these {tests} tests were not run: static analysis proved that their calls cannot disturb each other"
        ),
    };
    let has_futures = ladder.iter().any(|it| it.rung.disturbed > 0);
    let futures = match rung.disturbed {
        0 if has_futures => ", futures run to their end",
        _ => "",
    };
    let model = match only_sc {
        0 => "",
        _ => " under sequential consistency",
    };
    let under = under(if drew > 0 { DRAWS.into() } else { 0 }, read_clock > 0);
    Some(format!(
        "every test of {}{futures} over the {operations} operation{} of {subject}, {values} and {constructors}, in every interleaving{model}{under}{saved}",
        rung.narrowed(),
        if operations == 1 { "" } else { "s" },
    ))
}

fn add_counts<R: Clone + PartialEq>(sum: &mut Vec<(R, u64)>, more: &[(R, u64)]) {
    for (reason, count) in more {
        match sum.iter_mut().find(|(known, _)| known == reason) {
            Some((_, known)) => *known += count,
            None => sum.push((reason.clone(), *count)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checksum(tests: &[u64]) -> Checksum {
        let mut sum = Checksum::default();
        tests.iter().for_each(|&test| sum.add(test));
        sum
    }

    fn rung(lanes: &[u8], prefix: u8) -> Rung {
        Rung {
            lanes: lanes.to_vec(),
            prefix,
            ..Rung::default()
        }
    }

    #[test]
    fn a_rung_reads_like_what_it_is() {
        assert_eq!(rung(&[1, 1], 0).to_string(), "2 threads, 1 call each");
        let wide = Rung {
            breadth: Breadth(2),
            two_objects: true,
            ..rung(&[1, 2], 1)
        };
        assert_eq!(
            wide.to_string(),
            "2 threads, 1 + 2 calls, after 1 call, 2 values an argument, all constructors, two objects"
        );
    }

    #[test]
    fn breadths_grow_and_each_test_needs_one() {
        for breadth in (0..6).map(Breadth) {
            let (values, all) = (breadth.values(), breadth.all_constructors());
            assert_eq!(Breadth::needed(values, all), breadth);
            if let Some(inner) = breadth.inner() {
                assert!(inner.values() <= values && inner.all_constructors() <= all);
            }
        }
        assert_eq!(Breadth::needed(1, true), Breadth(2));
        assert_eq!(Breadth::needed(3, false), Breadth(3));
    }

    #[test]
    fn nothing_is_stated_of_a_rung_in_which_anything_was_cut_left_out_or_unwatched() {
        let whole = RungTotals {
            rung: rung(&[1, 1], 0),
            tests: 6,
            exact: true,
            enumerated: true,
            redundant: 2,
            begun: 4,
            complete: 4,
            ..RungTotals::default()
        };
        let text = statement(std::slice::from_ref(&whole), 0, "a::B", 3).unwrap();
        assert_eq!(
            text,
            "every test of 2 threads, 1 call each over the 3 operations of a::B, the first value of each argument and the first \
             constructor, in every interleaving; 2 of these 6 tests were not run: static analysis proved that their calls cannot \
             disturb each other"
        );
        let but = |change: &dyn Fn(&mut RungTotals)| {
            let mut totals = whole.clone();
            change(&mut totals);
            statement(&[totals], 0, "a::B", 3)
        };
        assert_eq!(but(&|it| it.enumerated = false), None);
        assert_eq!(but(&|it| it.exact = false), None);
        let one = || vec![("why".to_owned(), 1)];
        let partly = || vec![(Gaps::from(Gap::SerialOrders), 1)];
        let unwatched = but(&|it| (it.complete, it.partly) = (3, partly()));
        assert_eq!(unwatched, None);
        let weak = but(&|it| it.only_sc = 1).unwrap();
        assert!(weak.contains("in every interleaving under sequential consistency;"));
        let draws = but(&|it| it.drew = 1).unwrap();
        assert!(draws.contains("in every interleaving, under 2 draws of random numbers;"));
        let clock = but(&|it| it.read_clock = 1).unwrap();
        assert!(
            clock.contains("in every interleaving, where time passes only while all threads wait;")
        );
        assert_eq!(but(&|it| (it.complete, it.cut) = (3, one())), None);
        assert_eq!(but(&|it| (it.complete, it.left_out) = (3, one())), None);
        let none_was_run =
            but(&|it| (it.tests, it.redundant, it.begun, it.complete) = (0, 0, 0, 0));
        assert_eq!(none_was_run, None);
        let all_redundant = but(&|it| (it.redundant, it.begun, it.complete) = (6, 0, 0));
        assert_eq!(all_redundant, None);
        let lost_with_its_process = but(&|it| it.complete = 3);
        assert_eq!(lost_with_its_process, None);
        let twice_by_two_processes = but(&|it| it.begun = 5);
        assert_eq!(twice_by_two_processes, None);
        let one_twice_and_one_not = but(&|it| it.checksum_begun.add(7));
        assert_eq!(one_twice_and_one_not, None);
    }

    #[test]
    fn more_values_include_fewer() {
        let complete = |breadth, cut: u64| RungTotals {
            rung: Rung {
                breadth: Breadth(breadth),
                ..rung(&[1, 2], 0)
            },
            tests: 3,
            exact: true,
            enumerated: true,
            begun: 3,
            complete: 3 - cut,
            ..RungTotals::default()
        };
        let ladder = [complete(0, 0), complete(1, 0)];
        let text = statement(&ladder, 1, "a::B", 1).unwrap();
        assert!(
            text.contains("1 + 2 calls over the 1 operation of a::B, the first 2 values"),
            "{text}"
        );
        let ladder = [complete(0, 1), complete(1, 0)];
        assert_eq!(statement(&ladder, 1, "a::B", 1), None);
    }

    #[test]
    fn processes_share_the_tests_of_a_rung() {
        // The process that has not enumerated the rung knows three of its four tests.
        let part = |begun: &[u64], enumerated| RungTotals {
            rung: rung(&[1, 1], 0),
            tests: 6,
            exact: true,
            enumerated,
            redundant: 2,
            checksum: checksum(if enumerated {
                &[3, 5, 7, 9]
            } else {
                &[3, 5, 7]
            }),
            begun: begun.len() as u64,
            checksum_begun: checksum(begun),
            complete: begun.len() as u64,
            ..RungTotals::default()
        };
        let sum = |parts: [RungTotals; 2]| {
            let [mut sum, more] = parts;
            assert!(!sum.is_complete());
            sum.add(&more);
            sum.is_complete()
        };
        assert!(sum([part(&[3, 9, 5], true), part(&[7], false)]));
        assert!(sum([part(&[7], false), part(&[3, 9, 5], true)]));
        assert!(!sum([part(&[3, 9, 5], true), part(&[5], false)]));
    }
}
