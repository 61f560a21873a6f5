//! The probe `Unsent` in models.

use std::cell::{RefCell, UnsafeCell};

use contest::FindingKind;
use contest::sync::{Arc, Mutex};
use contest_std::probe::Unsent;

/// A place for one value, put there and taken away by shared references.
#[derive(Default)]
struct Claims<T>(UnsafeCell<Option<T>>);
// SAFETY: none: it is what the tests are about.
unsafe impl<T: Sync> Sync for Claims<T> {}
// SAFETY: the tests move no value in it.
unsafe impl<T: Sync> Send for Claims<T> {}

impl<T> Claims<T> {
    fn swap(&self, new: Option<T>) -> Option<T> {
        // SAFETY: the tests call it while no other thread does.
        unsafe { std::mem::replace(&mut *self.0.get(), new) }
    }

    fn get(&self) -> Option<&T> {
        // SAFETY: the tests call it while no other thread changes the value.
        unsafe { (*self.0.get()).as_ref() }
    }
}

fn is_sync<T: Sync>() {}

#[test]
fn what_one_thread_made_and_another_one_drops_is_a_finding() {
    is_sync::<Unsent>();
    let report = contest::Builder::new().exhaustive().run(|| {
        let shared = Arc::new(Claims::default());
        let theirs = Arc::clone(&shared);
        let thread = contest::thread::spawn(move || drop(theirs.swap(Some(Unsent::new()))));
        thread.join().unwrap();
        drop(shared.swap(None));
    });
    let finding = &report.findings()[0];
    assert_eq!(finding.kind, FindingKind::WrongThread);
    assert!(
        finding.locations[0].contains("unsent.rs"),
        "{:?}",
        finding.locations
    );
}

#[test]
fn what_stays_or_is_only_looked_at_or_comes_back_is_none() {
    contest::thread_local!(static KEPT: RefCell<Vec<Unsent>> = RefCell::default());
    contest::Builder::new().exhaustive().check(|| {
        let shared = Arc::new(Claims::default());
        let rounds = Arc::new(Mutex::new(0));
        shared.swap(Some(Unsent::new()));
        let (theirs, counted) = (Arc::clone(&shared), Arc::clone(&rounds));
        let thread = contest::thread::spawn(move || {
            let mut counted = counted.lock().unwrap();
            let copy = theirs.get().unwrap().clone();
            assert_eq!(Some(&copy), theirs.get());
            // Dropped by its own thread, when that ends.
            KEPT.with(|kept| kept.borrow_mut().push(copy));
            *counted += 1;
        });
        drop(rounds.lock().unwrap());
        thread.join().unwrap();
        drop(shared.swap(None));
    });
}

#[test]
fn values_of_other_executions_and_of_none_belong_to_no_thread() {
    let outside = Arc::new(Claims::default());
    outside.swap(Some(Unsent::new()));
    for _ in 0..2 {
        let shared = Arc::clone(&outside);
        let model = contest::Builder::new().exhaustive().allow_no_decisions();
        model.check(move || {
            let theirs = Arc::clone(&shared);
            let thread = contest::thread::spawn(move || drop(theirs.swap(None)));
            thread.join().unwrap();
            // For the thread of the next execution.
            shared.swap(Some(Unsent::new()));
        });
    }
}
