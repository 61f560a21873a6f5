//! std `condvar.rs`.

use std::sync::Arc;
use std::time::Duration;

use contest::sync::atomic::{AtomicBool, Ordering};
use contest::sync::mpsc::channel;
use contest::sync::{Condvar, Mutex};
use contest::thread;

use crate::runs::inside_and_outside;

const SHORT: Duration = Duration::from_millis(1);
const FOREVER: Duration = Duration::from_millis(u64::MAX);

#[test]
fn notifying_without_a_waiter_does_nothing() {
    inside_and_outside(|| {
        let condvar = Condvar::new();
        condvar.notify_one();
        condvar.notify_all();
    });
}

#[test]
fn one_notification_wakes_one_waiter() {
    inside_and_outside(|| {
        let shared = Arc::new((Mutex::new(()), Condvar::new()));
        let guard = shared.0.lock().unwrap();
        let theirs = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            let _guard = theirs.0.lock().unwrap();
            theirs.1.notify_one();
        });
        drop(shared.1.wait(guard).unwrap());
        thread.join().unwrap();
    });
}

#[test]
fn a_notification_to_all_wakes_everybody() {
    const WAITERS: u32 = 2;
    inside_and_outside(|| {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let (sender, receiver) = channel();
        for _ in 0..WAITERS {
            let (shared, sender) = (Arc::clone(&shared), sender.clone());
            thread::spawn(move || {
                let mut count = shared.0.lock().unwrap();
                *count += 1;
                if *count == WAITERS {
                    sender.send(()).unwrap();
                }
                while *count != 0 {
                    count = shared.1.wait(count).unwrap();
                }
                sender.send(()).unwrap();
            });
        }
        receiver.recv().unwrap();
        let mut count = shared.0.lock().unwrap();
        *count = 0;
        shared.1.notify_all();
        drop(count);
        for _ in 0..WAITERS {
            receiver.recv().unwrap();
        }
    });
}

#[test]
fn a_child_that_waits_for_its_parents_lock_wakes_the_parent() {
    inside_and_outside(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let (sender, receiver) = channel();
        let theirs = Arc::clone(&shared);
        thread::spawn(move || {
            receiver.recv().unwrap();
            *theirs.0.lock().unwrap() = true;
            theirs.1.notify_one();
        });
        let mut done = shared.0.lock().unwrap();
        sender.send(()).unwrap();
        assert!(!*done);
        while !*done {
            done = shared.1.wait(done).unwrap();
        }
    });
}

#[test]
fn wait_while_returns_when_the_condition_is_false() {
    inside_and_outside(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let theirs = Arc::clone(&shared);
        thread::spawn(move || {
            *theirs.0.lock().unwrap() = true;
            theirs.1.notify_one();
        });
        let started = shared
            .1
            .wait_while(shared.0.lock().unwrap(), |started| !*started);
        assert!(*started.unwrap());
    });
}

#[test]
fn a_wait_without_a_notification_times_out() {
    inside_and_outside(|| {
        let (mutex, condvar) = (Mutex::new(()), Condvar::new());
        loop {
            let (_guard, waited) = condvar.wait_timeout(mutex.lock().unwrap(), SHORT).unwrap();
            if waited.timed_out() {
                break;
            }
        }
        let waited = condvar.wait_timeout_while(mutex.lock().unwrap(), SHORT, |()| true);
        assert!(waited.unwrap().1.timed_out());
    });
}

#[test]
fn a_condition_that_is_false_at_once_needs_no_time() {
    inside_and_outside(|| {
        let (mutex, condvar) = (Mutex::new(()), Condvar::new());
        let waited = condvar.wait_timeout_while(mutex.lock().unwrap(), Duration::ZERO, |()| false);
        assert!(!waited.unwrap().1.timed_out());
    });
}

#[test]
fn a_wait_that_is_ended_before_its_time_does_not_time_out() {
    inside_and_outside(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let done = shared.0.lock().unwrap();
        let theirs = Arc::clone(&shared);
        thread::spawn(move || {
            let mut done = theirs.0.lock().unwrap();
            thread::sleep(SHORT);
            *done = true;
            theirs.1.notify_one();
        });
        let (done, waited) = shared
            .1
            .wait_timeout_while(done, FOREVER, |done| !*done)
            .unwrap();
        assert!(*done && !waited.timed_out());
    });
}

#[test]
fn a_timed_wait_is_ended_by_a_notification() {
    inside_and_outside(|| {
        let shared = Arc::new((Mutex::new(()), Condvar::new(), AtomicBool::new(false)));
        let mut guard = shared.0.lock().unwrap();
        let theirs = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            let _guard = theirs.0.lock().unwrap();
            thread::sleep(SHORT);
            theirs.2.store(true, Ordering::Relaxed);
            theirs.1.notify_one();
        });
        while !shared.2.load(Ordering::Relaxed) {
            let (again, waited) = shared.1.wait_timeout(guard, FOREVER).unwrap();
            assert!(!waited.timed_out());
            guard = again;
        }
        drop(guard);
        thread.join().unwrap();
    });
}

#[test]
fn a_timeout_of_more_nanoseconds_than_can_be_counted_does_not_end_early() {
    inside_and_outside(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let mut sent = shared.0.lock().unwrap();
        let theirs = Arc::clone(&shared);
        thread::spawn(move || {
            *theirs.0.lock().unwrap() = true;
            theirs.1.notify_all();
        });
        let time = Duration::from_secs(u64::MAX.div_ceil(1_000_000_000));
        while !*sent {
            let (again, waited) = shared.1.wait_timeout(sent, time).unwrap();
            assert!(!waited.timed_out());
            sent = again;
        }
    });
}
