//! What a check finds, and how it is configured.

use std::panic::catch_unwind;
use std::time::Duration;

use crate::subjects::{Exact, Lossy, Twice};

#[test]
fn a_lost_update_is_found_and_the_right_counter_is_clean() {
    let report = contest::check::<Lossy>().report();
    let finding = &report.findings[0];
    assert_eq!(finding.kind.name(), "non-linearizable");
    assert_eq!(finding.threads, [["a.add()"], ["a.add()"]]);
    let report = contest::check::<Exact>()
        .budget(Duration::from_millis(300))
        .report();
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    assert!(report.totals.exhausted > 0);
}

#[test]
fn results_of_a_type_parameter_are_compared() {
    let report = contest::check::<Twice<u32>>().report();
    let finding = report.findings.first().expect("two threads get one value");
    assert_eq!(finding.threads, [["a.pop()"], ["a.pop()"]]);
    assert_eq!(finding.subject, "Twice<u32>");
}

#[test]
fn the_same_seed_runs_the_same_tests() {
    let run = |seed| {
        let report = contest::check::<Lossy>()
            .seed(seed)
            .generator("random")
            .strategy("random")
            // It ends with the finding, which a busy machine reaches late.
            .budget(Duration::from_secs(60))
            .report();
        report.findings[0].schedule.clone()
    };
    assert_eq!(run(7), run(7));
}

#[test]
fn what_is_allowed_does_not_fail() {
    let report = contest::check::<Lossy>()
        .allow("non-linearizable")
        .budget(Duration::from_millis(100))
        .report();
    assert!(report.findings.is_empty());
    assert!(
        report
            .totals
            .skipped
            .iter()
            .any(|(why, _)| why == "allowed: non-linearizable")
    );
}

#[test]
fn wrong_results_are_allowed_where_the_calls_are_interrupted() {
    let run = |place| {
        contest::check::<Lossy>()
            .allow(place)
            .budget(Duration::from_millis(300))
            .report()
    };
    let here = run("non-linearizable:annotated/subjects.rs");
    assert!(here.findings.is_empty(), "{:#?}", here.findings);
    let mut skipped = here.totals.skipped.iter();
    let why = "allowed: non-linearizable:annotated/subjects.rs";
    assert!(skipped.any(|(it, _)| it == why), "{:?}", here.totals);
    assert!(here.totals.exhausted > 0);
    let elsewhere = run("non-linearizable:annotated/checks.rs");
    assert!(!elsewhere.findings.is_empty());
}

#[test]
fn a_name_that_is_none_is_refused_with_those_there_are() {
    let message = |run: fn()| {
        let payload = catch_unwind(run).expect_err("refused");
        *payload.downcast::<String>().expect("a text")
    };
    let strategy = message(|| drop(contest::check::<Exact>().strategy("clever").report()));
    assert!(
        strategy.contains("no strategy `clever`") && strategy.contains("auto"),
        "{strategy}"
    );
    let generator = message(|| drop(contest::check::<Exact>().generator("new").report()));
    assert!(generator.contains("autocontest"), "{generator}");
    let kind = message(|| drop(contest::check::<Exact>().allow("bug").report()));
    assert!(kind.contains("non-linearizable"), "{kind}");
    let nested = message(|| {
        contest::Builder::new()
            .allow_no_decisions()
            .check(|| drop(contest::check::<Exact>().report()));
    });
    assert!(
        nested.contains("`check` cannot be run inside a model"),
        "{nested}"
    );
}

#[test]
fn checks_run_beside_each_other_and_beside_ordinary_tests() {
    let exact = Exact::new();
    let exact = &exact;
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert!(!contest::check::<Lossy>().report().findings.is_empty()));
        }
        // The same types on real threads, outside of any execution.
        let threads: Vec<_> = (0..2)
            .map(|_| scope.spawn(move || (0..1000).for_each(|_| exact.add())))
            .collect();
        threads.into_iter().for_each(|it| it.join().unwrap());
        assert_eq!(exact.value(), 2000);
    });
}
