//! `data/random.rs` and `basic/uncontrolled_nondeterminism.rs`: random numbers belong to the schedule.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use contest::rand::thread_rng;
use contest::{Builder, FindingKind, thread};
use contest_compat::shuttle::{check_random, check_uncontrolled_nondeterminism};

fn drawn_by(strategy: &str, executions: u64) -> (usize, Option<String>) {
    let drawn = Arc::new(Mutex::new(BTreeSet::new()));
    let all = Arc::clone(&drawn);
    let report = Builder::new()
        .strategy(strategy)
        .max_executions(executions)
        .without_repetitions()
        .run(move || {
            let thread = thread::spawn(thread::yield_now);
            thread::yield_now();
            drawn.lock().unwrap().insert(thread_rng().next_u64());
            thread.join().unwrap();
        });
    assert_eq!(report.findings(), []);
    let different = all.lock().unwrap().len();
    (different, report.cut().map(ToOwned::to_owned))
}

#[test]
fn a_sampler_draws_other_numbers_in_every_execution() {
    for strategy in ["random", "pct", "pos", "urw", "surw"] {
        assert_eq!(drawn_by(strategy, 100).0, 100, "{strategy}");
    }
}

#[test]
fn an_exhaustive_search_draws_the_same_numbers_and_says_that_it_did_not_try_all() {
    let (different, cut) = drawn_by("dpor", 10_000);
    assert_eq!(different, 1);
    assert!(cut.is_some_and(|cut| cut.contains("random numbers")));
}

#[test]
fn threads_draw_different_numbers() {
    let report = Builder::new()
        .strategy("random")
        .max_executions(100)
        .run(|| {
            let draw = || thread_rng().next_u64();
            let (one, other) = (thread::spawn(draw), thread::spawn(draw));
            let drawn = [one.join().unwrap(), other.join().unwrap(), draw(), draw()];
            assert_eq!(BTreeSet::from(drawn).len(), 4);
        });
    assert_eq!(report.findings(), []);
}

#[test]
fn a_failing_number_is_found_and_comes_again_in_a_replay() {
    fn model() {
        let number = thread_rng().below(10);
        thread::spawn(|| {}).join().unwrap();
        assert_ne!(number, 7, "found {number}");
    }
    let report = Builder::new()
        .strategy("random")
        .max_executions(1_000)
        .run(model);
    let finding = report
        .findings()
        .first()
        .expect("one in ten executions fails");
    assert!(finding.message.contains("found 7"), "{}", finding.message);
    let again = Builder::new().replay(&finding.schedule).run(model);
    assert_eq!(again.findings()[0].message, finding.message);
}

#[test]
fn numbers_that_are_not_controlled_are_noticed() {
    fn uncontrolled() {
        // Four executions are repeated at most: each of them may draw the same number of threads again.
        let number = RandomState::new().build_hasher().finish();
        for _ in 0..number % 64 {
            thread::spawn(|| {}).join().unwrap();
        }
    }
    fn controlled() {
        for _ in 0..thread_rng().below(4) {
            thread::spawn(|| {}).join().unwrap();
        }
    }
    let report = Builder::new()
        .strategy("random")
        .max_executions(1_000)
        .run(uncontrolled);
    assert_eq!(report.findings()[0].kind, FindingKind::Nondeterministic);
    let payload =
        catch_unwind(|| check_uncontrolled_nondeterminism(uncontrolled, 100)).unwrap_err();
    let text = payload.downcast_ref::<String>().expect("a message");
    assert!(text.contains("possible nondeterminism"), "{text}");
    check_uncontrolled_nondeterminism(controlled, 100);
    check_random(controlled, 100);
}

#[test]
fn a_depth_first_search_refuses_random_numbers_unless_they_are_allowed() {
    use contest_compat::shuttle::scheduler::DfsScheduler;
    use contest_compat::shuttle::{Config, Runner};
    let run = |allowed| {
        let runner = Runner::new(DfsScheduler::new(None, allowed), Config::new());
        catch_unwind(AssertUnwindSafe(move || {
            runner.run(|| {
                let _ = thread_rng().next_u32();
            })
        }))
    };
    assert!(run(true).is_ok());
    let payload = run(false).unwrap_err();
    let text = payload.downcast_ref::<String>().expect("a message");
    assert!(text.contains("requested random data"), "{text}");
}
