//! Memory left behind, beside what serial orders leave.

use super::model::*;
use crate::judge::linearizability::Compared;
use crate::judge::{History, Judge, SerialOutcomes, Verdict};
use contest_data::finding::FindingKind;
use contest_data::test::{CallName, RunnableTest, TestShape};
use contest_data::trace::{Panic, ThreadIndex, Unowned};

const IN_SERIAL_ORDER: Verdict = Verdict::Excused("leaks memory in a serial order too");

fn blocks(sizes: &[usize]) -> Vec<(Unowned, Option<CallName>)> {
    let block = |&size: &usize| Unowned {
        size,
        held: false,
        allocated: None,
    };
    sizes.iter().map(|size| (block(size), None)).collect()
}

/// Two calls that return what they do one after another.
fn counted() -> (RunnableTest, History) {
    let test = test(&[vec![COUNT], vec![COUNT]]);
    let mut history = empty(&TestShape::of(&test));
    returned(&mut history, 0, 0, "1", (1, 3));
    returned(&mut history, 1, 0, "2", (2, 4));
    (test, history)
}

/// What is thought of an execution that leaves blocks of these sizes, if the two serial orders leave those.
fn judged(
    (test, mut history): (RunnableTest, History),
    left: &[usize],
    serial: [&[usize]; 2],
) -> Verdict {
    let mut model = Model(queue);
    let outcomes = SerialOutcomes::of(&test, &mut model);
    judged_beside(&test, &mut history, left, (outcomes, serial))
}

fn judged_beside(
    test: &RunnableTest,
    history: &mut History,
    left: &[usize],
    (mut outcomes, serial): (SerialOutcomes, [&[usize]; 2]),
) -> Verdict {
    for (run, sizes) in outcomes.runs.iter_mut().zip(serial) {
        run.history.unowned = blocks(sizes);
    }
    history.unowned = blocks(left);
    let judge = Judge {
        test,
        shape: &TestShape::of(test),
        outcomes: &outcomes,
        compared: &Compared::default(),
    };
    judge.judge_history(history, &mut Model(queue))
}

fn kind(verdict: &Verdict) -> Option<FindingKind> {
    match verdict {
        Verdict::Suspect(suspicion) => Some(suspicion.kind),
        _ => None,
    }
}

#[test]
fn blocks_that_no_serial_order_leaves_are_a_leak() {
    let verdict = judged(counted(), &[24, 8], [&[], &[]]);
    assert_eq!(kind(&verdict), Some(FindingKind::Leak));
    let Verdict::Suspect(suspicion) = verdict else {
        panic!("not a bug");
    };
    assert_eq!(
        suspicion.message,
        "memory leak: 2 blocks (32 bytes) are without an owner after everything was dropped"
    );
}

#[test]
fn a_block_that_is_left_by_design_hides_no_other() {
    let verdict = judged(counted(), &[8, 24], [&[8], &[8]]);
    assert_eq!(kind(&verdict), Some(FindingKind::Leak));
}

#[test]
fn more_blocks_of_a_size_that_a_serial_order_leaves_are_none() {
    assert_eq!(judged(counted(), &[8, 8, 8], [&[], &[8]]), IN_SERIAL_ORDER);
}

#[test]
fn what_is_held_by_a_block_that_is_left_by_design_is_none() {
    let (test, mut history) = counted();
    let mut outcomes = SerialOutcomes::of(&test, &mut Model(queue));
    let mut held = blocks(&[24]);
    held[0].0.held = true;
    for run in &mut outcomes.runs {
        run.history.unowned = blocks(&[8]);
    }
    history.unowned = blocks(&[8]);
    history.unowned.extend(held);
    let judge = Judge {
        test: &test,
        shape: &TestShape::of(&test),
        outcomes: &outcomes,
        compared: &Compared::default(),
    };
    let verdict = judge.judge_history(&history, &mut Model(queue));
    assert_eq!(verdict, IN_SERIAL_ORDER);
}

#[test]
fn a_block_of_another_size_in_place_of_one_is_none() {
    assert_eq!(judged(counted(), &[64], [&[32], &[32]]), IN_SERIAL_ORDER);
}

#[test]
fn nothing_left_is_a_pass_whatever_serial_orders_leave() {
    assert_eq!(judged(counted(), &[], [&[8], &[8]]), Verdict::Pass);
}

#[test]
fn wrong_results_are_told_rather_than_the_leak() {
    let (test, mut history) = counted();
    returned(&mut history, 1, 0, "1", (2, 4));
    let verdict = judged((test, history), &[8], [&[], &[]]);
    assert_eq!(kind(&verdict), Some(FindingKind::NonLinearizable));
}

#[test]
fn beside_background_threads_nothing_is_said() {
    let (test, mut history) = counted();
    history.background_steps = true;
    let verdict = judged((test, history), &[8], [&[], &[]]);
    assert!(matches!(verdict, Verdict::Unjudged(_)), "{verdict:?}");
}

#[test]
fn serial_orders_that_panic_are_no_measure() {
    let (test, mut history) = counted();
    let mut outcomes = SerialOutcomes::of(&test, &mut Model(queue));
    let panic = Panic {
        thread: ThreadIndex(2),
        message: "formatted".to_owned(),
        location: "src/once.rs:1:1".to_owned(),
        ..Panic::default()
    };
    for run in &mut outcomes.runs {
        run.history.first_panic = Some((panic.clone(), None));
    }
    let verdict = judged_beside(&test, &mut history, &[8], (outcomes, [&[], &[]]));
    assert!(matches!(verdict, Verdict::Unjudged(_)), "{verdict:?}");
}
