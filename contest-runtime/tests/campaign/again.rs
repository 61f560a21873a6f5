//! Replayed schedules, and campaigns that skip tests on request.

use std::collections::BTreeSet;

use contest_campaign::campaign::rerun::{probe, replay};
use contest_data::finding::FindingKind;
use contest_data::limits::Limits;
use contest_data::settings::{Package, Settings, SizeBounds};
use contest_data::token::TokenError;
use contest_engine::memory::NoIsolation;

use crate::subjects;
use crate::support::{PACKAGE, campaign, campaign_beside, settings};

#[test]
fn every_finding_shows_again_from_its_token_with_the_same_interleaving() {
    for subject in [
        &subjects::COUNTER,
        &subjects::CACHE,
        &subjects::ACCOUNT,
        &subjects::LOSING_QUEUE,
        &subjects::EXCLUSIVE,
        &subjects::POLITE,
    ] {
        let heard = campaign(subject, &settings(200));
        assert!(!heard.findings.is_empty());
        for finding in &heard.findings {
            let again = replay(
                PACKAGE,
                subject,
                &finding.schedule,
                Limits::default(),
                &mut NoIsolation,
            )
            .unwrap();
            let shown = again.finding.expect("the finding shows again");
            assert_eq!(
                (shown.kind, &shown.message),
                (finding.kind, &finding.message)
            );
            assert_eq!(again.interleaving, finding.interleaving);
            assert_eq!(again.diverged, None);
            assert_eq!(shown.fingerprint, finding.fingerprint);
        }
    }
}

#[test]
fn a_token_replayed_on_mended_code_says_where_it_differs_and_finds_nothing() {
    let heard = campaign(&subjects::LOSING_QUEUE, &settings(200));
    let finding = heard
        .findings
        .iter()
        .find(|finding| finding.kind == FindingKind::Deadlock)
        .unwrap();
    let again = replay(
        PACKAGE,
        &subjects::CORRECT_QUEUE,
        &finding.schedule,
        Limits::default(),
        &mut NoIsolation,
    )
    .unwrap();
    assert_eq!(again.finding, None);
    assert!(again.diverged.unwrap().starts_with("decision "));
    assert_eq!(again.ending, "finished");
}

#[test]
fn a_token_of_another_version_is_refused() {
    let heard = campaign(&subjects::COUNTER, &settings(100));
    let other = Package {
        version: "9.9.9",
        ..PACKAGE
    };
    let refused = replay(
        other,
        &subjects::COUNTER,
        &heard.one().schedule,
        Limits::default(),
        &mut NoIsolation,
    )
    .unwrap_err();
    assert_eq!(
        refused,
        TokenError::OtherPackage("subjects 1.2.3".to_owned(), "subjects 9.9.9".to_owned())
    );
}

#[test]
fn a_probe_runs_one_test_and_says_how_it_ends() {
    let heard = campaign(&subjects::ACCOUNT, &settings(100));
    let finding = heard.one();
    let run = |schedule| {
        let mut tokens = Vec::new();
        let ending = probe(
            PACKAGE,
            &subjects::ACCOUNT,
            &finding.test,
            schedule,
            Limits::default(),
            &mut NoIsolation,
            &mut |token| tokens.push(token),
        );
        (ending, tokens)
    };
    // One call after another nothing is wrong.
    assert_eq!(run(None), ("finished".to_owned(), Vec::new()));
    let schedule = contest_data::token::Token::decode(&finding.schedule)
        .unwrap()
        .schedule;
    let (ending, tokens) = run(Some(schedule));
    assert_eq!(ending, "3 threads wait for ever");
    assert!(tokens.len() == 1 && tokens[0].starts_with("contest1-"));
}

#[test]
fn what_is_known_or_allowed_is_not_reported() {
    let first = campaign(&subjects::COUNTER, &settings(100));
    let known = Settings {
        known: vec![first.one().fingerprint.clone()],
        ..settings(100)
    };
    assert!(campaign(&subjects::COUNTER, &known).findings.is_empty());
    let allow = Settings {
        allow: vec![contest_data::finding::Allowed::parse("non-linearizable").unwrap()],
        ..settings(100)
    };
    let allowed = campaign(&subjects::COUNTER, &allow);
    assert!(allowed.findings.is_empty());
    assert!(
        allowed.totals.subjects[0]
            .skipped
            .iter()
            .any(|(why, _)| why == "allowed: non-linearizable")
    );
}

#[test]
fn a_campaign_that_fails_fast_ends_at_the_first_finding() {
    let fast = Settings {
        fail_fast: true,
        ..settings(20_000)
    };
    let heard = campaign(&subjects::ACCOUNT, &fast);
    assert_eq!(heard.kinds(), [FindingKind::Deadlock]);
    assert!(heard.totals.elapsed_ms < 10_000);
}

#[test]
fn shards_and_restarts_run_the_tests_of_one_stream() {
    // The stream ends long before the time does.
    let small = || Settings {
        size: SizeBounds {
            threads: Some(2),
            calls: Some(1),
        },
        ..settings(60_000)
    };
    let tests = |settings: &Settings| {
        let heard = campaign(&subjects::EXCLUSIVE, settings);
        heard.ran
    };
    let all = tests(&small());
    let numbers: BTreeSet<u64> = all.keys().copied().collect();
    assert!(numbers.len() > 10);
    let mut parts = BTreeSet::new();
    for part in 1..=3 {
        let some = tests(&Settings {
            shard: Some((part, 3)),
            ..small()
        });
        for (number, test) in &some {
            assert_eq!(number % 3, u64::from(part) - 1);
            if let Some(same) = all.get(number) {
                assert_eq!(same, test);
            }
            assert!(parts.insert(*number));
        }
    }
    assert!(parts.is_superset(&numbers));
    let late = tests(&Settings {
        first_test: 5,
        ..small()
    });
    assert_eq!(late.keys().next(), Some(&5));
    assert_eq!(late[&5], all[&5]);
    let later = tests(&Settings {
        begun: vec![7],
        ..small()
    });
    assert_eq!(later.keys().next(), Some(&7));
}

#[test]
fn an_unknown_strategy_is_an_error_and_every_known_one_finds_a_shallow_bug() {
    let mut heard = crate::support::Replies::default();
    let unknown = Settings {
        strategy: "clever".to_owned(),
        ..settings(100)
    };
    let refused = contest_campaign::campaign::run(
        PACKAGE,
        &subjects::COUNTER,
        &unknown,
        Limits::default(),
        &mut NoIsolation,
        &mut heard,
    );
    assert_eq!(refused, Err("clever".to_owned()));
    for (name, _) in contest_data::names::STRATEGIES {
        let settings = Settings {
            strategy: name.to_owned(),
            fail_fast: true,
            ..settings(5_000)
        };
        assert_eq!(
            campaign(&subjects::COUNTER, &settings).kinds(),
            [FindingKind::NonLinearizable],
            "{name}"
        );
    }
}

#[test]
fn what_another_process_has_found_is_recognised_in_any_test() {
    for subject in [&subjects::COUNTER, &subjects::ACCOUNT, &subjects::POLITE] {
        let first = campaign(subject, &settings(200));
        assert_eq!(first.bugs.len(), first.findings.len());
        for (bug, finding) in first.bugs.iter().zip(&first.findings) {
            assert_eq!(bug.fingerprint, finding.fingerprint);
        }
        let second = campaign_beside(subject, &settings(200), first.bugs);
        assert!(second.findings.is_empty(), "{}", second.text());
        let mut skipped = second.totals.subjects.iter().flat_map(|it| &it.skipped);
        let repeats = skipped.find(|(why, _)| why.contains("already reported"));
        assert!(
            repeats.is_some_and(|(_, count)| *count > 0),
            "{}",
            second.text()
        );
    }
}
