//! Real threads through the drop-in handles.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use contest::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use contest::sync::{Arc, mpsc};
use contest::thread;

#[test]
fn a_thread_gives_its_result_to_the_one_that_joins_it() {
    let handle = thread::spawn(|| 42);
    assert_eq!(handle.join().unwrap(), 42);
    let payload = thread::spawn(|| panic!("payload")).join().unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"payload"));
}

#[test]
fn a_named_thread_knows_its_name_and_id() {
    let handle = thread::Builder::new()
        .name("worker".to_owned())
        .stack_size(1 << 20)
        .spawn(|| {
            (
                thread::current().name().map(str::to_owned),
                thread::current().id(),
            )
        })
        .unwrap();
    assert_eq!(handle.thread().name(), Some("worker"));
    let id = handle.thread().id();
    assert_eq!(handle.join().unwrap(), (Some("worker".to_owned()), id));
    assert_ne!(id, thread::current().id());
    assert_eq!(thread::current().id(), thread::current().id());
}

#[test]
fn threads_of_a_scope_may_borrow_and_end_before_it() {
    let mut numbers = vec![1, 2, 3];
    let sum = AtomicU32::new(0);
    let joined = thread::scope(|scope| {
        for number in &mut numbers {
            let sum = &sum;
            scope.spawn(move || {
                *number *= 2;
                sum.fetch_add(*number, Ordering::Relaxed);
            });
        }
        let inner = scope.spawn(|| scope.spawn(|| 5).join().unwrap());
        let named = thread::Builder::new().name("n".to_owned());
        let named = named.spawn_scoped(scope, || thread::current().name() == Some("n"));
        let named = named.unwrap();
        assert_eq!(named.thread().name(), Some("n"));
        assert!(named.join().unwrap());
        inner.join().unwrap()
    });
    assert_eq!((joined, numbers, sum.into_inner()), (5, vec![2, 4, 6], 12));
}

#[test]
fn a_scope_panics_if_a_thread_that_was_not_joined_did() {
    let unhandled = catch_unwind(|| {
        thread::scope(|scope| {
            scope.spawn(|| panic!("unhandled"));
        });
    });
    assert_eq!(
        unhandled.unwrap_err().downcast_ref::<&str>(),
        Some(&"a scoped thread panicked")
    );
    thread::scope(|scope| assert!(scope.spawn(|| panic!("handled")).join().is_err()));
}

#[test]
fn a_scope_whose_closure_panics_waits_for_its_threads_first() {
    let ended = AtomicBool::new(false);
    let result = catch_unwind(AssertUnwindSafe(|| {
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(20));
                ended.store(true, Ordering::SeqCst);
            });
            panic!("from the closure");
        });
    }));
    assert_eq!(
        result.unwrap_err().downcast_ref::<&str>(),
        Some(&"from the closure")
    );
    assert!(ended.load(Ordering::SeqCst));
}

#[test]
fn a_parked_thread_goes_on_when_unparked() {
    let flag = Arc::new(AtomicBool::new(false));
    let theirs = Arc::clone(&flag);
    let parked = thread::spawn(move || {
        while !theirs.load(Ordering::Acquire) {
            thread::park();
        }
    });
    flag.store(true, Ordering::Release);
    parked.thread().unpark();
    parked.join().unwrap();
    thread::current().unpark();
    thread::park();
    thread::park_timeout(Duration::from_millis(1));
}

#[test]
fn a_thread_is_finished_when_it_has_ended() {
    let (go, wait) = mpsc::channel::<()>();
    let handle = thread::spawn(move || wait.recv());
    assert!(!handle.is_finished());
    go.send(()).unwrap();
    while !handle.is_finished() {
        thread::yield_now();
    }
    handle.join().unwrap().unwrap();
    thread::scope(|scope| {
        let handle = scope.spawn(|| ());
        while !handle.is_finished() {
            contest::hint::spin_loop();
        }
    });
}

#[test]
fn a_thread_that_borrows_can_be_made_without_a_scope() {
    let value = AtomicU32::new(0);
    let handle = {
        let body = || value.fetch_add(1, Ordering::Relaxed);
        // SAFETY: joined below, before `value` goes away.
        unsafe { thread::Builder::new().spawn_unchecked(body) }
    };
    assert_eq!(handle.unwrap().join().unwrap(), 0);
    assert_eq!(value.into_inner(), 1);
}

#[test]
#[expect(deprecated, reason = "std still has them")]
fn old_ways_to_wait_still_work() {
    thread::sleep_ms(1);
    thread::park_timeout_ms(1);
    contest::sync::atomic::spin_loop_hint();
    assert!(!thread::panicking());
    assert!(thread::available_parallelism().is_ok());
}

#[cfg(unix)]
#[test]
fn a_real_thread_has_a_pthread() {
    use std::os::unix::thread::JoinHandleExt;
    let handle = thread::spawn(|| ());
    assert_ne!(handle.as_pthread_t(), 0);
    handle.join().unwrap();
}
