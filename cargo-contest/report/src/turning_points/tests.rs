use contest_data::finding::{CancelledCall, StepFacts};

use super::*;
use crate::sample::{deadlock, step};

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
fn an_interruption_inside_of_a_lock_of_a_dependency_is_told_by_the_lock_before_it() {
    use StepEffect::{Reads, Updates};
    let inside = |effect, line| InterleavingStep {
        caller: Some(format!("src/lib.rs:{line}:1")),
        location: "tokio/src/sync/mutex.rs:1:1".to_owned(),
        ..on(2, "permits", effect, line)
    };
    let mut steps = vec![
        inside(Updates, 1),
        inside(Updates, 2),
        inside(Reads, 3),
        on(1, "permits", Updates, 5),
        inside(Updates, 3),
    ];
    let bug = finding(FindingKind::NonLinearizable, steps.clone());
    let points = TurningPoints::of(&bug);
    let first = ["src/lib.rs:2:1", "src/lib.rs:3:1", "src/lib.rs:5:1"];
    assert_eq!(points.places, first, "{:?}", points.notes);
    // Where there is none, it is told all the same.
    steps.drain(..2);
    let points = TurningPoints::of(&finding(FindingKind::NonLinearizable, steps));
    assert_eq!(points.places, ["src/lib.rs:3:1", "src/lib.rs:5:1"]);
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
    use crate::{github, json, sarif, short};
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
    let summary = github::step_summary(&Default::default(), &all, "replay", &Default::default());
    let row = summary
        .lines()
        .find(|it| it.starts_with("| `non-lin"))
        .unwrap();
    assert!(row.ends_with("| src/lib.rs&#58;10&#58;1 |"), "{row}");
}
