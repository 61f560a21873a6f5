//! A run that was killed: what its driver had begun after its last report, by the driver's black box.

use std::collections::HashMap;

use contest_data::protocol::black_box::{BlackBox, BlackBoxContents, Phase};
use contest_data::totals::{NOT_FINISHED, PausedTest, PausedTests, SubjectTotals};

use super::kept::{Kept, KeptLane, Part};
use super::streams::{is_in, without};

/// Why tests are cut that ended in a killed run after its last report, in which way is not known.
const KILLED: &str = "the run was killed";
/// Executions of the next visit to a test of whose visits nothing is known.
const FIRST_VISITS: u64 = 12;

/// Takes the lanes of a killed run out of the state; false if there were none. Tests that began after the last report
/// count as begun if no finding can be among them that was not received; else they are run again. Those of them that
/// were not over are gone on with, as is the one that was running.
pub(super) fn recover(kept: &mut Kept) -> bool {
    let lanes = std::mem::take(&mut kept.lanes);
    for lane in &lanes {
        let contents = BlackBox::read(&lane.black_box).ok();
        let contents = contents.filter(|contents| contents.findings <= lane.received);
        if let Some(contents) = &contents {
            take_unreported(kept, lane, contents);
        }
        let running = match &contents {
            Some(contents) if matches!(contents.phase, Phase::Idle | Phase::Generating) => continue,
            Some(contents) => contents.test_number,
            None => lane.test,
        };
        run_again(kept, lane, running);
    }
    !lanes.is_empty()
}

fn take_unreported(kept: &mut Kept, lane: &KeptLane, contents: &BlackBoxContents) {
    let over: HashMap<u64, bool> = contents.over.iter().copied().collect();
    let subjects = lane.subjects.len() as u64;
    for (turn, name) in (0_u16..).zip(&lane.subjects) {
        let begun = contents.begun.get(usize::from(turn)).copied().unwrap_or(0);
        let Some(part) = part_of(kept, lane, turn, name) else {
            continue;
        };
        let number = |place: u64| place * subjects + u64::from(turn);
        let from = part.begun;
        part.begun = from.max(begun);
        // Reported as paused and over since then.
        for of_rung in &mut part.paused {
            of_rung
                .tests
                .retain(|test| !over.contains_key(&number(test.place)));
        }
        let (ended, not_over): (Vec<u64>, Vec<u64>) = (from..begun)
            .filter(|place| is_in(lane.shard, turn, *place))
            .partition(|place| over.contains_key(&number(*place)));
        if !not_over.is_empty() {
            let tests = not_over.iter().map(|place| anew(*place));
            part.paused.push(PausedTests {
                turn,
                rung: None,
                tests: tests.collect(),
            });
        }
        let exhausted = ended.iter().filter(|place| over[&number(**place)]).count() as u64;
        let ended = ended.len() as u64;
        if let Some(subject) = kept.subject(name) {
            let totals = &mut subject.totals;
            totals.tests += ended;
            totals.exhausted += exhausted;
            add_cut(totals, ended - exhausted);
        }
    }
}

fn add_cut(totals: &mut SubjectTotals, more: u64) {
    match totals.cut.iter_mut().find(|(why, _)| why == KILLED) {
        Some((_, count)) => *count += more,
        None if more > 0 => totals.cut.push((KILLED.to_owned(), more)),
        None => {}
    }
}

/// A test of which only its place is known.
fn anew(place: u64) -> PausedTest {
    PausedTest {
        place,
        executions: FIRST_VISITS,
        checksum: 0,
    }
}

fn run_again(kept: &mut Kept, lane: &KeptLane, number: u64) {
    let subjects = lane.subjects.len() as u64;
    let (Some(turn), Some(place)) = (
        number
            .checked_rem(subjects)
            .and_then(|it| u16::try_from(it).ok()),
        number.checked_div(subjects),
    ) else {
        return;
    };
    let Some(name) = lane.subjects.get(usize::from(turn)) else {
        return;
    };
    let Some(part) = part_of(kept, lane, turn, name) else {
        return;
    };
    let mut paused = part.paused.iter().flat_map(|it| &it.tests);
    if paused.any(|test| test.place == place) || place >= part.begun {
        return;
    }
    let again = PausedTests {
        turn,
        rung: None,
        tests: vec![anew(place)],
    };
    part.paused.push(again.clone());
    if let Some(subject) = kept.subject(name) {
        without(&mut subject.totals, &[again], NOT_FINISHED);
    }
}

/// The part of a type that a lane explored.
fn part_of<'a>(kept: &'a mut Kept, lane: &KeptLane, turn: u16, name: &str) -> Option<&'a mut Part> {
    let subject = kept.subject(name)?;
    let mut streams = subject.streams.iter_mut();
    let stream = streams.find(|stream| stream.key == lane.key)?;
    let mut parts = stream.parts.iter_mut();
    parts.find(|part| part.shard == lane.shard && part.turn == turn)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::state::kept::{KeptSubject, Stream};

    /// A run that was killed after its 41st test of the second type had begun.
    fn killed(black_box: &Path) -> Kept {
        let part = |turn: u16, begun: u64| Part {
            shard: (1, 1),
            turn,
            begun,
            paused: Vec::new(),
        };
        let subject = |name: &str, turn: u16, begun: u64| KeptSubject {
            name: name.to_owned(),
            streams: vec![Stream {
                key: "key".to_owned(),
                parts: vec![part(turn, begun)],
                ..Stream::default()
            }],
            ..KeptSubject::default()
        };
        Kept {
            subjects: vec![subject("A", 0, 12), subject("B", 1, 41)],
            lanes: vec![KeptLane {
                shard: (1, 1),
                key: "key".to_owned(),
                subjects: vec!["A".to_owned(), "B".to_owned()],
                test: 2 * 40 + 1,
                black_box: black_box.to_owned(),
                received: 0,
            }],
            ..Kept::new("package")
        }
    }

    fn part(kept: &Kept, subject: usize) -> &Part {
        &kept.subjects[subject].streams[0].parts[0]
    }

    #[test]
    fn without_its_black_box_the_last_reported_test_is_run_again() {
        let mut kept = killed(Path::new("/nowhere"));
        assert!(recover(&mut kept));
        assert_eq!((part(&kept, 0).begun, part(&kept, 1).begun), (12, 41));
        assert!(part(&kept, 0).paused.is_empty());
        assert_eq!(part(&kept, 1).paused[0].tests, [anew(40)]);
        assert!(!recover(&mut kept), "there is no lane any more");
    }

    #[test]
    fn what_the_black_box_counts_is_gone_past_unless_a_finding_was_lost() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("box");
        for (findings, expected, (exhausted, goes_on)) in
            [(0_u32, (15, 41), (1, 2)), (1, (12, 41), (0, 0))]
        {
            std::fs::write(&path, black_box([15, 41], findings, 2 * 14)).unwrap();
            let mut kept = killed(&path);
            recover(&mut kept);
            assert_eq!((part(&kept, 0).begun, part(&kept, 1).begun), expected);
            let totals = &kept.subjects[0].totals;
            assert_eq!((totals.tests, totals.exhausted), (exhausted, exhausted));
            let paused = part(&kept, 0).paused.iter().map(|it| it.tests.len());
            assert_eq!(paused.sum::<usize>(), goes_on);
        }
    }

    /// As a driver would have written it.
    fn black_box(begun: [u64; 2], findings: u32, test: u64) -> Vec<u8> {
        use contest_data::protocol::black_box::{EXHAUSTED_BIT, LAYOUT, Layout, MAGIC, SIZE};
        use std::mem::offset_of;
        let mut bytes = vec![0; SIZE];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(offset_of!(Layout, magic), &MAGIC.to_ne_bytes());
        put(offset_of!(Layout, layout), &LAYOUT.to_ne_bytes());
        put(
            offset_of!(Layout, phase),
            &(Phase::Exploring as u32).to_ne_bytes(),
        );
        put(offset_of!(Layout, findings), &findings.to_ne_bytes());
        put(offset_of!(Layout, test_number), &test.to_ne_bytes());
        // The 13th test of the first type is over.
        put(
            offset_of!(Layout, over),
            &((2_u64 * 12 + 1) | EXHAUSTED_BIT).to_ne_bytes(),
        );
        for (place, begun) in begun.iter().enumerate() {
            put(offset_of!(Layout, begun) + 8 * place, &begun.to_ne_bytes());
        }
        bytes
    }
}
