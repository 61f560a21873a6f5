//! What becomes of threads that are unfinished when their execution is over.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize as RealCount;

use contest::sync::atomic::{AtomicBool, Ordering::SeqCst};
use contest::sync::{Barrier, Condvar, Mutex};
use contest::{Builder, FindingKind, Report, thread};

use crate::alone::{in_own_process, text_of};

fn all_executions(model: impl Fn()) -> Report {
    Builder::new()
        .strategy("random")
        .max_executions(200)
        .max_findings(usize::MAX)
        .run(model)
}

/// Counts how often it is dropped.
struct Counted<'a>(&'a RealCount);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// Never notified.
fn wait_for_ever() {
    let pair = (Mutex::new(()), Condvar::new());
    let guard = pair.0.lock().unwrap();
    drop(pair.1.wait(guard));
}

#[test]
fn destructors_of_unfinished_threads_run_once_and_nothing_after_the_point_where_they_stopped() {
    static DROPPED: RealCount = RealCount::new(0);
    static AFTER: RealCount = RealCount::new(0);
    let report = all_executions(|| {
        thread::spawn(|| {
            let _counted = Counted(&DROPPED);
            wait_for_ever();
            AFTER.fetch_add(1, SeqCst);
        });
    });
    assert_eq!(report.findings()[0].kind, FindingKind::Deadlock);
    assert_eq!(DROPPED.load(SeqCst) as u64, report.runs());
    assert_eq!(AFTER.load(SeqCst), 0);
}

#[test]
fn code_that_catches_panics_does_not_go_on_after_the_end() {
    static AFTER: RealCount = RealCount::new(0);
    let report = all_executions(|| {
        thread::spawn(|| {
            // A worker that must not die, as thread pools have them.
            loop {
                let caught = std::panic::catch_unwind(wait_for_ever);
                let lock = Mutex::new(());
                drop(lock.lock());
                if caught.is_err() {
                    AFTER.fetch_add(1, SeqCst);
                }
            }
        });
    });
    assert_eq!(report.findings()[0].kind, FindingKind::Deadlock);
    assert_eq!(AFTER.load(SeqCst), 0);
    assert_eq!(report.given_up(), 0);
}

#[test]
fn guards_and_values_are_dropped_innermost_first() {
    let order = Rc::new(RefCell::new(Vec::new()));
    struct Noted(Rc<RefCell<Vec<u8>>>, u8);
    impl Drop for Noted {
        fn drop(&mut self) {
            self.0.borrow_mut().push(self.1);
        }
    }
    let seen = Rc::clone(&order);
    Builder::new().allow_no_decisions().run(move || {
        seen.borrow_mut().clear();
        let _outer = Noted(Rc::clone(&seen), 1);
        let lock = Mutex::new(Noted(Rc::clone(&seen), 2));
        let _guard = lock.lock().unwrap();
        let _inner = Noted(Rc::clone(&seen), 3);
        wait_for_ever();
    });
    assert_eq!(*order.borrow(), [3, 2, 1]);
}

#[test]
fn a_destructor_that_takes_a_lock_waits_until_its_holder_has_unwound() {
    struct Locks(Arc<Mutex<u32>>);
    impl Drop for Locks {
        fn drop(&mut self) {
            *self.0.lock().unwrap_or_else(|error| error.into_inner()) += 1;
        }
    }
    let report = all_executions(|| {
        let lock = Arc::new(Mutex::new(0));
        let theirs = Arc::clone(&lock);
        thread::spawn(move || {
            let _locks = Locks(theirs);
            wait_for_ever();
        });
        let _guard = lock.lock().unwrap();
        wait_for_ever();
    });
    assert_eq!(report.findings()[0].kind, FindingKind::Deadlock);
    assert_eq!(report.given_up(), 0);
}

#[test]
fn a_destructor_that_joins_a_thread_comes_to_its_end() {
    struct Joins(Option<thread::JoinHandle<()>>);
    impl Drop for Joins {
        fn drop(&mut self) {
            drop(self.0.take().map(thread::JoinHandle::join));
        }
    }
    let report = all_executions(|| {
        let _joins = Joins(Some(thread::spawn(wait_for_ever)));
    });
    assert_eq!(report.findings()[0].kind, FindingKind::Deadlock);
    assert_eq!(report.given_up(), 0);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the process ends there")]
fn a_destructor_that_panics_during_teardown_is_given_up_and_nothing_else_is_lost() {
    struct Unwraps(Option<thread::JoinHandle<()>>);
    impl Drop for Unwraps {
        fn drop(&mut self) {
            // Fails when the thread was unwound, while this thread unwinds itself: a panic while panicking.
            self.0.take().unwrap().join().unwrap();
        }
    }
    static AFTER: RealCount = RealCount::new(0);
    // `std` writes a line to standard error for each of them.
    let few = Builder::new().strategy("random").max_executions(5);
    let report = few.max_findings(usize::MAX).run(|| {
        let poisoned = Arc::new(Mutex::new(()));
        let theirs = Arc::clone(&poisoned);
        let _unwraps = Unwraps(Some(thread::spawn(move || {
            drop(theirs.lock().unwrap());
            wait_for_ever();
        })));
        drop(poisoned.lock().unwrap());
        AFTER.fetch_add(1, SeqCst);
        wait_for_ever();
    });
    assert_eq!(report.findings().len(), 1, "{report:?}");
    assert_eq!(report.findings()[0].kind, FindingKind::Deadlock);
    assert!(report.given_up() > 0);
    assert!(!std::thread::panicking());
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the process ends there")]
fn a_destructor_that_panics_while_its_thread_panics_is_reported_and_the_process_lives() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("in the destructor");
        }
    }
    let report = Builder::new().allow_no_decisions().run(|| {
        let thread = thread::spawn(|| {
            let _panics = Panics;
            panic!("the first");
        });
        thread.join().unwrap();
    });
    let finding = &report.findings()[0];
    assert_eq!(finding.kind, FindingKind::Exit);
    let panics = finding.details.join("\n");
    assert!(panics.contains(": the first"), "{panics}");
    assert!(panics.contains(": in the destructor"), "{panics}");
    // And the next model is not disturbed by it.
    contest::model(crate::running::passes);
}

#[test]
fn a_panic_in_a_destructor_of_a_thread_that_ends_well_is_a_panic() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("in the destructor");
        }
    }
    let report = Builder::new().allow_no_decisions().run(|| {
        let _panics = Panics;
    });
    assert_eq!(report.findings()[0].message, "in the destructor");
}

#[test]
fn a_destructor_that_goes_round_a_loop_for_ever_is_given_up() {
    struct Spins(Arc<AtomicBool>);
    impl Drop for Spins {
        fn drop(&mut self) {
            while !self.0.load(SeqCst) {
                thread::yield_now();
            }
        }
    }
    let report = Builder::new().allow_no_decisions().run(|| {
        let _spins = Spins(Arc::new(AtomicBool::new(false)));
        wait_for_ever();
    });
    assert_eq!(report.findings()[0].kind, FindingKind::Deadlock);
    assert!(report.given_up() > 0);
}

#[test]
fn a_destructor_at_a_barrier_that_no_other_thread_reaches_is_given_up() {
    struct Meets(Barrier);
    impl Drop for Meets {
        fn drop(&mut self) {
            self.0.wait();
        }
    }
    let report = Builder::new().allow_no_decisions().run(|| {
        let _meets = Meets(Barrier::new(2));
        wait_for_ever();
    });
    assert_eq!(report.findings()[0].kind, FindingKind::Deadlock);
}

#[test]
fn a_thread_that_never_ran_drops_what_its_closure_owns() {
    static DROPPED: RealCount = RealCount::new(0);
    let report = Builder::new()
        .run_detached(false)
        .allow_no_decisions()
        .strategy("random")
        .max_executions(50)
        .run(|| {
            let counted = Counted(&DROPPED);
            thread::spawn(move || drop(counted));
        });
    assert!(report.findings().is_empty(), "{report:?}");
    assert_eq!(DROPPED.load(SeqCst) as u64, report.runs());
}

#[test]
fn locks_are_not_poisoned_by_the_end_of_an_execution() {
    if let Some(output) = in_own_process(
        "teardown::locks_are_not_poisoned_by_the_end_of_an_execution",
        &[],
    ) {
        assert!(output.status.success(), "{}", text_of(&output));
        return;
    }
    // Of the test, not of the model: it outlives the executions.
    let lock = Mutex::new(0);
    let report = all_executions(|| {
        let _guard = lock.lock().expect("poisoned by the execution before");
        wait_for_ever();
    });
    assert_eq!(
        report.findings()[0].kind,
        FindingKind::Deadlock,
        "{report:?}"
    );
    assert_eq!(report.findings().len(), 1);
}

#[test]
fn a_lock_that_is_on_its_way_back_is_not_poisoned_by_the_end_of_an_execution() {
    let name =
        "teardown::a_lock_that_is_on_its_way_back_is_not_poisoned_by_the_end_of_an_execution";
    if let Some(output) = in_own_process(name, &[]) {
        assert!(output.status.success(), "{}", text_of(&output));
        return;
    }
    // Of the test, not of the model: it outlives the executions.
    let lock = Arc::new(Mutex::new(0));
    let report = all_executions(|| {
        let uses = |lock: &Mutex<u8>| drop(lock.lock().expect("poisoned by the execution before"));
        let shared = Arc::clone(&lock);
        thread::spawn(move || uses(&shared));
        uses(&lock);
        panic!("ends it at any time");
    });
    for finding in report.findings() {
        assert_eq!(finding.message, "ends it at any time", "{report:?}");
    }
    assert!(!report.findings().is_empty());
}
