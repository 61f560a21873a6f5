//! What must be found, and what must not.

use contest_data::finding::FindingKind::{Deadlock, Livelock, NonLinearizable, Panic};
use contest_data::observed::Observed;
use contest_data::observed::Seen;
use contest_data::settings::Settings;
use contest_data::subject::Subject;
use contest_data::totals::FailureAlone;

use crate::subjects;
use crate::support::{campaign, settings};

#[test]
fn a_lost_update_is_found_with_two_calls_and_one_preemption() {
    let heard = campaign(&subjects::COUNTER, &settings(300));
    let finding = heard.one();
    assert_eq!(finding.kind, NonLinearizable);
    assert_eq!(
        finding.threads,
        [["a.inc()"], ["a.inc()"]],
        "{}",
        heard.text()
    );
    assert!(
        finding.prefix == ["let a = Counter::new();"],
        "{}",
        heard.text()
    );
}

#[test]
fn a_computation_that_runs_twice_is_found_by_its_closure_calls() {
    let heard = campaign(&subjects::CACHE, &settings(300));
    let finding = heard.one();
    assert_eq!(finding.kind, NonLinearizable);
    assert_eq!(
        finding.threads,
        [["a.get_with(1, || 5)"], ["a.get_with(1, || 5)"]]
    );
}

#[test]
fn locks_taken_in_two_orders_are_a_deadlock_of_two_objects() {
    let heard = campaign(&subjects::ACCOUNT, &settings(300));
    let finding = heard.one();
    assert_eq!(finding.kind, Deadlock);
    assert_eq!(
        finding.threads,
        [["a.transfer(&b)"], ["b.transfer(&a)"]],
        "{}",
        heard.text()
    );
}

#[test]
fn other_calls_may_come_between_two_items_of_an_iterator() {
    let heard = campaign(&subjects::DRAINED_QUEUE, &settings(2_000));
    assert!(heard.findings.is_empty(), "{}", heard.text());
    assert!(heard.ran.len() > 10, "{}", heard.text());
}

#[test]
fn a_wait_with_a_time_limit_is_over_before_the_next_call_of_a_serial_order() {
    // `write` waits for ever after a `try_write_for` that has given up, and `read` waits for `write`: so it is in the
    // order of the calls, but not if `read` starts while `try_write_for` waits.
    let heard = campaign(&subjects::RAW_LOCK, &settings(3_000));
    assert!(heard.findings.is_empty(), "{}", heard.text());
}

#[test]
fn a_lost_wake_up_is_a_deadlock_and_blocking_alone_is_not() {
    let heard = campaign(&subjects::LOSING_QUEUE, &settings(500));
    assert!(heard.kinds().contains(&Deadlock), "{}", heard.text());
    assert!(heard.alone.iter().any(
        |alone| alone.what == FailureAlone::Blocks && alone.calls.last().unwrap() == "a.pop()"
    ));
}

#[test]
fn a_panic_of_two_threads_is_found_and_one_of_a_single_thread_is_reported_separately() {
    let heard = campaign(&subjects::EXCLUSIVE, &settings(300));
    let finding = heard.one();
    assert_eq!(finding.kind, Panic);
    assert_eq!(
        finding.threads,
        [["a.enter()"], ["a.enter()"]],
        "{}",
        heard.text()
    );
    assert_eq!(heard.alone.len(), 1, "{}", heard.text());
    assert!(
        heard.alone[0].what == FailureAlone::Panics
            && heard.alone[0].detail.contains("not written yet")
    );
}

#[test]
fn a_panic_that_documentation_announces_is_reported_on_request_with_the_sentence() {
    let heard = campaign(&subjects::ANNOUNCED, &settings(300));
    assert!(heard.findings.is_empty(), "{}", heard.text());
    let strict = Settings {
        strict: true,
        ..settings(300)
    };
    let heard = campaign(&subjects::ANNOUNCED, &strict);
    let finding = heard.one();
    assert_eq!(finding.kind, Panic);
    assert!(
        finding.details[1].contains("Panics if it is borrowed."),
        "{}",
        heard.text()
    );
}

#[test]
fn a_spinning_thread_that_no_thread_releases_is_a_livelock() {
    let heard = campaign(&subjects::POLITE, &settings(300));
    let finding = heard.one();
    assert_eq!(finding.kind, Livelock);
    assert_eq!(
        finding.threads,
        [["a.left()"], ["a.right()"]],
        "{}",
        heard.text()
    );
}

#[test]
fn a_wait_that_only_its_timeout_ends_is_a_deadlock() {
    let heard = campaign(&subjects::POOL, &settings(300));
    let finding = heard.one();
    assert_eq!(finding.kind, Deadlock);
    assert_eq!(finding.threads, [["a.lend()"], ["a.lend()"]]);
    assert!(
        finding.message.contains("until its timeout (30 s)"),
        "{}",
        finding.message
    );
}

#[test]
fn a_handle_that_shows_shared_state_is_no_result() {
    let heard = campaign(&subjects::SHARED, &settings(300));
    assert_eq!(heard.kinds(), [], "{}", heard.text());
    assert!(heard.totals.subjects[0].exhausted > 3);
}

#[test]
fn correct_subjects_come_out_clean() {
    for subject in [&subjects::CORRECT_COUNTER, &subjects::CORRECT_QUEUE] {
        let heard = campaign(subject, &settings(500));
        assert_eq!(heard.kinds(), [], "{}", heard.text());
        assert!(heard.totals.subjects[0].exhausted > 10, "{}", heard.text());
    }
}

#[test]
fn facts_about_operations_are_recorded_on_request() {
    use contest_data::observed::{OperationFact, PairFact};
    let recording = Settings {
        behaviour: true,
        ..settings(300)
    };
    fn behaviour(subject: &'static [Subject], settings: &Settings) -> Observed {
        campaign(subject, settings).totals.subjects[0]
            .behaviour
            .clone()
    }
    let nothing = behaviour(&subjects::COUNTER, &settings(100));
    assert!(nothing.alone.is_empty());
    let seen = behaviour(&subjects::COUNTER, &recording);
    let does = |operation, does| {
        let of = |it: &&Seen| it.operation == operation && it.does == does;
        seen.alone.iter().filter(of).count()
    };
    assert!(does(0, OperationFact::Reads) > 0 && does(0, OperationFact::Writes) > 0);
    assert_eq!(does(0, OperationFact::Locks), 0);
    let together = |wanted| seen.together.iter().any(|it| it.does == wanted);
    assert!(together(PairFact::Conflict) && together(PairFact::Interleave));
    assert!(!together(PairFact::SameLock));
    let seen = behaviour(&subjects::ACCOUNT, &recording);
    let together = |wanted| seen.together.iter().any(|it| it.does == wanted);
    assert!(together(PairFact::SameLock));
    assert!(
        seen.alone
            .iter()
            .any(|it| it.does == OperationFact::LocksMore)
    );
}

#[test]
fn a_call_that_lost_against_another_and_says_retry_is_right() {
    assert_eq!(campaign(&subjects::RANGE, &settings(2_000)).kinds(), []);
    let twice = campaign(&subjects::RANGE_TWICE, &settings(2_000));
    assert_eq!(
        twice.kinds(),
        [contest_data::finding::FindingKind::NonLinearizable]
    );
}
