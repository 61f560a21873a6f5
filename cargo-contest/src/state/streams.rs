//! Where the lanes of a run begin in the streams of earlier runs.

use contest_data::totals::{PausedTest, PausedTests, SubjectTotals};

use super::kept::{Part, Stream};

/// True if the test in this place of its type's stream belongs to the part. As the driver divides them.
pub(super) fn is_in(shard: (u32, u32), turn: u16, place: u64) -> bool {
    let (part, parts) = shard;
    (place + u64::from(turn)) % u64::from(parts.max(1)) == u64::from(part.saturating_sub(1))
}

impl Stream {
    /// How many tests a lane need not begin: what the same part has begun, else what all parts of a division have.
    pub(super) fn begun(&self, shard: (u32, u32), turn: u16) -> u64 {
        let is_same = |part: &&Part| part.shard == shard && (part.turn == turn || shard.1 <= 1);
        if let Some(same) = self.parts.iter().find(is_same) {
            return same.begun;
        }
        let all = self.parts.iter();
        let complete = all.map(|one| {
            let (_, parts) = one.shard;
            let of_division = |part: &&Part| part.shard.1 == parts && part.turn == one.turn;
            let division: Vec<&Part> = self.parts.iter().filter(of_division).collect();
            if division.len() as u64 == u64::from(parts) {
                division.iter().map(|part| part.begun).min().unwrap_or(0)
            } else {
                0
            }
        });
        complete.max().unwrap_or(0)
    }

    /// The paused tests that lie in one of these parts, and thus are gone on with.
    pub(super) fn take_paused(&mut self, shards: &[(u32, u32)], turn: u16) -> Vec<PausedTests> {
        let mut taken: Vec<PausedTests> = Vec::new();
        for of_rung in self.parts.iter_mut().flat_map(|part| &mut part.paused) {
            let is_ours =
                |test: &PausedTest| shards.iter().any(|shard| is_in(*shard, turn, test.place));
            let tests: Vec<PausedTest> =
                of_rung.tests.extract_if(.., |test| is_ours(test)).collect();
            if !tests.is_empty() {
                let rung = of_rung.rung.clone();
                taken.push(PausedTests { turn, rung, tests });
            }
        }
        for part in &mut self.parts {
            part.paused.retain(|of_rung| !of_rung.tests.is_empty());
        }
        taken
    }

    /// Forgets the parts that those of a run replace: all of another division, if the run has all tests.
    pub(super) fn replace(&mut self, shards: &[(u32, u32)]) {
        let has_all = shards.len() as u64 == shards.first().map_or(0, |shard| u64::from(shard.1));
        let is_replaced = |part: &Part| has_all || shards.contains(&part.shard);
        self.parts.retain(|part| !is_replaced(part));
    }
}

/// Takes paused tests out of the counts: they are gone on with, and counted where they end.
pub(super) fn without(totals: &mut SubjectTotals, paused: &[PausedTests], reason: &str) {
    for of_rung in paused {
        let count = of_rung.tests.len() as u64;
        totals.tests = totals.tests.saturating_sub(count);
        take_from(&mut totals.cut, reason, count);
        let mut ladder = totals.ladder.iter_mut();
        if let Some(rung) = ladder.find(|rung| Some(&rung.rung) == of_rung.rung.as_ref()) {
            rung.begun = rung.begun.saturating_sub(count);
            for test in &of_rung.tests {
                rung.checksum_begun.remove(test.checksum);
            }
            take_from(&mut rung.cut, reason, count);
        }
    }
}

fn take_from(counts: &mut Vec<(String, u64)>, reason: &str, count: u64) {
    if let Some((_, known)) = counts.iter_mut().find(|(known, _)| known == reason) {
        *known = known.saturating_sub(count);
    }
    counts.retain(|(_, count)| *count > 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use contest_data::ladder::{Checksum, Rung, RungTotals};

    fn part(shard: (u32, u32), begun: u64) -> Part {
        Part {
            shard,
            begun,
            ..Part::default()
        }
    }

    #[test]
    fn another_division_begins_where_all_parts_of_the_former_have_been() {
        let stream = Stream {
            parts: vec![part((1, 2), 40), part((2, 2), 31), part((1, 3), 90)],
            ..Stream::default()
        };
        assert_eq!(stream.begun((1, 2), 0), 40);
        assert_eq!(stream.begun((1, 1), 0), 31);
        assert_eq!(stream.begun((2, 4), 0), 31);
        assert_eq!(stream.begun((2, 2), 1), 31, "divided in another way");
        assert_eq!(Stream::default().begun((1, 1), 0), 0);
    }

    #[test]
    fn paused_tests_go_on_in_the_part_that_has_them() {
        let test = |(place, executions)| PausedTest {
            place,
            executions,
            checksum: 100 + place,
        };
        let paused = PausedTests {
            rung: Some(Rung::default()),
            tests: [(0, 12), (1, 24), (2, 12)].map(test).to_vec(),
            ..PausedTests::default()
        };
        let mut stream = Stream {
            parts: vec![Part {
                paused: vec![paused],
                ..part((1, 1), 3)
            }],
            ..Stream::default()
        };
        let taken = stream.take_paused(&[(1, 2)], 0);
        assert_eq!(taken[0].tests, [(0, 12), (2, 12)].map(test));
        assert_eq!(stream.parts[0].paused[0].tests, [(1, 24)].map(test));
        let mut checksum_begun = Checksum::default();
        (100..103).for_each(|test| checksum_begun.add(test));
        let rung = RungTotals {
            begun: 3,
            checksum_begun,
            ..RungTotals::default()
        };
        let mut totals = SubjectTotals {
            tests: 5,
            cut: vec![("time".to_owned(), 2)],
            ladder: vec![rung],
            ..SubjectTotals::default()
        };
        without(&mut totals, &taken, "time");
        assert_eq!((totals.tests, totals.cut.len()), (3, 0));
        let mut other = Checksum::default();
        other.add(101);
        assert_eq!(
            (totals.ladder[0].begun, totals.ladder[0].checksum_begun),
            (1, other)
        );
    }
}
