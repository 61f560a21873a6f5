//! The pools, checked.

use std::sync::Arc;

use connection_pool::{DrowsyPool, Pool};

#[test]
fn every_connection_comes_back_and_no_thread_waits_for_ever() {
    contest::check::<Pool>().run();
}

#[test]
fn a_connection_that_comes_back_unnoticed_is_a_deadlock() {
    let report = contest::check::<DrowsyPool>().report();
    let finding = report.findings.first().expect("a wake-up that is lost");
    assert_eq!(finding.kind.name(), "deadlock", "{finding:#?}");
}

// A hand-written test: what is lent stays on loan over several calls.
#[contest::test(exhaustive)]
fn the_second_waits_for_the_first() {
    let pool = Arc::new(Pool::new(1));
    let theirs = Arc::clone(&pool);
    let thread = std::thread::spawn(move || theirs.lend().query());
    let mine = pool.lend();
    let answer = mine.query();
    drop(mine);
    assert_eq!((answer, thread.join().unwrap()), (1, 1));
    assert!(pool.try_lend().is_some());
}
