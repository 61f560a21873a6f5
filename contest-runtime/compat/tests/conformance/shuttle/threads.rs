//! `basic/thread.rs` and `basic/task.rs`: results, names, parking, thread-locals, scopes.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

use contest::FindingKind;
use contest::sync::Mutex;
use contest::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use contest::thread;

use super::{failure, outcomes};

#[test]
fn join_returns_what_the_thread_returns_or_its_panic() {
    outcomes(|| {
        assert_eq!(thread::spawn(|| 42).join().unwrap(), 42);
        let payload = thread::spawn(|| panic!("of the thread"))
            .join()
            .unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"of the thread"));
    });
}

#[test]
fn a_thread_has_its_name_and_an_id_of_its_own() {
    outcomes(|| {
        let builder = thread::Builder::new().name("producer".to_owned());
        let handle = builder
            .spawn(|| {
                (
                    thread::current().name().map(ToOwned::to_owned),
                    thread::current().id(),
                )
            })
            .unwrap();
        let known = handle.thread().id();
        let (name, id) = handle.join().unwrap();
        assert_eq!(name.as_deref(), Some("producer"));
        assert_eq!(id, known);
        assert_ne!(id, thread::current().id());
    });
}

#[test]
fn a_thread_that_is_not_joined_runs_to_its_end() {
    let ran = Arc::new(AtomicUsize::new(0));
    let all = Arc::clone(&ran);
    let executions = contest_compat::shuttle::Runner::new(
        contest_compat::shuttle::scheduler::RandomScheduler::new(50),
        contest_compat::shuttle::Config::new(),
    )
    .run(move || {
        let ran = Arc::clone(&ran);
        thread::spawn(move || ran.fetch_add(1, SeqCst));
    });
    assert_eq!((executions, all.load(SeqCst)), (50, 50));
}

#[test]
fn a_scope_waits_for_its_threads_and_lends_them_what_is_outside() {
    let seen = outcomes(|| {
        let value = AtomicUsize::new(1);
        let doubled = thread::scope(|scope| {
            scope.spawn(|| value.fetch_add(1, SeqCst));
            let handle = scope.spawn(|| value.load(SeqCst) * 2);
            handle.join().unwrap()
        });
        (doubled, value.into_inner())
    });
    assert_eq!(seen, BTreeSet::from([(2, 2), (4, 2)]));
}

#[test]
fn a_token_is_kept_and_does_not_add_up() {
    outcomes(|| {
        thread::current().unpark();
        thread::park();
    });
    let twice = || {
        thread::current().unpark();
        thread::current().unpark();
        thread::park();
        thread::park();
    };
    let report = contest::Builder::new().run(twice);
    assert_eq!(report.findings()[0].kind, FindingKind::Deadlock);
}

#[test]
fn spurious_wakeups_happen_where_they_are_enabled() {
    let report = contest::Builder::new()
        .exhaustive()
        .spurious_wakeups(1)
        .run(|| {
            let flag = Arc::new(AtomicBool::new(false));
            let theirs = Arc::clone(&flag);
            let handle = thread::spawn(move || {
                thread::park();
                assert!(theirs.load(SeqCst), "woken too early");
            });
            flag.store(true, SeqCst);
            handle.thread().unpark();
            handle.join().unwrap();
        });
    assert_eq!(report.findings()[0].message, "woken too early");
}

#[test]
fn unpark_wakes_a_thread_that_parks_and_no_thread_that_waits_for_something_else() {
    outcomes(|| {
        let shared = Arc::new((AtomicBool::new(false), Mutex::new(0)));
        let theirs = Arc::clone(&shared);
        let held = shared.1.lock().unwrap();
        let handle = thread::spawn(move || {
            *theirs.1.lock().unwrap() += 1;
            while !theirs.0.load(SeqCst) {
                thread::park();
            }
        });
        handle.thread().unpark();
        assert_eq!(*held, 0);
        drop(held);
        shared.0.store(true, SeqCst);
        handle.thread().unpark();
        handle.join().unwrap();
    });
}

#[test]
fn two_threads_that_park_wait_for_ever() {
    let finding = failure(|| {
        let handle = thread::spawn(thread::park);
        thread::park();
        handle.join().unwrap();
    });
    assert_eq!(finding.kind, FindingKind::Deadlock);
    assert!(
        finding.details.iter().all(|line| line.contains("parked")),
        "{:?}",
        finding.details
    );
}

contest::thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
    static LEAVES: RefCell<Option<Leaves>> = const { RefCell::new(None) };
}

struct Leaves(Arc<Mutex<Vec<usize>>>);

impl Drop for Leaves {
    fn drop(&mut self) {
        // Another thread-local may still be used, and locks may be taken.
        self.0.lock().unwrap().push(COUNT.get());
    }
}

#[test]
fn every_thread_has_thread_locals_of_its_own_and_drops_them_at_its_end() {
    let left = outcomes(|| {
        let left = Arc::new(Mutex::new(Vec::new()));
        let start = |count: usize| {
            let left = Arc::clone(&left);
            thread::spawn(move || {
                assert_eq!(COUNT.replace(count), 0);
                LEAVES.with_borrow_mut(|leaves| *leaves = Some(Leaves(left)));
                assert_eq!(COUNT.get(), count);
            })
        };
        let threads = [start(1), start(2)];
        assert_eq!(COUNT.get(), 0);
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        left.lock().unwrap().clone()
    });
    assert_eq!(left, BTreeSet::from([vec![1, 2], vec![2, 1]]));
}
