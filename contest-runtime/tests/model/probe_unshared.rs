//! The probe `Unshared` in models.

use contest::FindingKind;
use contest::sync::{Arc, Mutex};
use contest_std::probe::Unshared;

struct Claims<T>(T);
// SAFETY: none: it is what the test is about.
unsafe impl<T> Sync for Claims<T> {}

#[test]
fn two_threads_that_use_one_value_at_once_are_a_race() {
    let report = contest::Builder::new().exhaustive().run(|| {
        let shared = Arc::new(Claims(Unshared::new()));
        let theirs = Arc::clone(&shared);
        let thread = contest::thread::spawn(move || drop(theirs.0.clone()));
        drop(shared.0.clone());
        thread.join().unwrap();
    });
    let finding = &report.findings()[0];
    assert_eq!(finding.kind, FindingKind::DataRace);
    assert!(
        finding.message.contains("unshared.rs"),
        "{}",
        finding.message
    );
}

#[test]
fn values_that_are_moved_or_used_in_turn_are_none() {
    contest::Builder::new().exhaustive().check(|| {
        let shared = Arc::new(Mutex::new(Vec::new()));
        let theirs = Arc::clone(&shared);
        let thread = contest::thread::spawn(move || {
            let value = Unshared::new();
            drop(value.clone());
            theirs.lock().unwrap().push(value);
        });
        let taken = shared.lock().unwrap().pop();
        drop(taken.clone());
        assert_eq!(taken, taken);
        thread.join().unwrap();
    });
}
