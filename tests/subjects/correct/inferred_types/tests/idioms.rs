//! From outside, where the crates of the package's development dependencies would be in sight.

use correct_inferred_types::{Ledger, Names};

#[test]
fn a_ledger_and_what_is_beside_it() {
    let ledger = Ledger::default();
    ledger.pay("3".parse().unwrap());
    ledger.pay(4u8.into());
    assert_eq!(ledger.sum(), [3, 4].iter().sum());
    assert_eq!(ledger.sum(), "7".parse().unwrap());
    assert!(ledger.payments() != []);
    let mut seen = Vec::new();
    seen.extend(ledger.payments());
    assert_eq!(seen, ledger.payments());
    assert_eq!(ledger.payments().len(), 2 as _);
}

#[test]
fn names_by_number() {
    let names = Names::default();
    std::thread::scope(|scope| {
        scope.spawn(|| names.set(1));
        scope.spawn(|| names.set(2));
    });
    assert_eq!(names.number(1), Some(1).map(|n: u8| n.into()));
    assert_eq!(names.number(3), None);
}
