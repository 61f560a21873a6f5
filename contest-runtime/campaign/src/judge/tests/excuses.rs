//! Rules by which what looks wrong is not reported: each excuses what it should, and no more than it says.

use std::panic::Location;

use super::model::*;
use crate::judge::{Compared, History, Judge, SerialOutcomes, Verdict, held_counts};
use contest_data::finding::FindingKind;
use contest_data::test::{CallName, RunnableTest, TestShape};
use contest_data::trace::{
    Action, CallRecord, Ending, Event, ExecutionRecord, Frame, ObjectId, Outcome, Panic, Place,
    ThreadIndex, Update, VisibleAccess,
};

fn kind(verdict: &Verdict) -> Option<FindingKind> {
    match verdict {
        Verdict::Suspect(suspicion) => Some(suspicion.kind),
        _ => None,
    }
}

fn history_of(test: &RunnableTest) -> History {
    empty(&TestShape::of(test))
}

/// A call of thread `thread` from one event to another.
fn call(thread: u16, span: (u32, u32)) -> CallRecord {
    CallRecord {
        ended: span.1,
        outcome: Outcome::Returned(None),
        ..CallRecord::begun(ThreadIndex(thread), 0, span.0)
    }
}

/// An execution in which thread 1 changes a count from the first value to the second one, in a function of this name,
/// and thread 2 does this to it; the call of thread 1 lasts from `span.0` to `span.1`.
fn with_count(
    (from, to): (u64, u64),
    function: &str,
    other: Action,
    span: (u32, u32),
) -> ExecutionRecord {
    let frames: &'static [Frame] = Box::leak(Box::new([Frame {
        function: function.to_owned(),
        location: String::new(),
        of_dependency: true,
    }]));
    let mut record = ExecutionRecord::empty();
    let changes = Action::Rmw(std::sync::atomic::Ordering::Relaxed, Update::Add);
    for (number, (thread, action)) in [(1, changes), (2, other)].into_iter().enumerate() {
        record.events.push(Event {
            thread: ThreadIndex(thread),
            index: 0,
            call: Some(0),
            action,
            object: ObjectId(3),
            second: ObjectId::NONE,
            location: Location::caller(),
            name: "count",
            read: from,
            wrote: to,
        });
        record.visible.push(VisibleAccess {
            event: number as u32,
            place: Place::Stack(frames),
            touched: None,
            wide: false,
        });
    }
    record.calls = vec![call(1, span), call(2, (0, 9))];
    record
}

const OF_ARC: &str = "alloc::sync::Arc<T>::clone";

#[test]
fn a_count_that_a_call_holds_up_for_a_moment_excuses_who_looks_at_it() {
    let load = Action::Load(std::sync::atomic::Ordering::Acquire);
    assert!(held_counts::looked_at(&with_count(
        (1, 2),
        OF_ARC,
        load,
        (0, 5)
    )));
}

#[test]
fn a_count_excuses_nobody_who_does_not_look_or_comes_later() {
    let load = Action::Load(std::sync::atomic::Ordering::Acquire);
    let adds = Action::Rmw(std::sync::atomic::Ordering::Relaxed, Update::Add);
    // Lowered, no count of an `Arc`, only counted up, and held beyond the end of the call.
    for record in [
        with_count((2, 1), OF_ARC, load, (0, 5)),
        with_count((1, 2), "bank::Account::clone", load, (0, 5)),
        with_count((1, 2), OF_ARC, adds, (0, 5)),
        with_count((1, 2), OF_ARC, load, (0, 1)),
    ] {
        assert!(!held_counts::looked_at(&record), "{:?}", record.events);
    }
}

/// Of two calls beside each other, or one after the other, the second one returns this, which no order explains.
fn beside(text: &str, overlap: bool) -> Option<FindingKind> {
    let test = test(&[vec![COUNT], vec![COUNT]]);
    let mut history = history_of(&test);
    returned(&mut history, 0, 0, "1", (1, if overlap { 5 } else { 2 }));
    returned(&mut history, 1, 0, text, (3, 4));
    kind(&verdict(queue, &test, &history))
}

#[test]
fn who_says_that_another_one_is_inside_is_right_beside_another_one_only() {
    for text in [
        "Err(Locked)",
        "Err(\"is busy\")",
        "Steal::Retry",
        "Retry",
        "Err(Timeout)",
    ] {
        assert_eq!(beside(text, true), None, "{text}");
        assert_eq!(beside(text, false), Some(FindingKind::NonLinearizable));
    }
}

#[test]
fn who_says_something_else_is_not_excused_beside_another_one() {
    for text in ["Err(NotFound)", "Ok(Locked)", "0", "RetryLater"] {
        let wrong = Some(FindingKind::NonLinearizable);
        assert_eq!(beside(text, true), wrong, "{text}");
    }
}

#[test]
fn who_is_out_of_time_only_tried_if_no_time_has_passed() {
    let test = test(&[vec![COUNT], vec![COUNT]]);
    let judged = |text: &str, change: fn(&mut History)| {
        let mut history = history_of(&test);
        returned(&mut history, 0, 0, "1", (1, 5));
        returned(&mut history, 1, 0, text, (3, 4));
        change(&mut history);
        kind(&verdict(queue, &test, &history))
    };
    for text in [
        "Err(Timeout)",
        "Err(RecvError::TimedOut)",
        "Err(Elapsed(()))",
    ] {
        assert_eq!(judged(text, |_| ()), None, "{text}");
        let waits = |it: &mut History| {
            it.lanes[1][0].awaited = std::time::Duration::from_secs(1);
        };
        assert!(judged(text, waits).is_some(), "{text}");
    }
    for text in ["Err(Closed { timeout: 5 })", "Ok(Timeout)"] {
        assert!(judged(text, |_| ()).is_some(), "{text}");
    }
}

/// Judges a history by serial runs of the queue; `change` may change these and what is compared.
fn judged(
    test: &RunnableTest,
    history: &History,
    change: impl FnOnce(&mut SerialOutcomes, &mut Compared),
) -> Verdict {
    let mut model = Model(queue);
    let mut outcomes = SerialOutcomes::of(test, &mut model);
    let mut compared = Compared::default();
    change(&mut outcomes, &mut compared);
    let judge = Judge {
        test,
        shape: &TestShape::of(test),
        outcomes: &outcomes,
        compared: &compared,
    };
    judge.judge_history(history, &mut model)
}

#[test]
fn of_calls_that_are_not_compared_the_others_still_are() {
    let test = test(&[vec![COUNT], vec![TRY_TAKE]]);
    let mut history = history_of(&test);
    returned(&mut history, 0, 0, "7", (1, 2));
    returned(&mut history, 1, 0, "Some(0)", (3, 4));
    let ignores = |compared: &mut Compared| _ = compared.ignored.insert(CallName::Lane(0, 0));
    let verdict = judged(&test, &history, |_, compared| ignores(compared));
    assert_eq!(verdict, Verdict::Pass);
    returned(&mut history, 1, 0, "Some(5)", (3, 4));
    let verdict = judged(&test, &history, |_, compared| ignores(compared));
    assert_eq!(kind(&verdict), Some(FindingKind::NonLinearizable));
}

#[test]
fn who_asks_for_strictness_is_told_of_values_that_come_between_and_of_who_gives_up() {
    let strictly = |test: &RunnableTest, history: &History| {
        kind(&judged(test, history, |_, compared| compared.strict = true))
    };
    let adds = test(&[vec![EXTEND], vec![COUNT]]);
    let mut history = history_of(&adds);
    returned(&mut history, 0, 0, "()", (1, 4));
    returned(&mut history, 1, 0, "2", (2, 3));
    let wrong = Some(FindingKind::NonLinearizable);
    assert_eq!(strictly(&adds, &history), wrong);
    let gives_up = test(&[vec![COUNT], vec![COUNT, TRY_TAKE]]);
    let mut history = history_of(&gives_up);
    returned(&mut history, 1, 0, "1", (1, 2));
    returned(&mut history, 0, 0, "2", (3, 8));
    returned(&mut history, 1, 1, "None", (4, 5));
    assert_eq!(strictly(&gives_up, &history), wrong);
}

/// A panic of the second call at this place, where a serial order panics at `src/lib.rs:1:1`.
fn panics_at(location: &str) -> Option<FindingKind> {
    let test = test(&[vec![COUNT], vec![TAKE]]);
    let mut history = history_of(&test);
    returned(&mut history, 0, 0, "1", (1, 2));
    let panicked = |at: &str| Outcome::Panicked("no".to_owned(), at.to_owned());
    returned(&mut history, 1, 0, "", (3, 4));
    history.lanes[1][0].outcome = panicked(location);
    let panic = Panic {
        thread: ThreadIndex(2),
        call: Some(0),
        message: "no".to_owned(),
        location: location.to_owned(),
        ..Panic::default()
    };
    history.first_panic = Some((panic, Some(CallName::Lane(1, 0))));
    kind(&judged(&test, &history, |outcomes, _| {
        outcomes.runs[0].history.lanes[1][0].outcome = panicked("src/lib.rs:1:1");
    }))
}

#[test]
fn a_panic_is_excused_by_one_at_the_same_place_only() {
    assert_eq!(panics_at("src/lib.rs:1:1"), None);
    assert_eq!(panics_at("src/lib.rs:2:1"), Some(FindingKind::Panic));
}

#[test]
fn the_end_of_the_process_is_excused_by_a_serial_order_that_ends_it_too() {
    let test = test(&[vec![COUNT], vec![COUNT]]);
    let mut history = history_of(&test);
    history.ending = Ending::Exit("process::exit(1) at src/lib.rs:1:1".to_owned());
    let verdict = judged(&test, &history, |_, _| {});
    assert_eq!(kind(&verdict), Some(FindingKind::Abort));
    let verdict = judged(&test, &history, |outcomes, _| {
        outcomes.runs[1].history.ending = Ending::Exit("process::abort()".to_owned());
    });
    assert!(matches!(verdict, Verdict::Excused(_)), "{verdict:?}");
}
