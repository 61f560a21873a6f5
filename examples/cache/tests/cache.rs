//! Both caches, checked.

use cache::{Cache, HastyCache};

#[test]
fn the_cache_behaves_like_one_in_a_single_thread() {
    contest::check::<Cache>().run();
}

#[test]
fn two_who_ask_the_hasty_cache_get_two_answers() {
    let report = contest::check::<HastyCache>().report();
    let finding = report.findings.first().expect("two answers for one key");
    assert_eq!(finding.kind.name(), "non-linearizable");
    assert!(
        finding
            .threads
            .iter()
            .flatten()
            .any(|call| call.contains("get_or_compute")),
        "{:?}",
        finding.threads
    );
}

// What a test looks like that fails: the panic has the interleaving in it. It keeps nothing: it is meant to fail.
#[test]
#[should_panic(expected = "contest found a bug in `HastyCache` (non-linearizable)")]
fn a_check_panics_with_what_it_found() {
    contest::check::<HastyCache>().without_regressions().run();
}
