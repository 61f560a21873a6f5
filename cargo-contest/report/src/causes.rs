//! Findings of one cause: their smallest interleavings meet at the same places, whatever their kinds.

use std::collections::BTreeMap;

use contest_data::finding::{Finding, FindingKind, Level};

use super::turning_points::places_of;
use meetings::Meeting;

mod meetings;

/// The causes of the findings so far.
#[derive(Clone, Debug, Default)]
pub struct Causes {
    /// The place in `found` of the cause of each meeting.
    meetings: BTreeMap<Meeting, usize>,
    found: Vec<FoundCause>,
}

/// A cause, and the findings that show it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundCause {
    /// Its number in this run, from 1.
    pub number: usize,
    /// Its findings, in the order in which they were found.
    pub findings: Vec<CauseFinding>,
}

/// A finding of a cause, in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CauseFinding {
    /// Its place in the list of all findings, from 0.
    pub place: usize,
    /// Its kind.
    pub kind: FindingKind,
    /// Whether it fails the run.
    pub level: Level,
    /// The type under test, or the test of the crate.
    pub subject: String,
    /// Where to look first.
    pub locations: Vec<String>,
    /// The calls of its threads: `a.push(1) | a.pop()`.
    pub calls: String,
}

impl Causes {
    /// The causes of these findings.
    #[must_use]
    pub fn of_all<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut causes = Self::default();
        for finding in findings {
            causes.of(finding);
        }
        causes
    }

    /// Number of the cause of one more finding: that of the first one which meets at one of its places, else a new one.
    pub(super) fn of(&mut self, finding: &Finding) -> usize {
        let mut meetings = meetings::exact(finding);
        meetings.extend(meetings::wider(finding));
        let known = meetings.iter().filter_map(|it| self.meetings.get(it)).min();
        let (known, index) = (known.is_some(), known.copied().unwrap_or(self.found.len()));
        for meeting in meetings {
            self.meetings.entry(meeting).or_insert(index);
        }
        let place = self.found.iter().map(|cause| cause.findings.len()).sum();
        if !known {
            self.found.push(FoundCause {
                number: index + 1,
                findings: Vec::new(),
            });
        }
        self.found[index]
            .findings
            .push(CauseFinding::of(finding, place));
        index + 1
    }

    /// All of them, those first whose findings are most definite.
    #[must_use]
    pub fn most_definite_first(&self) -> Vec<&FoundCause> {
        let mut all: Vec<&FoundCause> = self.found.iter().collect();
        all.sort_by_key(|cause| cause.first().map(CauseFinding::rank));
        all
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.found.len()
    }
}

impl FoundCause {
    /// Its most definite finding, of these the first one.
    #[must_use]
    pub fn first(&self) -> Option<&CauseFinding> {
        self.findings.iter().min_by_key(|it| it.rank())
    }

    /// Its other findings, by kind.
    #[must_use]
    pub fn others(&self) -> Vec<(FindingKind, Vec<&CauseFinding>)> {
        let first = self.first().map(|it| it.place);
        let mut kinds: Vec<(FindingKind, Vec<&CauseFinding>)> = Vec::new();
        for finding in self.findings.iter().filter(|it| Some(it.place) != first) {
            match kinds.iter_mut().find(|(kind, _)| *kind == finding.kind) {
                Some((_, of_kind)) => of_kind.push(finding),
                None => kinds.push((finding.kind, vec![finding])),
            }
        }
        kinds.sort_by_key(|(kind, _)| rank(*kind));
        kinds
    }
}

impl CauseFinding {
    fn of(finding: &Finding, place: usize) -> Self {
        let calls: Vec<String> = finding
            .threads
            .iter()
            .map(|calls| calls.join("; "))
            .collect();
        Self {
            place,
            kind: finding.kind,
            level: finding.level,
            subject: finding
                .own_test
                .clone()
                .unwrap_or_else(|| finding.subject.clone()),
            locations: places_of(finding),
            calls: calls.join(" | "),
        }
    }

    /// Errors before warnings, then as [`rank`].
    fn rank(&self) -> (bool, u8) {
        (self.level == Level::Warning, rank(self.kind))
    }
}

/// Rank of what is wrong by comparison only.
const BY_COMPARISON: u8 = 5;

/// Lower for what is wrong by itself, higher for what is wrong by comparison with other executions.
fn rank(kind: FindingKind) -> u8 {
    match kind {
        FindingKind::DataRace
        | FindingKind::UseAfterFree
        | FindingKind::DoubleFree
        | FindingKind::OutOfBounds
        | FindingKind::WrongThread => 0,
        FindingKind::Abort => 1,
        FindingKind::Deadlock | FindingKind::Livelock | FindingKind::LostWakeup => 2,
        FindingKind::Panic | FindingKind::Invariant => 3,
        FindingKind::Leak => 4,
        _ => BY_COMPARISON,
    }
}

/// True for what is wrong by itself, whatever other executions do.
pub(super) fn is_definite(kind: FindingKind) -> bool {
    rank(kind) < BY_COMPARISON
}

/// True if two findings meet at one of their places.
pub(super) fn meet(left: &Finding, right: &Finding) -> bool {
    !meetings::exact(left).is_disjoint(&meetings::exact(right))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use contest_data::finding::{InterleavingStep, StepEffect, StepFacts};

    use super::*;
    use crate::sample::{deadlock, step};

    fn lost_update(check: &str, act: &str, thread: u16) -> Finding {
        let other = 3 - thread;
        Finding {
            interleaving: vec![
                step(thread, Some(0), "load", check, ""),
                step(other, Some(0), "store", "src/lib.rs:90:1", "returned ()"),
                step(thread, Some(0), "store", act, "returned ()"),
            ],
            ..Finding::new(FindingKind::NonLinearizable, "lost")
        }
    }

    fn race(places: [&str; 2]) -> Finding {
        let faulty = |thread, place: &str| InterleavingStep {
            facts: Some(StepFacts {
                effect: StepEffect::Faults,
                ..StepFacts::default()
            }),
            ..step(thread, Some(0), "write", place, "")
        };
        Finding {
            interleaving: vec![faulty(1, places[0]), faulty(2, places[1])],
            ..Finding::new(FindingKind::DataRace, "race")
        }
    }

    /// A read that races with this write.
    fn race_with_write(field: &str, write: &str, read: &str) -> Finding {
        let mut finding = race([write, read]);
        finding.interleaving[0].event = format!("write of Shared<u32, Default<u8>>[0].{field}");
        finding.interleaving[1].event = format!("read of Shared<u32, Default<u8>>[0].{field}");
        finding
    }

    fn numbers(findings: &[Finding]) -> Vec<usize> {
        let mut causes = Causes::default();
        let numbers = findings.iter().map(|finding| causes.of(finding));
        numbers.collect()
    }

    #[test]
    fn the_same_check_and_act_is_one_cause_whatever_other_calls_come_between() {
        let findings = [
            lost_update("src/lib.rs:10:5", "src/lib.rs:12:5", 1),
            lost_update("src/lib.rs:10:5", "src/lib.rs:12:5", 2),
            lost_update("src/lib.rs:10:5", "src/lib.rs:14:5", 1),
        ];
        assert_eq!(numbers(&findings), [1, 1, 2]);
    }

    #[test]
    fn two_races_of_the_same_accesses_are_one_cause_in_either_order() {
        let findings = [
            race(["a.rs:1:1", "a.rs:2:1"]),
            deadlock(),
            race(["a.rs:2:1", "a.rs:1:1"]),
            race(["a.rs:1:1", "a.rs:3:1"]),
            deadlock(),
        ];
        let expected = [1, 2, 1, 3, 2];
        assert_eq!(numbers(&findings), expected);
    }

    #[test]
    fn two_lines_that_come_to_one_lock_of_a_dependency_are_two_causes() {
        let lock = "tokio-1.0.0/src/sync/batch_semaphore.rs:450:37";
        let called = |check: &str| {
            let mut finding = lost_update(lock, lock, 1);
            for step in &mut finding.interleaving {
                step.caller = Some(check.to_owned());
            }
            finding
        };
        let findings = [
            called("src/lib.rs:80:9"),
            called("src/lib.rs:110:9"),
            called("src/lib.rs:80:9"),
        ];
        assert_eq!(numbers(&findings), [1, 2, 1]);
    }

    #[test]
    fn what_fails_the_run_stands_before_warnings() {
        let torn = Finding {
            level: Level::Warning,
            ..lost_update("src/lib.rs:10:5", "src/lib.rs:12:5", 1)
        };
        let torn = |kind| Finding {
            kind,
            ..torn.clone()
        };
        let findings = [
            torn(FindingKind::TornRead),
            lost_update("src/lib.rs:10:5", "src/lib.rs:12:5", 1),
            lost_update("src/lib.rs:20:5", "src/lib.rs:22:5", 1),
            torn(FindingKind::Leak),
        ];
        let causes = Causes::of_all(&findings);
        let first = causes.most_definite_first()[0].first().unwrap();
        assert_eq!((first.place, first.kind), (1, FindingKind::NonLinearizable));
    }

    #[test]
    fn each_test_that_does_not_wait_for_a_late_thread_has_a_cause_of_its_own() {
        let late = |test: &str| Finding {
            subject: test.to_owned(),
            locations: vec!["src/task.rs:188:45".to_owned()],
            interleaving: lost_update("src/task.rs:188:45", "src/task.rs:190:9", 1).interleaving,
            ..Finding::new(FindingKind::Timing, "passes only if")
        };
        let (one, other) = (late("joins"), late("wakes"));
        assert_eq!(numbers(&[one.clone(), other, one]), [1, 2, 1]);
    }

    #[test]
    fn a_call_that_waits_for_another_is_not_interrupted() {
        let mut finding = lost_update("src/lib.rs:10:5", "src/lib.rs:12:5", 1);
        finding.interleaving[0].facts = Some(StepFacts {
            effect: StepEffect::Waits,
            ..StepFacts::default()
        });
        finding.locations = vec!["src/lib.rs:90:1".to_owned()];
        let own = BTreeSet::from(["src/lib.rs:90:1".to_owned()]);
        assert_eq!(meetings::exact(&finding), BTreeSet::from([own]));
    }

    #[test]
    fn findings_without_any_place_are_causes_of_their_own() {
        let bare = || Finding::new(FindingKind::Abort, "the process died");
        assert_eq!(numbers(&[bare(), bare()]), [1, 2]);
    }

    #[test]
    fn reads_that_race_with_one_write_are_one_cause_and_another_field_is_not() {
        let findings = [
            race_with_write("slab", "a.rs:1:1", "a.rs:2:1"),
            race_with_write("slab", "a.rs:1:1", "a.rs:3:1"),
            race_with_write("head", "a.rs:1:1", "a.rs:4:1"),
            race_with_write("slab", "a.rs:9:1", "a.rs:5:1"),
        ];
        let expected = [1, 1, 2, 3];
        assert_eq!(numbers(&findings), expected);
        assert!(
            !meet(&findings[0], &findings[1]),
            "a baseline has only the first"
        );
    }

    /// Thread 1 reads, thread 2 writes, thread 1 writes.
    fn lost_plain_update(object: &str) -> Finding {
        let access = |thread, effect, place: &str| InterleavingStep {
            facts: Some(StepFacts {
                effect,
                object: object.to_owned(),
                ..StepFacts::default()
            }),
            ..step(thread, Some(0), "", place, "")
        };
        Finding {
            interleaving: vec![
                access(1, StepEffect::Reads, "a.rs:1:1"),
                access(2, StepEffect::Writes, "a.rs:2:1"),
                access(1, StepEffect::Writes, "a.rs:2:1"),
            ],
            ..Finding::new(FindingKind::NonLinearizable, "lost")
        }
    }

    #[test]
    fn a_wrong_result_through_racing_accesses_is_listed_under_the_race() {
        let through = [
            lost_plain_update("memory#1"),
            race(["a.rs:2:1", "a.rs:2:1"]),
            race(["a.rs:7:1", "a.rs:2:1"]),
        ];
        let causes = Causes::of_all(&through);
        let all = causes.most_definite_first();
        let kinds = |cause: &FoundCause| -> Vec<FindingKind> {
            let others = cause.others().into_iter().map(|(kind, _)| kind);
            cause
                .first()
                .map(|it| it.kind)
                .into_iter()
                .chain(others)
                .collect()
        };
        let (race, lost) = (FindingKind::DataRace, FindingKind::NonLinearizable);
        assert_eq!(kinds(all[0]), [race, lost]);
        assert_eq!(kinds(all[1]), [race]);
        // Atomics do not race.
        let atomic = [lost_plain_update("atomic#1"), through[1].clone()];
        assert_eq!(Causes::of_all(&atomic).count(), 2);
    }

    #[test]
    fn every_finding_is_in_one_cause_and_definite_ones_lead() {
        let findings = [
            lost_update("src/lib.rs:10:5", "src/lib.rs:12:5", 1),
            deadlock(),
            race(["a.rs:1:1", "a.rs:2:1"]),
            lost_update("src/lib.rs:10:5", "src/lib.rs:12:5", 2),
        ];
        let causes = Causes::of_all(&findings);
        let places = |cause: &&FoundCause| -> Vec<usize> {
            cause.findings.iter().map(|it| it.place).collect()
        };
        let all: Vec<Vec<usize>> = causes.most_definite_first().iter().map(places).collect();
        assert_eq!(all, [vec![2], vec![1], vec![0, 3]]);
    }

    #[test]
    fn values_on_a_wrong_thread_are_the_fault_of_their_type_and_not_of_a_race_beside_it() {
        let dropped = |subject: &str, place: &str| Finding {
            kind: FindingKind::WrongThread,
            subject: subject.to_owned(),
            locations: vec![place.to_owned()],
            ..race(["a.rs:1:1", "a.rs:2:1"])
        };
        let findings = [
            race(["a.rs:1:1", "a.rs:2:1"]),
            dropped("a::Slab<Unsent>", "a.rs:3:1"),
            dropped("a::Slab<Unsent>", "a.rs:4:1"),
            dropped("a::Pool<Unsent>", "a.rs:5:1"),
        ];
        let expected = [1, 2, 2, 3];
        assert_eq!(numbers(&findings), expected);
    }
}
