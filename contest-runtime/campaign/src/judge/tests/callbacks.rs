//! Closures that call the object: which deadlocks are the crate's, and that results of such calls are not judged.

use super::model::*;
use crate::judge::callbacks;
use crate::judge::crossed_locks::LockWait;
use crate::judge::history::History;
use crate::judge::{Compared, Judge, SerialOutcomes, SerialRun, Verdict};
use contest_data::test::{CallName, TestShape};
use contest_data::trace::{Ending, Outcome, Panic, ThreadIndex};

const FIRST: ThreadIndex = ThreadIndex(1);
const SECOND: ThreadIndex = ThreadIndex(2);

fn judged(lanes: &[Vec<u16>], end: impl FnOnce(&mut History)) -> Option<Verdict> {
    let test = test(lanes);
    let shape = TestShape::of(&test);
    let mut history = empty(&shape);
    end(&mut history);
    let judge = Judge {
        test: &test,
        shape: &shape,
        outcomes: &SerialOutcomes::default(),
        compared: &Compared::default(),
    };
    callbacks::judge(&judge, &history)
}

/// Both calls hang: each waits for a lock that the other one has taken; the first thread had these before.
fn hangs(history: &mut History, had_in: &[u16]) {
    let wait = |waiter, holder, had_in: &[u16]| LockWait {
        waiter,
        holder,
        taken_in: Some(0),
        had_in: had_in.to_vec(),
    };
    history.ending = Ending::Deadlock(Vec::new());
    history.lanes[0][0].outcome = Outcome::Pending;
    history.lanes[1][0].outcome = Outcome::Pending;
    history.lock_waits = vec![wait(FIRST, SECOND, had_in), wait(SECOND, FIRST, &[])];
}

const LANES: [[u16; 1]; 2] = [[COMES_BACK], [PUSH_1]];

fn lanes(of: [[u16; 1]; 2]) -> Vec<Vec<u16>> {
    of.map(Vec::from).into()
}

#[test]
fn a_new_lock_that_a_call_holds_which_waits_for_ours_is_for_the_usual_rules() {
    let verdict = judged(&lanes(LANES), |history| hangs(history, &[]));
    assert_eq!(verdict, None);
}

#[test]
fn a_lock_that_is_taken_again_and_one_that_is_not_known_are_excused() {
    let again = judged(&lanes(LANES), |history| hangs(history, &[0]));
    assert!(matches!(again, Some(Verdict::Excused(_))), "{again:?}");
    let unknown = judged(&lanes(LANES), |history| {
        hangs(history, &[]);
        history.lock_waits.clear();
    });
    assert!(matches!(unknown, Some(Verdict::Excused(_))), "{unknown:?}");
}

#[test]
fn results_of_two_calls_one_inside_the_other_are_not_compared() {
    let end = |history: &mut History| {
        returned(history, 0, 0, "1", (1, 4));
        returned(history, 1, 0, "2", (2, 3));
    };
    assert_eq!(judged(&lanes(LANES), end), Some(Verdict::Pass));
    assert_eq!(judged(&lanes([[PUSH_1], [PUSH_2]]), end), None);
}

#[test]
fn what_panics_after_a_panic_of_a_closure_may_do_so_elsewhere_while_it_waits() {
    let lanes = lanes([[PANICS], [PUSH_1]]);
    let test = test(&lanes);
    let shape = TestShape::of(&test);
    let panicked = |at: &str| {
        let mut history = empty(&shape);
        returned(&mut history, 0, 0, "Err", (1, 4));
        history.lanes[1][0].outcome = Outcome::Panicked("poisoned".into(), at.into());
        let panic = Panic {
            thread: SECOND,
            message: "poisoned".to_owned(),
            location: at.to_owned(),
            step: 0,
            call: Some(0),
        };
        history.first_panic = Some((panic, Some(CallName::Lane(1, 0))));
        history
    };
    let serial = |history| {
        let mut outcomes = SerialOutcomes::default();
        outcomes.runs.push(SerialRun {
            order: vec![0, 1],
            history,
            overlapped: false,
            panics: Vec::new(),
        });
        outcomes
    };
    let judged = |outcomes: &SerialOutcomes| {
        let judge = Judge {
            test: &test,
            shape: &shape,
            outcomes,
            compared: &Compared::default(),
        };
        callbacks::judge(&judge, &panicked("src/lib.rs:1"))
    };
    let elsewhere = judged(&serial(panicked("src/lib.rs:2")));
    assert!(
        matches!(elsewhere, Some(Verdict::Excused(_))),
        "{elsewhere:?}"
    );
    assert_eq!(judged(&serial(empty(&shape))), None);
}
