use super::model::*;
use crate::judge::{History, Verdict};
use contest_data::finding::FindingKind;
use contest_data::subject::FutureUse;
use contest_data::test::TestShape;
use contest_data::trace::{Outcome, Panic, ThreadIndex};

fn kind(verdict: &Verdict) -> Option<FindingKind> {
    match verdict {
        Verdict::Suspect(suspicion) => Some(suspicion.kind),
        _ => None,
    }
}

fn history_of(test: &contest_data::test::RunnableTest) -> History {
    empty(&TestShape::of(test))
}

#[test]
fn two_pushes_that_come_out_in_the_wrong_order_are_rejected() {
    // The first push had returned before the second began, and both lanes saw it so.
    let test = test(&[vec![PUSH_1, PUSH_2], vec![TRY_TAKE, TRY_TAKE]]);
    let mut history = history_of(&test);
    returned(&mut history, 0, 0, "()", (1, 2));
    returned(&mut history, 0, 1, "()", (3, 4));
    returned(&mut history, 1, 0, "Some(2)", (5, 6));
    returned(&mut history, 1, 1, "Some(1)", (7, 8));
    let rejected = verdict(queue, &test, &history);
    assert_eq!(kind(&rejected), Some(FindingKind::NonLinearizable));
    // A stack may do that.
    assert_eq!(verdict(stack, &test, &history), Verdict::Pass);
}

#[test]
fn a_lost_update_is_rejected_and_told_by_its_results() {
    let test = test(&[vec![COUNT], vec![COUNT]]);
    let mut history = history_of(&test);
    returned(&mut history, 0, 0, "1", (1, 4));
    returned(&mut history, 1, 0, "1", (2, 3));
    let Verdict::Suspect(suspicion) = verdict(queue, &test, &history) else {
        panic!("not rejected");
    };
    assert_eq!(
        suspicion.message,
        "two calls of a.count() return 1 and 1; one after another, they return 1 and 2"
    );
}

#[test]
fn a_future_that_owns_an_end_may_drop_it_after_its_result() {
    let lost = |take| {
        let test = test(&[vec![PUSH_1], vec![take]]);
        let mut history = history_of(&test);
        returned(&mut history, 0, 0, "()", (1, 2));
        returned(&mut history, 1, 0, "Some(9)", (3, 4));
        verdict(queue, &test, &history)
    };
    assert_eq!(kind(&lost(TRY_TAKE)), Some(FindingKind::NonLinearizable));
    let why = "a future that owns an end drops it after its result is there, and another call may come between";
    assert_eq!(lost(INTO_TAKE), Verdict::Unjudged(why));
}

#[test]
fn a_timeout_after_a_cancelled_call_is_not_held_against_orders_that_never_reach_it() {
    let waits_out = |before: &[u16]| {
        let mut test = test(&[[before, &[TRY_TAKE]].concat(), vec![COUNT]]);
        let mut history = history_of(&test);
        for call in 0..before.len() {
            test.test.threads[0][call].choices = vec![FutureUse::Cancel.choice()];
            returned(&mut history, 0, call, FutureUse::CANCELLED, (1, 2));
        }
        let last = before.len();
        returned(&mut history, 0, last, "None", (3, 6));
        history.lanes[0][last].waited_out = std::time::Duration::from_secs(2);
        returned(&mut history, 1, 0, "1", (4, 5));
        kind(&verdict(queue, &test, &history))
    };
    assert_eq!(waits_out(&[]), Some(FindingKind::Deadlock));
    assert_eq!(waits_out(&[TAKE_ASYNC]), None);
}

#[test]
fn of_two_waits_whose_time_is_up_each_may_be_over_before_what_would_end_the_other() {
    let waits_out = |other: u64| {
        let test = test(&[vec![TRY_TAKE, COUNT], vec![TRY_TAKE]]);
        let mut history = history_of(&test);
        returned(&mut history, 0, 0, "None", (1, 5));
        returned(&mut history, 1, 0, "None", (2, 4));
        returned(&mut history, 0, 1, "1", (6, 7));
        history.lanes[1][0].waited_out = std::time::Duration::from_secs(1);
        history.lanes[0][0].waited_out = std::time::Duration::from_secs(other);
        kind(&verdict(queue, &test, &history))
    };
    assert_eq!(waits_out(0), Some(FindingKind::Deadlock));
    assert_eq!(waits_out(1), None);
}

#[test]
fn an_await_until_time_is_up_counts_only_where_nothing_else_explains_it() {
    let is_waited_out = |change: fn(&mut History)| {
        let test = test(&[vec![COUNT], vec![TRY_TAKE]]);
        let mut history = history_of(&test);
        returned(&mut history, 0, 0, "Err(TimedOut)", (1, 4));
        returned(&mut history, 1, 0, "None", (2, 3));
        history.lanes[0][0].awaited = std::time::Duration::from_secs(1);
        change(&mut history);
        kind(&verdict(queue, &test, &history)) == Some(FindingKind::Deadlock)
    };
    assert!(is_waited_out(|_| {}));
    // Short waits are how code polls.
    assert!(!is_waited_out(|history| {
        history.lanes[0][0].awaited = std::time::Duration::from_millis(500);
    }));
    // It got something, after a pause.
    assert!(!is_waited_out(|history| {
        history.lanes[0][0].outcome = Outcome::Returned(Some("Ok(7)".to_owned()));
    }));
    // The other one works longer than the limit.
    assert!(!is_waited_out(|history| history.lanes[1][0].slept = true));
    assert!(!is_waited_out(|history| {
        history.lanes[1][0].awaited = std::time::Duration::from_secs(5);
    }));
    // The other one was refused, as it is in no order.
    assert!(!is_waited_out(|history| returned(
        history,
        1,
        0,
        "Some(77)",
        (2, 3)
    )));
}

#[test]
fn a_pending_poll_may_have_done_a_part_of_the_work() {
    let with = |cancelled: u16| {
        let mut test = test(&[vec![cancelled], vec![TRY_TAKE]]);
        test.test.threads[0][0].choices = vec![FutureUse::Cancel.choice()];
        let mut history = history_of(&test);
        returned(&mut history, 0, 0, FutureUse::CANCELLED, (1, 2));
        returned(&mut history, 1, 0, "Some(9)", (3, 4));
        verdict(queue, &test, &history)
    };
    assert_eq!(kind(&with(TAKE_ASYNC)), Some(FindingKind::Cancellation));
    let why = "a poll that is pending may have done a part of the work of the object";
    assert_eq!(with(POLL_TAKE), Verdict::Unjudged(why));
}

#[test]
fn taking_from_an_empty_container_may_hang() {
    let test = test(&[vec![TAKE], vec![TRY_TAKE]]);
    let mut history = history_of(&test);
    hangs(&mut history, 0, 0, 1);
    returned(&mut history, 1, 0, "None", (2, 3));
    assert_eq!(
        verdict(stack, &test, &history),
        Verdict::Excused("blocks in a serial order too")
    );
}

#[test]
fn a_call_that_hangs_although_what_it_waits_for_came_is_rejected() {
    let test = test(&[vec![TAKE], vec![PUSH_1]]);
    let mut history = history_of(&test);
    hangs(&mut history, 0, 0, 1);
    returned(&mut history, 1, 0, "()", (2, 3));
    assert_eq!(
        kind(&verdict(stack, &test, &history)),
        Some(FindingKind::Deadlock)
    );
}

#[test]
fn a_call_may_wait_for_what_another_gave_up_to_bring() {
    let test = test(&[vec![TAKE], vec![TRY_PUSH]]);
    let mut history = history_of(&test);
    hangs(&mut history, 0, 0, 1);
    returned(&mut history, 1, 0, "false", (2, 3));
    assert_eq!(
        verdict(queue, &test, &history),
        Verdict::Excused("blocks in a serial order too")
    );
    returned(&mut history, 1, 0, "true", (2, 3));
    assert_eq!(
        kind(&verdict(queue, &test, &history)),
        Some(FindingKind::Deadlock)
    );
}

#[test]
fn of_two_hanging_calls_each_must_be_explained() {
    // One element for two takers: one may hang, both may not.
    let test = test(&[vec![TAKE], vec![TAKE], vec![PUSH_1]]);
    let mut one = history_of(&test);
    returned(&mut one, 0, 0, "1", (1, 4));
    returned(&mut one, 2, 0, "()", (2, 3));
    hangs(&mut one, 1, 0, 5);
    assert_eq!(
        verdict(stack, &test, &one),
        Verdict::Excused("blocks in a serial order too")
    );
    let mut both = history_of(&test);
    hangs(&mut both, 0, 0, 1);
    hangs(&mut both, 1, 0, 2);
    returned(&mut both, 2, 0, "()", (3, 4));
    assert_eq!(
        kind(&verdict(stack, &test, &both)),
        Some(FindingKind::Deadlock)
    );
}

#[test]
fn only_the_first_panic_is_judged() {
    let test = test(&[vec![PUSH_1], vec![TRY_TAKE]]);
    let mut history = history_of(&test);
    let at = |location: &str| Outcome::Panicked("text".to_owned(), location.to_owned());
    history.lanes[0][0].outcome = at("src/lib.rs:1:1");
    history.lanes[1][0].outcome = at("src/lib.rs:2:2");
    let first = Panic {
        thread: ThreadIndex(2),
        message: "text".to_owned(),
        location: "src/lib.rs:2:2".to_owned(),
        ..Panic::default()
    };
    history.first_panic = Some((first, Some(contest_data::test::CallName::Lane(1, 0))));
    let Verdict::Suspect(suspicion) = verdict(queue, &test, &history) else {
        panic!("not rejected");
    };
    assert_eq!(suspicion.kind, FindingKind::Panic);
    assert_eq!(suspicion.locations, ["src/lib.rs:2:2"]);
}

#[test]
fn nothing_is_said_about_results_that_background_threads_touched() {
    let test = test(&[vec![COUNT], vec![COUNT]]);
    let mut history = history_of(&test);
    returned(&mut history, 0, 0, "1", (1, 4));
    returned(&mut history, 1, 0, "1", (2, 3));
    history.background_steps = true;
    assert!(matches!(
        verdict(queue, &test, &history),
        Verdict::Unjudged(_)
    ));
}

#[test]
fn where_a_wait_was_over_early_results_are_judged_and_beside_background_threads_they_are_not() {
    let test = test(&[vec![COUNT], vec![COUNT]]);
    let mut history = history_of(&test);
    history.early_timeout = true;
    returned(&mut history, 0, 0, "1", (1, 4));
    returned(&mut history, 1, 0, "2", (2, 3));
    assert_eq!(verdict(queue, &test, &history), Verdict::Pass);
    returned(&mut history, 1, 0, "1", (2, 3));
    let wrong = verdict(queue, &test, &history);
    assert_eq!(kind(&wrong), Some(FindingKind::NonLinearizable));
    history.background_threads = 1;
    assert!(matches!(
        verdict(queue, &test, &history),
        Verdict::Unjudged(_)
    ));
}

#[test]
fn a_call_whose_time_was_up_may_have_had_no_effect() {
    let test = test(&[vec![COUNT], vec![COUNT, COUNT]]);
    let mut history = history_of(&test);
    returned(&mut history, 1, 0, "1", (1, 2));
    returned(&mut history, 0, 0, "gave up", (3, 8));
    returned(&mut history, 1, 1, "2", (4, 5));
    history.early_timeout = true;
    let wrong = verdict(queue, &test, &history);
    assert_eq!(kind(&wrong), Some(FindingKind::NonLinearizable));
    history.lanes[0][0].waited_out = std::time::Duration::from_millis(1);
    assert_eq!(
        verdict(queue, &test, &history),
        Verdict::Excused("a call gave up because its time was up, and had no effect")
    );
}

#[test]
fn a_try_operation_may_give_up_beside_another_call_and_not_alone() {
    let test = test(&[vec![COUNT], vec![COUNT, TRY_TAKE]]);
    let mut history = history_of(&test);
    returned(&mut history, 1, 0, "1", (1, 2));
    returned(&mut history, 0, 0, "2", (3, 8));
    returned(&mut history, 1, 1, "None", (4, 5));
    assert_eq!(
        verdict(queue, &test, &history),
        Verdict::Excused("a call gave up while another thread was inside")
    );
    returned(&mut history, 0, 0, "2", (3, 4));
    returned(&mut history, 1, 1, "None", (5, 6));
    assert_eq!(
        kind(&verdict(queue, &test, &history)),
        Some(FindingKind::NonLinearizable)
    );
}

#[test]
fn values_may_come_between_those_that_one_call_adds() {
    let test = test(&[vec![EXTEND], vec![COUNT]]);
    let mut history = history_of(&test);
    returned(&mut history, 0, 0, "()", (1, 4));
    returned(&mut history, 1, 0, "2", (2, 3));
    assert_eq!(
        verdict(queue, &test, &history),
        Verdict::Excused("an operation on several values at once, which need not be one step")
    );
}
