//! Virtual threads.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::{Duration, Instant};

use contest::sync::Arc;
use contest::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use contest::thread;
use contest_data::trace::Ending;

use super::{endings, explore, results, set, text_set};

#[test]
fn a_joined_thread_gives_its_result_or_its_panic() {
    let seen = results(|| {
        let good = thread::spawn(|| 3);
        let bad = thread::spawn(|| -> u8 { std::panic::panic_any("payload") });
        let payload = bad.join().unwrap_err();
        (
            good.join().unwrap(),
            payload.downcast_ref::<&str>().copied(),
        )
    });
    assert_eq!(seen, set([(3, Some("payload"))]));
}

#[test]
fn threads_have_the_same_names_and_ids_in_every_execution() {
    let seen = results(|| {
        let named = thread::Builder::new().name("worker".to_owned());
        let handle = named
            .spawn(|| {
                let current = thread::current();
                (
                    format!("{:?}", current.id()),
                    current.name().map(str::to_owned),
                )
            })
            .unwrap();
        let outside = format!("{:?} {:?}", handle.thread().id(), handle.thread().name());
        let main = format!("{:?}", thread::current());
        (main, outside, handle.join().unwrap())
    });
    let worker = ("ThreadId(2)".to_owned(), Some("worker".to_owned()));
    assert_eq!(
        seen,
        set([(
            "Thread { id: ThreadId(1), name: Some(\"main\"), .. }".to_owned(),
            "ThreadId(2) Some(\"worker\")".to_owned(),
            worker
        )])
    );
}

#[test]
fn a_virtual_thread_is_no_real_one() {
    let outside = thread::current().id();
    let seen = results(move || thread::current().id() == outside);
    assert_eq!(seen, set([false]));
}

#[test]
fn a_scope_waits_for_its_threads_and_reports_their_panics() {
    let seen = results(|| {
        let mut numbers = [1, 2];
        thread::scope(|scope| {
            for number in &mut numbers {
                scope.spawn(|| *number += 1);
            }
        });
        let unhandled = catch_unwind(AssertUnwindSafe(|| {
            thread::scope(|scope| {
                scope.spawn(|| panic!("unhandled"));
            });
        }));
        thread::scope(|scope| assert!(scope.spawn(|| panic!("handled")).join().is_err()));
        let message = unhandled.unwrap_err();
        (numbers, message.downcast_ref::<&str>().copied())
    });
    assert_eq!(seen, set([([2, 3], Some("a scoped thread panicked"))]));
}

#[test]
fn a_scope_whose_thread_waits_for_ever_is_a_deadlock_that_unwinds() {
    // What the threads borrow is checked when the scope is given up: dropping it early would be seen.
    let seen = endings(|| {
        let message = "alive".to_owned();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::park();
                drop(message.clone());
            });
        });
    });
    assert_eq!(
        seen,
        text_set(["deadlock: waits for the end of thread 1; is parked"])
    );
}

#[test]
fn a_park_token_is_never_lost() {
    let seen = endings(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&flag);
        let parked = thread::spawn(move || {
            while !theirs.load(SeqCst) {
                thread::park();
            }
        });
        flag.store(true, SeqCst);
        parked.thread().unpark();
        parked.join().unwrap();
    });
    assert_eq!(seen, text_set(["finished"]));
}

#[test]
fn waiting_takes_virtual_time_only() {
    let start = Instant::now();
    let seen = results(|| {
        thread::sleep(Duration::from_secs(3600));
        thread::park_timeout(Duration::from_secs(3600));
        thread::yield_now();
        thread::available_parallelism().unwrap().get()
    });
    assert_eq!(seen, set([2]));
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_thread_is_finished_before_or_after_one_looks() {
    let seen = results(|| {
        let handle = thread::spawn(|| ());
        let early = handle.is_finished();
        handle.join().unwrap();
        early
    });
    assert_eq!(seen, set([false, true]));
}

#[test]
fn each_virtual_thread_has_its_own_locals_dropped_at_its_end() {
    struct Logged(Cell<Option<Rc<RefCell<Vec<u32>>>>>, u32);
    impl Drop for Logged {
        fn drop(&mut self) {
            if let Some(log) = self.0.take() {
                log.borrow_mut().push(self.1);
            }
        }
    }
    contest::thread_local! {
        static COUNT: Cell<u32> = const { Cell::new(1) };
        static FIRST: Logged = const { Logged(Cell::new(None), 1) };
        static SECOND: Logged = const { Logged(Cell::new(None), 2) };
    }
    COUNT.set(50);
    let seen = results(|| {
        COUNT.set(COUNT.get() + 1);
        let log = Rc::new(RefCell::new(Vec::new()));
        // All virtual threads are on one OS thread, so sharing an `Rc` is sound, although the compiler cannot know it.
        struct OneThread<T>(T);
        // SAFETY: see above.
        unsafe impl<T> Send for OneThread<T> {}
        let theirs = OneThread(Rc::clone(&log));
        let other = thread::spawn(move || {
            let OneThread(log) = { theirs };
            FIRST.with(|logged| logged.0.set(Some(Rc::clone(&log))));
            SECOND.with(|logged| logged.0.set(Some(log)));
            COUNT.replace(9)
        });
        let their_count = other.join().unwrap();
        (COUNT.get(), their_count, log.take())
    });
    assert_eq!(seen, set([(2, 1, vec![2, 1])]));
    assert_eq!(COUNT.get(), 50, "the OS thread's own value is untouched");
}

#[test]
fn setting_a_local_first_does_not_run_its_initialiser() {
    static RUNS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    contest::thread_local!(static COUNTED: RefCell<u32> = {
        RUNS.fetch_add(1, SeqCst);
        RefCell::new(0)
    });
    let seen = results(|| {
        COUNTED.set(3);
        COUNTED.set(4);
        COUNTED.with_borrow(|value| *value)
    });
    assert_eq!((seen, RUNS.load(SeqCst)), (set([4]), 0));
}

#[test]
fn a_process_that_wants_to_end_ends_the_execution_only() {
    let exits = endings(|| contest::process::exit(3));
    assert_one_call(&exits, "process::exit(3) at ");
    let aborts = endings(|| {
        thread::spawn(|| contest::process::abort());
        thread::park();
    });
    assert_one_call(&aborts, "process::abort() at ");
}

/// All schedules end with this call, located in this file.
fn assert_one_call(endings: &BTreeSet<String>, call: &str) {
    assert_eq!(endings.len(), 1, "{endings:?}");
    let ending = endings.first().unwrap();
    assert!(
        ending.starts_with(&format!("Exit(\"{call}")) && ending.contains("threads.rs"),
        "{ending}"
    );
}

#[test]
fn a_detached_thread_ends_with_the_execution() {
    let ends = AtomicU32::new(0);
    explore(
        None,
        || {
            thread::spawn(thread::park);
        },
        |record| {
            assert_eq!(record.ending, Ending::Finished);
            ends.fetch_add(1, SeqCst);
        },
    );
    assert!(ends.into_inner() > 0);
}

#[test]
fn a_handle_that_outlives_its_execution_does_nothing() {
    let kept = RefCell::new(None);
    explore(
        Some(0),
        || {
            let handle = thread::spawn(|| 4);
            while !handle.is_finished() {
                thread::yield_now();
            }
            *kept.borrow_mut() = Some(handle);
        },
        |_| (),
    );
    let handle = kept.take().unwrap();
    handle.thread().unpark();
    assert!(handle.is_finished());
    assert_eq!(handle.join().unwrap(), 4);
}

#[cfg(unix)]
#[test]
fn a_virtual_thread_has_the_pthread_of_the_one_that_runs_it() {
    use std::os::unix::thread::JoinHandleExt;
    let seen = results(|| {
        let handle = thread::spawn(|| ());
        let of_handle = handle.as_pthread_t();
        handle.join().unwrap();
        // SAFETY: always allowed.
        let own = unsafe { libc::pthread_self() };
        format!("{own:?}") == format!("{of_handle:?}")
    });
    assert_eq!(seen, set([true]));
}

#[test]
fn a_stack_that_no_system_has_is_refused() {
    let seen = results(|| {
        let huge = || thread::Builder::new().stack_size(isize::MAX as usize);
        let scoped = thread::scope(|scope| huge().spawn_scoped(scope, || ()).is_err());
        (huge().spawn(|| ()).is_err(), scoped)
    });
    assert_eq!(seen, set([(true, true)]));
}
