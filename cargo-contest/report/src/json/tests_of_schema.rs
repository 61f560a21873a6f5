//! The schema of the contract, `schema/message.schema.json`, held against what is printed.

use std::time::Duration;

use contest_data::ladder::{Rung, RungTotals};
use contest_data::orderings::{AtomicPlace, AtomicRole, MemoryOrder, OrderingChange};
use contest_data::totals::{Progress, SubjectTotals};
use jsonschema::Validator;
use serde_json::Value;

use super::*;
use crate::difference::Difference;
use crate::orderings::{Advice, Explored, Verdict};
use crate::sample::deadlock;
use contest_catalog::growth::Growth;
use contest_catalog::ordering_advice::{Repair, Repairs};
use contest_catalog::run_budget::RunBudget;

const SCHEMA: &str = include_str!("../../schema/message.schema.json");

/// Checks a line, and that the schema names every field that its message has.
#[track_caller]
fn check(schema: &Value, validator: &Validator, line: &str) {
    let message: Value = serde_json::from_str(line).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&message)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{line}");
    let reason = message["reason"].as_str().unwrap();
    let described = match reason {
        "summary" => "run-summary",
        "step" => "slow-step",
        other => other,
    };
    let described = &schema["$defs"][described]["properties"];
    for field in message.as_object().unwrap().keys() {
        assert!(
            !described[field].is_null(),
            "schema/message.schema.json does not describe `{field}` of `{reason}`"
        );
    }
}

fn with_ladder() -> RunSummary {
    let rung = RungTotals {
        tests: 3,
        begun: 2,
        complete: 1,
        cut: vec![("end of the budget".to_owned(), 1)],
        ..RungTotals::default()
    };
    RunSummary {
        subjects: vec![SubjectTotals {
            name: "a::B".to_owned(),
            ladder: vec![rung],
            approximate: vec!["len".to_owned()],
            not_cancelled: vec!["read_all".to_owned()],
            ..SubjectTotals::default()
        }],
        ..RunSummary::default()
    }
}

fn too_weak() -> Advice {
    let place = AtomicPlace {
        file: "src/lib.rs".to_owned(),
        line: 1,
        column: 2,
        name: "compare_exchange".to_owned(),
        role: AtomicRole::Exchange,
        order: MemoryOrder::Acquire,
        failure: Some(MemoryOrder::Relaxed),
    };
    let repair = Repair {
        changes: vec![OrderingChange {
            fence_before: Some(MemoryOrder::SeqCst),
            ..OrderingChange::none(&place)
        }],
        unfinished: Some("why".to_owned()),
    };
    Advice {
        subject: "a::B".to_owned(),
        places: vec![place],
        explored: Explored {
            notes: vec![("why".to_owned(), 1)],
            ..Explored::default()
        },
        findings: vec![deadlock()],
        other_findings: Vec::new(),
        verdict: Verdict::TooWeak(Repairs {
            with_fences: vec![repair],
            ..Repairs::default()
        }),
    }
}

const SECOND: Duration = Duration::from_secs(1);

/// A campaign that has begun so many of three tests.
fn grown(begun: u64) -> Progress {
    let rung = RungTotals {
        tests: 3,
        begun,
        ..RungTotals::default()
    };
    let mut progress = Progress::default();
    progress.totals.subjects = vec![SubjectTotals {
        ladder: vec![rung],
        ..SubjectTotals::default()
    }];
    progress
}

/// A campaign of which a test is left, and its pace is known.
fn grown_by() -> Growth {
    let mut growth = Growth::default();
    growth.add(SECOND, &grown(1));
    growth.add(2 * SECOND, &grown(2));
    growth
}

fn lines() -> Vec<String> {
    let finding_with_all = deadlock();
    let skipped = Skipped::new("a::B::new", "private");
    let alone_one = Alone {
        subject: "a::B".to_owned(),
        calls: vec!["a.f()".to_owned()],
        what: contest_data::totals::FailureAlone::Panics,
        detail: String::new(),
    };
    let of_own_test = Finding {
        own_test: Some("a::b".to_owned()),
        ..deadlock()
    };
    let result = OwnResult::without_execution("a::b", OwnVerdict::NotRun, "why");
    vec![
        subject("a 0.1.0", "a::B", 2, std::slice::from_ref(&skipped)),
        listed_subject("a 0.1.0", "a::B", &["a.f()".to_owned()], &[], &[]),
        left_out("a 0.1.0", &skipped),
        initialised("a", &["src/lib.rs".into()], true),
        finding("a 0.1.0", &finding_with_all, None, 1, None),
        finding(
            "a 0.1.0",
            &finding_with_all,
            Some("tests/x.rs"),
            2,
            Some("found in run 1"),
        ),
        explanation(&crate::explain::all()[0]),
        alone(&alone_one),
        warning("x"),
        step("x"),
        growth::ahead_json(
            "a 0.1.0",
            RunBudget::Time(SECOND),
            &[(Rung::default(), 3, true)],
        ),
        growth::ahead_json("a 0.1.0", RunBudget::Steps(9), &[]),
        growth::progress_json("a 0.1.0", &grown(2), SECOND, grown_by().left().as_ref()),
        growth::progress_json("a 0.1.0", &Progress::default(), SECOND, None),
        test("a 0.1.0", "x", &EmittedResult::Passes),
        test("a 0.1.0", "x", &EmittedResult::Warns("x".to_owned())),
        test("a 0.1.0", "x", &EmittedResult::Fails("x".to_owned())),
        finding("a 0.1.0", &of_own_test, None, 1, None),
        own_test("a 0.1.0", "lib", &result),
        crate::merged::Merged::default().summary(),
        test_summary(&TestTotals::default()),
        outcome(&ScenarioOutcome {
            results: vec![vec!["1".to_owned()]],
            executions: 1,
            judgement: "linearizable".to_owned(),
            is_bug: false,
        }),
        scenario_summary(&ScenarioReport::default(), 0),
        replayed(
            Some(&finding_with_all),
            "",
            &finding_with_all.interleaving,
            None,
        ),
        replay_died("x"),
        crate::Confirmed::default().line(),
        super::super::orderings::json(&too_weak()),
        nothing_changed(&["a::B".to_owned()]),
        Difference {
            new: vec![deadlock()],
            gone: vec![deadlock()],
            same: vec![deadlock()],
            counts: vec![("tests", 1, 2)],
        }
        .json(),
        summary(&RunSummary::default()),
        summary(&with_ladder()),
        summary(&RunSummary {
            growth: vec![("a 0.1.0".to_owned(), grown_by())],
            ..RunSummary::default()
        }),
        summary(&RunSummary {
            state: Some(contest_catalog::state_summary::StateSummary {
                run: 1,
                ..contest_catalog::state_summary::StateSummary::default()
            }),
            ..RunSummary::default()
        }),
    ]
}

#[test]
fn every_line_that_is_printed_fits_the_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for line in lines() {
        check(&schema, &validator, &line);
    }
}

#[test]
fn a_line_without_a_field_of_the_contract_does_not_fit() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let whole: Value =
        serde_json::from_str(&finding("a 0.1.0", &deadlock(), None, 1, None)).unwrap();
    for field in whole.as_object().unwrap().keys() {
        let mut without = whole.clone();
        without.as_object_mut().unwrap().remove(field);
        assert!(!validator.is_valid(&without), "{field}");
    }
    let mut other = whole;
    other["interleaving"][0]["facts"]["effect"] = "explodes".into();
    assert!(!validator.is_valid(&other));
}
