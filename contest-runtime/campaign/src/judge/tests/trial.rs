//! Findings on trial: what serial orders show under other circumstances.

use super::model::{POST, TAKE_ASYNC, TRY_TAKE, empty, queue, returned, test, verdict};
use crate::judge::history::Observed;
use crate::judge::{
    Compared, History, Interleavings, Judge, RunSerially, SerialOutcomes, SerialRun, Variation,
    Verdict, vary,
};
use contest_data::circumstances::Circumstances;
use contest_data::finding::FindingKind;
use contest_data::subject::FutureUse;
use contest_data::test::{RunnableTest, Split, TestShape};
use contest_data::trace::Outcome;

/// What the call of a lane returns: by the circumstances, the calls before it in all, those of its thread on other
/// objects, and those of all threads on other objects.
type Result = fn(Circumstances, u32, u32, u32) -> String;

/// A counter whose calls return what this function says.
struct Counter {
    result: Result,
    circumstances: Circumstances,
}

impl RunSerially for Counter {
    fn set_background_first(&mut self, _: bool) {}

    fn set_circumstances(&mut self, circumstances: Circumstances) -> Circumstances {
        std::mem::replace(&mut self.circumstances, circumstances)
    }

    fn run_beside_tasks(
        &mut self,
        _: &RunnableTest,
        _: Interleavings,
        _: &mut dyn FnMut(History),
    ) -> bool {
        false
    }

    fn run_serially(&mut self, test: &RunnableTest, order: &[u8], _: &Split) -> SerialRun {
        let shape = TestShape::of(test);
        let mut history = empty(&shape);
        let absent = history.lanes[0][0].clone();
        history.main = vec![
            Observed {
                outcome: Outcome::Returned(None),
                ..absent
            };
            shape.main_calls()
        ];
        let own = test.test.objects.len() - 1;
        let elsewhere = |calls: &[contest_data::test::TestCall]| {
            calls
                .iter()
                .filter(|it| usize::from(it.object) != own)
                .count() as u32
        };
        let by_main = elsewhere(&test.test.prefix);
        let mut next = vec![0; history.lanes.len()];
        let (mut count, mut of_all, mut time) = (0, by_main, 0);
        for &lane in order {
            let lane = usize::from(lane);
            let calls = &test.test.threads[lane];
            let number = next[lane];
            next[lane] += 1;
            let of_thread = elsewhere(&calls[..number]);
            let text = (self.result)(self.circumstances, count, of_thread, of_all);
            if usize::from(calls[number].object) == own {
                count += 1;
            } else {
                of_all += 1;
            }
            time += 2;
            returned(&mut history, lane, number, &text, (time, time + 1));
        }
        SerialRun {
            order: order.to_vec(),
            history,
            overlapped: false,
            panics: Vec::new(),
        }
    }
}

/// Two calls beside each other return these; what is said of that after all variations.
fn of_two(result: Result, returned_texts: [&str; 2]) -> Option<FindingKind> {
    let test = test(&[vec![TRY_TAKE], vec![TRY_TAKE]]);
    let mut run = Counter {
        result,
        circumstances: Circumstances::USUAL,
    };
    let mut outcomes = SerialOutcomes::of(&test, &mut run);
    let mut compared = Compared::default();
    let shape = TestShape::of(&test);
    let mut history = empty(&shape);
    for (lane, text) in returned_texts.into_iter().enumerate() {
        returned(&mut history, lane, 0, text, (1, 9));
    }
    let judged = |outcomes: &SerialOutcomes, compared: &Compared, run: &mut Counter| {
        let judge = Judge {
            test: &test,
            shape: &shape,
            outcomes,
            compared,
        };
        match judge.judge_history(&history, run) {
            Verdict::Suspect(suspicion) => Some(suspicion.kind),
            _ => None,
        }
    };
    assert!(
        judged(&outcomes, &compared, &mut run).is_some(),
        "nothing to try"
    );
    for variation in Variation::ALL {
        vary(variation, &test, &mut outcomes, &mut compared, &mut run);
    }
    judged(&outcomes, &compared, &mut run)
}

#[test]
fn a_result_that_other_draws_show_in_a_serial_order_is_no_finding() {
    let draws: Result = |it, count, _, _| format!("{} of {count}", it.draws % 3);
    assert_eq!(of_two(draws, ["2 of 0", "1 of 1"]), None);
}

#[test]
fn beside_a_random_part_the_rest_of_a_result_is_still_compared() {
    let draws: Result = |it, count, _, _| format!("Call {{ id: {}, number: {count} }}", it.draws);
    let call = |id: u32, number: u32| format!("Call {{ id: {id}, number: {number} }}");
    assert_eq!(of_two(draws, [&call(77, 0), &call(88, 1)]), None);
    assert_eq!(
        of_two(draws, [&call(77, 0), &call(88, 0)]),
        Some(FindingKind::NonLinearizable)
    );
}

#[test]
fn a_rate_is_not_compared_and_a_count_is() {
    let rate: Result = |it, count, _, _| format!("{count} in {}", it.tick.as_nanos() + 7);
    assert_eq!(of_two(rate, ["0 in 3", "1 in 4"]), None);
    assert_eq!(
        of_two(rate, ["0 in 3", "0 in 4"]),
        Some(FindingKind::NonLinearizable)
    );
}

#[test]
fn an_order_of_keys_does_not_matter_and_the_keys_do() {
    let keys: Result = |it, count, _, _| match (count, it.draws % 2) {
        (0, _) => "[1]".to_owned(),
        (_, 0) => "[1, 2]".to_owned(),
        _ => "[2, 1]".to_owned(),
    };
    assert_eq!(of_two(keys, ["[1]", "[2, 1]"]), None);
    assert_eq!(
        of_two(keys, ["[1]", "[1]"]),
        Some(FindingKind::NonLinearizable)
    );
}

#[test]
fn what_a_thread_did_before_with_another_object_may_matter() {
    let generator: Result = |_, _, of_thread, _| (of_thread % 2).to_string();
    assert_eq!(of_two(generator, ["1", "0"]), None);
    assert_eq!(of_two(generator, ["1", "1"]), None);
}

#[test]
fn numbers_that_all_threads_count_together_must_still_differ() {
    let numbers: Result = |_, count, _, of_all| (count + of_all).to_string();
    assert_eq!(
        of_two(numbers, ["0", "0"]),
        Some(FindingKind::NonLinearizable)
    );
}

#[test]
fn what_nothing_changes_stays_a_finding() {
    let counter: Result = |_, count, _, _| count.to_string();
    assert_eq!(
        of_two(counter, ["0", "0"]),
        Some(FindingKind::NonLinearizable)
    );
}

/// A cancelled call, and what `try_take` returns after it in the same lane.
fn after_cancelled(operation: u16, taken: &str) -> Verdict {
    let mut test = test(&[vec![operation, TRY_TAKE], vec![]]);
    test.test.threads[0][0].choices = vec![FutureUse::Cancel.choice()];
    let mut history = empty(&TestShape::of(&test));
    returned(&mut history, 0, 0, FutureUse::CANCELLED, (1, 2));
    returned(&mut history, 0, 1, taken, (3, 4));
    verdict(queue, &test, &history)
}

#[test]
fn all_of_a_cancelled_call_is_what_it_has_done_when_it_waits_for_ever() {
    assert_eq!(after_cancelled(POST, "None"), Verdict::Pass);
    assert_eq!(after_cancelled(POST, "Some(4)"), Verdict::Pass);
    assert_eq!(after_cancelled(TAKE_ASYNC, "None"), Verdict::Pass);
}

#[test]
fn what_a_cancelled_call_has_done_neither_waiting_nor_not_at_all_is_a_finding() {
    for operation in [POST, TAKE_ASYNC] {
        let verdict = after_cancelled(operation, "Some(7)");
        let Verdict::Suspect(suspicion) = verdict else {
            panic!("{verdict:?}");
        };
        assert_eq!(suspicion.kind, FindingKind::Cancellation);
    }
}

#[test]
fn more_cancelled_calls_than_are_looked_at_are_no_finding() {
    let with = |cancelled: usize| {
        let lane = [&vec![POST; cancelled][..], &[TRY_TAKE]].concat();
        let mut test = test(&[lane, vec![]]);
        let mut history = empty(&TestShape::of(&test));
        for call in 0..cancelled {
            test.test.threads[0][call].choices = vec![FutureUse::Cancel.choice()];
            returned(&mut history, 0, call, FutureUse::CANCELLED, (1, 2));
        }
        returned(&mut history, 0, cancelled, "Some(7)", (3, 4));
        let mut model = super::model::Model(queue);
        let outcomes = SerialOutcomes::of(&test, &mut model);
        let judge = Judge {
            test: &test,
            shape: &TestShape::of(&test),
            outcomes: &outcomes,
            compared: &Compared::default(),
        };
        let record = contest_data::trace::ExecutionRecord::empty();
        judge.judge(&record, &history, &mut model)
    };
    assert!(matches!(with(3), Verdict::Suspect(_)));
    assert!(matches!(with(4), Verdict::Unjudged(_)));
}
