//! Findings of one cause: their smallest interleavings meet at the same places.
//!
//! Where an interleaving meets is the pair of accesses of a memory fault, the places at which threads wait for ever, or
//! else the two places in a call between which another thread came: its check and its act.

use std::collections::{BTreeMap, BTreeSet};

use contest_data::finding::{Finding, FindingKind, InterleavingStep, StepEffect};

/// Places that a finding's threads meet at.
type Meeting = BTreeSet<String>;

/// The causes of the findings so far.
#[derive(Debug, Default)]
pub(super) struct Causes {
    /// By number, from 1: the meetings of the findings of one cause.
    meetings: Vec<BTreeSet<Meeting>>,
}

/// The cause of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cause {
    /// Its number in this run, from 1.
    pub(super) number: usize,
    /// It was found before: this finding is another way to it.
    pub(super) known: bool,
}

impl Causes {
    /// The cause of one more finding: that of the first one which meets at one of its places, else a new one.
    pub(super) fn of(&mut self, finding: &Finding) -> Cause {
        let meetings = meetings(finding);
        let shares = |cause: &BTreeSet<Meeting>| !cause.is_disjoint(&meetings);
        let known = self.meetings.iter().position(shares);
        let index = known.unwrap_or(self.meetings.len());
        match self.meetings.get_mut(index) {
            Some(cause) => cause.extend(meetings),
            None => self.meetings.push(meetings),
        }
        Cause {
            number: index + 1,
            known: known.is_some(),
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.meetings.len()
    }
}

/// True if two findings meet at one of their places.
pub(super) fn meet(left: &Finding, right: &Finding) -> bool {
    !meetings(left).is_disjoint(&meetings(right))
}

fn meetings(finding: &Finding) -> BTreeSet<Meeting> {
    let steps = &finding.interleaving;
    let found = match finding.kind {
        FindingKind::Deadlock | FindingKind::Livelock => one(places(steps, StepEffect::Blocked)),
        FindingKind::DataRace
        | FindingKind::UseAfterFree
        | FindingKind::DoubleFree
        | FindingKind::OutOfBounds
        | FindingKind::WrongThread => one(places(steps, StepEffect::Faults)),
        _ => interrupted(steps),
    };
    if found.is_empty() {
        // Nothing is known of it beyond its places.
        one(finding.locations.iter().cloned().collect())
    } else {
        found
    }
}

/// A single meeting, if it is at any place.
fn one(meeting: Meeting) -> BTreeSet<Meeting> {
    BTreeSet::from([meeting])
        .into_iter()
        .filter(|it| !it.is_empty())
        .collect()
}

fn places(steps: &[InterleavingStep], effect: StepEffect) -> Meeting {
    steps
        .iter()
        .filter(|step| effect_of(step) == Some(effect) && !step.location.is_empty())
        .map(|step| step.location.clone())
        .collect()
}

fn effect_of(step: &InterleavingStep) -> Option<StepEffect> {
    step.facts.as_ref().map(|facts| facts.effect)
}

/// The two places between which a call was interrupted by another thread, for each time one was. Waiting is no
/// interruption.
fn interrupted(steps: &[InterleavingStep]) -> BTreeSet<Meeting> {
    let mut last: BTreeMap<u16, (usize, &InterleavingStep)> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for (at, step) in steps.iter().enumerate() {
        if step.location.is_empty() {
            continue;
        }
        if let Some((before_at, before)) = last.insert(step.thread, (at, step)) {
            let between = &steps[before_at + 1..at];
            let waited = effect_of(before) == Some(StepEffect::Waits);
            let stopped = between.iter().any(|other| other.thread != step.thread);
            if stopped && !waited && before.call.is_some() && before.call == step.call {
                found.insert(Meeting::from([
                    before.location.clone(),
                    step.location.clone(),
                ]));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use contest_data::finding::StepFacts;

    use super::*;
    use crate::report::sample::{deadlock, step};

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

    fn numbers(findings: &[Finding]) -> Vec<(usize, bool)> {
        let mut causes = Causes::default();
        let causes = findings.iter().map(|finding| causes.of(finding));
        causes.map(|cause| (cause.number, cause.known)).collect()
    }

    #[test]
    fn the_same_check_and_act_is_one_cause_whatever_other_calls_come_between() {
        let findings = [
            lost_update("src/lib.rs:10:5", "src/lib.rs:12:5", 1),
            lost_update("src/lib.rs:10:5", "src/lib.rs:12:5", 2),
            lost_update("src/lib.rs:10:5", "src/lib.rs:14:5", 1),
        ];
        assert_eq!(numbers(&findings), [(1, false), (1, true), (2, false)]);
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
        let expected = [(1, false), (2, false), (1, true), (3, false), (2, true)];
        assert_eq!(numbers(&findings), expected);
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
        assert_eq!(meetings(&finding), BTreeSet::from([own]));
    }

    #[test]
    fn findings_without_any_place_are_causes_of_their_own() {
        let bare = || Finding::new(FindingKind::Abort, "the process died");
        assert_eq!(numbers(&[bare(), bare()]), [(1, false), (2, false)]);
    }
}
