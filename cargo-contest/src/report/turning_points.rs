//! What a reader has to look at first in an interleaving: between which two lines a call was interrupted and what came
//! in between, which notifications were in vain, where a future was dropped. Only what the steps of the finding say.

use std::collections::BTreeSet;

use contest_data::finding::{
    Finding, FindingKind, InterleavingStep, LinkKind, StepEffect, interruptions,
};

use super::figures::counted;

/// Most interruptions that are described.
const MOST: usize = 2;
/// Most steps of other threads that are named for one.
const MOST_BETWEEN: usize = 3;

/// Sentences about an interleaving, and the places that they name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurningPoints {
    /// Sentences.
    pub notes: Vec<String>,
    /// `src/lib.rs:10:5`, in the order of the sentences, each once.
    pub places: Vec<String>,
}

/// Where to look in a finding, the first place first: in every format.
#[must_use]
pub fn places_of(finding: &Finding) -> Vec<String> {
    TurningPoints::of(finding).and_places_of(finding)
}

impl TurningPoints {
    /// Those of a finding.
    #[must_use]
    pub fn of(finding: &Finding) -> Self {
        let mut points = Self::default();
        let steps = &finding.interleaving;
        if interruption_tells(finding) {
            // A call that sees a mixture changes nothing.
            let reads_count = finding.kind == FindingKind::TornRead;
            let all = interruptions(steps).into_iter();
            let mut all: Vec<Interruption<'_>> = all
                .filter_map(|(before, after)| Interruption::of(steps, before, after, reads_count))
                .collect();
            if finding.kind.is_wrong_result() {
                // By other calls first: background threads come between where they do no harm, too.
                all.sort_by_key(|it| !it.between.iter().any(|step| step.call.is_some()));
            }
            for it in all.iter().take(MOST) {
                it.describe(&mut points);
            }
        }
        points.taken(steps);
        points.in_vain(steps);
        points.dropped(finding);
        points
    }

    /// The places of a finding with those of its turning points, each once. A wrong result has no place of its own:
    /// what was looked at and acted on comes first.
    #[must_use]
    pub fn and_places_of(&self, finding: &Finding) -> Vec<String> {
        let (first, then) = match finding.kind {
            kind if kind.is_wrong_result() => (&self.places, &finding.locations),
            _ => (&finding.locations, &self.places),
        };
        let mut places: Vec<String> = Vec::new();
        for place in first.iter().chain(then) {
            if !places.contains(place) {
                places.push(place.clone());
            }
        }
        places
    }

    fn name<'a>(&mut self, step: &'a InterleavingStep) -> &'a str {
        let place = place(step);
        if !self.places.iter().any(|it| it == place) {
            self.places.push(place.to_owned());
        }
        place
    }

    /// Where what threads wait for at the end was taken; the details of the finding say it in words.
    fn taken(&mut self, steps: &[InterleavingStep]) {
        for facts in steps.iter().filter_map(|it| it.facts.as_ref()) {
            if facts.effect != StepEffect::Blocked {
                continue;
            }
            for link in facts.links.iter().filter(|it| it.why == LinkKind::WaitsFor) {
                let is_linked = |it: &&InterleavingStep| {
                    it.facts.as_ref().map(|it| it.number) == Some(link.step)
                };
                let step = steps.iter().find(is_linked);
                if let Some(step) = step.filter(|it| !place(it).is_empty()) {
                    self.name(step);
                }
            }
        }
    }

    /// Who waits at the end for an object, and where that was notified before.
    fn in_vain(&mut self, steps: &[InterleavingStep]) {
        let mut seen = BTreeSet::new();
        for blocked in steps.iter().filter(|it| effect(it) == StepEffect::Blocked) {
            let object = object(blocked);
            if object.is_empty() || !seen.insert(object) {
                continue;
            }
            for step in steps {
                let wakes = step.event.contains(".notify_") || effect(step) == StepEffect::Wakes;
                if self::object(step) != object || !wakes || place(step).is_empty() {
                    continue;
                }
                let at = self.name(step);
                let note = format!("{object} was notified at {at}: `{}`", step.event);
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
            }
        }
    }

    /// Where the futures of cancelled calls were dropped, and the last thing that the call had done.
    fn dropped(&mut self, finding: &Finding) {
        for cancelled in &finding.cancelled {
            let (thread, call) = (cancelled.lane + 1, Some(cancelled.call));
            let own = |it: &&InterleavingStep| it.thread == thread && it.call == call;
            let steps: Vec<_> = finding.interleaving.iter().filter(own).collect();
            let drop = steps
                .iter()
                .position(|it| it.event.starts_with("the future is dropped"));
            let Some(drop) = drop else { continue };
            let calls = finding.threads.get(usize::from(cancelled.lane));
            let Some(text) = calls.and_then(|it| it.get(usize::from(cancelled.call))) else {
                continue;
            };
            let mut done = steps[..drop].iter().rev();
            let done = done.find(|it| changes(it) && !place(it).is_empty());
            let after = done.map_or_else(String::new, |step| {
                format!(", after `{}` at {}", step.event, self.name(step))
            });
            // A future that does nothing visible before it waits leaves no place.
            let at = match place(steps[drop]) {
                "" => "an `await`",
                _ => self.name(steps[drop]),
            };
            self.notes.push(format!("{text} is dropped at {at}{after}"));
        }
    }
}

/// Where the accesses of the fault, or the locks that are held, do not say it already.
fn interruption_tells(finding: &Finding) -> bool {
    let mut details = finding.details.iter();
    match finding.kind {
        FindingKind::DataRace | FindingKind::WrongThread | FindingKind::Livelock => false,
        FindingKind::Deadlock => !details.any(|it| it.contains(", held by ")),
        _ => true,
    }
}

/// A call that looks at something and later acts on it, while another thread changes it in between.
struct Interruption<'a> {
    /// Looks.
    check: &'a InterleavingStep,
    /// Acts.
    act: &'a InterleavingStep,
    /// What changes something in between, or reads it in a call where that counts; the last of it.
    between: Vec<&'a InterleavingStep>,
    /// Such steps that came before these.
    earlier: usize,
}

impl<'a> Interruption<'a> {
    /// The one between these steps of one call; `None` if what came in between has nothing to do with it.
    fn of(
        steps: &'a [InterleavingStep],
        before: usize,
        after: usize,
        reads_count: bool,
    ) -> Option<Self> {
        let (thread, call) = (steps[before].thread, steps[before].call);
        let own = |it: &&InterleavingStep| {
            it.thread == thread && it.call == call && !place(it).is_empty()
        };
        let earlier = || steps[..=before].iter().filter(own);
        let later = || steps[after..].iter().filter(own);
        let others = || {
            let between = steps[before + 1..after].iter();
            between.filter(|it| it.thread != thread && !object(it).is_empty())
        };
        let objects = |of: &mut dyn Iterator<Item = &'a InterleavingStep>| -> BTreeSet<&'a str> {
            of.map(object).filter(|it| !it.is_empty()).collect()
        };
        let there = objects(&mut others());
        let looked: BTreeSet<_> = &objects(&mut earlier()) & &there;
        let acted: BTreeSet<_> = &objects(&mut later()) & &there;
        if looked.is_empty() || acted.is_empty() {
            return None;
        }
        let both: BTreeSet<_> = &looked & &acted;
        let (looked, acted) = if both.is_empty() {
            (looked, acted)
        } else {
            (both.clone(), both)
        };
        let check = earlier().rfind(|it| looked.contains(object(it)))?;
        let act = later().find(|it| acted.contains(object(it)))?;
        let mut between: Vec<_> = others()
            .filter(|it| looked.contains(object(it)) || acted.contains(object(it)))
            .filter(|it| changes(it) || reads_count && it.call.is_some())
            .filter(|it| !place(it).is_empty())
            .collect();
        // What came last is what the act meets.
        let first = between.len().saturating_sub(MOST_BETWEEN);
        between.drain(..first);
        (!between.is_empty()).then_some(Self {
            check,
            act,
            between,
            earlier: first,
        })
    }

    fn describe(&self, points: &mut TurningPoints) {
        let (check, act) = (points.name(self.check), points.name(self.act));
        let mut between = Vec::new();
        let mut last = None;
        for step in &self.between {
            let thread = match last {
                Some(last) if last == step.thread => String::new(),
                _ => format!("thread {} does ", step.thread),
            };
            last = Some(step.thread);
            between.push(format!("{thread}`{}` at {}", step.event, points.name(step)));
        }
        let more = match self.earlier {
            0 => String::new(),
            earlier => format!(", after {}", counted(earlier as u64, "other step")),
        };
        points.notes.push(format!(
            "thread {} is interrupted between {check} (`{}`) and {act} (`{}`); meanwhile {}{more}",
            self.check.thread,
            self.check.event,
            self.act.event,
            between.join(", ")
        ));
    }
}

fn changes(step: &InterleavingStep) -> bool {
    matches!(
        effect(step),
        StepEffect::Writes
            | StepEffect::Updates
            | StepEffect::Locks
            | StepEffect::Wakes
            | StepEffect::Faults
    )
}

fn effect(step: &InterleavingStep) -> StepEffect {
    step.facts
        .as_ref()
        .map_or(StepEffect::Other, |it| it.effect)
}

fn object(step: &InterleavingStep) -> &str {
    step.facts.as_ref().map_or("", |it| &it.object)
}

/// The line of the package, if it is known.
fn place(step: &InterleavingStep) -> &str {
    step.caller.as_deref().unwrap_or(&step.location)
}

#[cfg(test)]
mod tests {
    use contest_data::finding::{CancelledCall, StepFacts};

    use super::*;
    use crate::report::sample::{deadlock, step};

    /// Step of a thread on an object at a line.
    fn on(thread: u16, object: &str, effect: StepEffect, line: u32) -> InterleavingStep {
        InterleavingStep {
            facts: Some(StepFacts {
                object: object.to_owned(),
                effect,
                ..StepFacts::default()
            }),
            ..step(
                thread,
                Some(0),
                &format!("{object}.x()"),
                &format!("src/lib.rs:{line}:1"),
                "",
            )
        }
    }

    fn finding(kind: FindingKind, steps: Vec<InterleavingStep>) -> Finding {
        Finding {
            interleaving: steps,
            details: Vec::new(),
            locations: vec!["src/lib.rs:2:1".to_owned()],
            ..Finding { kind, ..deadlock() }
        }
    }

    #[test]
    fn check_and_act_are_on_what_the_other_thread_changed_in_between() {
        use StepEffect::{Locks, Unlocks};
        let bug = finding(
            FindingKind::NonLinearizable,
            vec![
                on(2, "Mutex#1", Locks, 1),
                on(2, "Mutex#1", Unlocks, 1),
                // Of this lock the other thread has nothing.
                on(2, "Mutex#3", Locks, 2),
                on(1, "Mutex#1", Locks, 5),
                on(1, "Mutex#1", Unlocks, 5),
                on(2, "Mutex#1", Locks, 3),
            ],
        );
        let points = TurningPoints::of(&bug);
        assert_eq!(
            points.notes,
            [
                "thread 2 is interrupted between src/lib.rs:1:1 (`Mutex#1.x()`) and src/lib.rs:3:1 (`Mutex#1.x()`); meanwhile \
              thread 1 does `Mutex#1.x()` at src/lib.rs:5:1"
            ]
        );
        assert_eq!(
            points.and_places_of(&bug),
            [
                "src/lib.rs:1:1",
                "src/lib.rs:3:1",
                "src/lib.rs:5:1",
                "src/lib.rs:2:1"
            ]
        );
    }

    #[test]
    fn a_call_that_reads_a_mixture_comes_before_what_background_threads_do() {
        use StepEffect::{Reads, Updates};
        let background = InterleavingStep {
            call: None,
            ..on(3, "atomic#2", Updates, 9)
        };
        let steps = vec![
            on(1, "atomic#2", Updates, 1),
            background,
            on(1, "atomic#2", Updates, 2),
            on(1, "atomic#1", Updates, 3),
            on(2, "atomic#1", Reads, 5),
            on(1, "atomic#1", Updates, 4),
        ];
        let points = TurningPoints::of(&finding(FindingKind::TornRead, steps.clone()));
        assert_eq!(
            points.places[..3],
            ["src/lib.rs:3:1", "src/lib.rs:4:1", "src/lib.rs:5:1"]
        );
        let points = TurningPoints::of(&finding(FindingKind::NonLinearizable, steps));
        assert_eq!(points.places[0], "src/lib.rs:1:1");
    }

    #[test]
    fn what_is_looked_at_and_what_is_acted_on_may_differ() {
        use StepEffect::{Reads, Waits, Wakes, Writes};
        let bug = finding(
            FindingKind::LostWakeup,
            vec![
                on(1, "atomic#1", Reads, 1),
                on(2, "atomic#1", Writes, 5),
                on(2, "Condvar#1", Wakes, 6),
                on(1, "Condvar#1", Waits, 2),
            ],
        );
        let notes = TurningPoints::of(&bug).notes;
        assert!(notes[0].contains("between src/lib.rs:1:1"), "{notes:?}");
        assert!(
            notes[0].contains("src/lib.rs:5:1, `Condvar#1.x()` at src/lib.rs:6:1"),
            "{notes:?}"
        );
    }

    #[test]
    fn each_step_in_between_has_its_thread_and_those_left_out_are_counted() {
        use StepEffect::{Reads, Writes};
        let mut steps = vec![on(1, "atomic#1", Reads, 1)];
        steps.extend((5..8).map(|line| on(2, "atomic#1", Writes, line)));
        steps.push(on(3, "atomic#1", Writes, 9));
        steps.push(on(1, "atomic#1", Writes, 2));
        let notes = TurningPoints::of(&finding(FindingKind::NonLinearizable, steps)).notes;
        let expected = "meanwhile thread 2 does `atomic#1.x()` at src/lib.rs:6:1, `atomic#1.x()` at src/lib.rs:7:1, \
                        thread 3 does `atomic#1.x()` at src/lib.rs:9:1, after 1 other step";
        assert!(notes[0].ends_with(expected), "{notes:?}");
    }

    #[test]
    fn threads_that_have_nothing_in_common_and_cycles_of_locks_say_nothing_more() {
        use StepEffect::{Locks, Writes};
        let apart = vec![
            on(1, "Mutex#1", Locks, 1),
            on(2, "Mutex#2", Locks, 5),
            on(1, "Mutex#3", Locks, 2),
        ];
        let bug = finding(FindingKind::Panic, apart);
        assert_eq!(TurningPoints::of(&bug), TurningPoints::default());
        let points = TurningPoints::of(&deadlock());
        assert!(points.notes.is_empty(), "{points:?}");
        // Where they wait, then where what they wait for was taken.
        let lines = [11, 21, 20, 10].map(|line| format!("src/lib.rs:{line}:"));
        let places = points.and_places_of(&deadlock());
        assert_eq!(places.len(), 4);
        assert!(
            lines
                .iter()
                .all(|line| places.iter().any(|it| it.starts_with(line)))
        );
        let race = vec![
            on(1, "memory#1", Writes, 1),
            on(2, "memory#1", Writes, 5),
            on(1, "memory#1", Writes, 2),
        ];
        let bug = finding(FindingKind::DataRace, race);
        assert_eq!(TurningPoints::of(&bug), TurningPoints::default());
    }

    #[test]
    fn a_notification_that_woke_another_thread_is_named() {
        use StepEffect::{Blocked, Wakes};
        let bug = finding(
            FindingKind::Deadlock,
            vec![on(3, "Condvar#1", Wakes, 7), on(2, "Condvar#1", Blocked, 2)],
        );
        let points = TurningPoints::of(&bug);
        assert_eq!(
            points.notes,
            ["Condvar#1 was notified at src/lib.rs:7:1: `Condvar#1.x()`"]
        );
    }

    /// What is said of a future that is dropped at `place`.
    fn dropped_at(place: &str) -> TurningPoints {
        let dropped = "the future is dropped at this await";
        let mut bug = finding(
            FindingKind::Cancellation,
            vec![
                on(1, "Mutex#1", StepEffect::Locks, 3),
                step(1, Some(0), dropped, place, ""),
            ],
        );
        bug.cancelled = vec![CancelledCall {
            lane: 0,
            call: 0,
            polls: 1,
        }];
        TurningPoints::of(&bug)
    }

    #[test]
    fn a_dropped_future_is_named_with_what_it_had_done() {
        assert_eq!(
            dropped_at("src/lib.rs:4:1").notes,
            ["a.transfer(1) is dropped at src/lib.rs:4:1, after `Mutex#1.x()` at src/lib.rs:3:1"]
        );
    }

    #[test]
    fn a_dropped_future_without_a_place_has_none_in_the_report() {
        let points = dropped_at("");
        assert_eq!(
            points.notes,
            ["a.transfer(1) is dropped at an `await`, after `Mutex#1.x()` at src/lib.rs:3:1"]
        );
        assert_eq!(points.places, ["src/lib.rs:3:1"]);
    }

    /// Of a wrong result, what was looked at and acted on comes first, and that in every format.
    #[test]
    fn every_format_has_the_same_first_place() {
        use crate::report::{github, json, sarif, short};
        let steps = vec![
            on(1, "x", StepEffect::Reads, 10),
            on(2, "x", StepEffect::Writes, 20),
            on(1, "x", StepEffect::Writes, 11),
        ];
        let finding = finding(FindingKind::NonLinearizable, steps);
        assert_eq!(places_of(&finding)[0], "src/lib.rs:10:1");
        assert_ne!(finding.locations[0], "src/lib.rs:10:1");
        let short = short::finding(&finding, None, "replay");
        let short = anstream::adapter::strip_str(&short).to_string();
        assert!(short.contains("--> src/lib.rs:10:1"), "{short}");
        let json = json::finding("a 1.0.0", &finding, None, 0, None);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["locations"][0], "src/lib.rs:10:1");
        let all = [(finding, None)];
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("a.sarif");
        sarif::write(&file, &all).unwrap();
        let text = std::fs::read_to_string(file).unwrap();
        let sarif: serde_json::Value = serde_json::from_str(&text).unwrap();
        let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["region"]["startLine"], 10);
        let summary =
            github::step_summary(&Default::default(), &all, "replay", &Default::default());
        let row = summary
            .lines()
            .find(|it| it.starts_with("| `non-lin"))
            .unwrap();
        assert!(row.ends_with("| src/lib.rs&#58;10&#58;1 |"), "{row}");
    }
}
