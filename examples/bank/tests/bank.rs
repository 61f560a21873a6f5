//! The banks, checked.

use bank::{Bank, CarelessBank, ForgetfulBank};

#[test]
fn no_money_is_lost_and_no_thread_waits_for_ever() {
    contest::check::<Bank>().run();
}

#[test]
fn transfers_in_two_directions_wait_for_each_other() {
    let report = contest::check::<CarelessBank>().report();
    let finding = report.findings.first().expect("a deadlock");
    assert_eq!(finding.kind.name(), "deadlock");
    let mut calls: Vec<&String> = finding.threads.iter().flatten().collect();
    calls.sort();
    assert_eq!(calls, ["a.transfer(false)", "a.transfer(true)"]);
}

#[test]
fn a_balance_that_is_written_back_later_makes_money() {
    let report = contest::check::<ForgetfulBank>().report();
    let finding = report.findings.first().expect("a lost update");
    assert_eq!(finding.kind.name(), "invariant", "{finding:#?}");
    assert!(
        finding.message.contains("nothing_is_lost"),
        "{}",
        finding.message
    );
}
