//! `basic/condvar.rs`: notifications that arrive, that are lost, that go to another waiter.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use contest::FindingKind;
use contest::sync::{Condvar, Mutex};
use contest::thread;

use super::{failure, outcomes};

type Flag = Arc<(Mutex<usize>, Condvar)>;

fn wait_until(flag: &Flag, at_least: usize) {
    let mut value = flag.0.lock().unwrap();
    while *value < at_least {
        value = flag.1.wait(value).unwrap();
    }
}

#[test]
fn a_notification_after_the_flag_wakes_the_one_that_waits() {
    outcomes(|| {
        let flag = Flag::default();
        let theirs = Arc::clone(&flag);
        let thread = thread::spawn(move || wait_until(&theirs, 1));
        *flag.0.lock().unwrap() = 1;
        // Without the lock: that is allowed.
        flag.1.notify_one();
        thread.join().unwrap();
    });
}

#[test]
fn wait_while_needs_no_loop() {
    let seen = outcomes(|| {
        let flag = Flag::default();
        let theirs = Arc::clone(&flag);
        let wait = move || {
            *theirs
                .1
                .wait_while(theirs.0.lock().unwrap(), |value| *value == 0)
                .unwrap()
        };
        let thread = thread::spawn(wait);
        *flag.0.lock().unwrap() = 7;
        flag.1.notify_all();
        thread.join().unwrap()
    });
    assert_eq!(seen, BTreeSet::from([7]));
}

#[test]
fn notify_one_wakes_one_and_notify_all_wakes_all() {
    let waiters = |notify: fn(&Condvar)| {
        move || {
            let flag = Flag::default();
            let start = |_| {
                let flag = Arc::clone(&flag);
                thread::spawn(move || wait_until(&flag, 1))
            };
            let threads: Vec<_> = (0..2).map(start).collect();
            *flag.0.lock().unwrap() = 1;
            notify(&flag.1);
            threads
                .into_iter()
                .for_each(|thread| thread.join().unwrap());
        }
    };
    outcomes(waiters(Condvar::notify_all));
    assert_eq!(
        failure(waiters(Condvar::notify_one)).kind,
        FindingKind::Deadlock
    );
}

#[test]
fn any_waiter_may_be_the_one_that_is_woken() {
    let woken = outcomes(|| {
        let (flag, first) = (Flag::default(), Arc::new(Mutex::new(None)));
        let start = |number: usize| {
            let (flag, first) = (Arc::clone(&flag), Arc::clone(&first));
            thread::spawn(move || {
                let mut arrived = flag.0.lock().unwrap();
                *arrived += 1;
                if *arrived == 3 {
                    // The other two wait.
                    flag.1.notify_one();
                    return;
                }
                drop(flag.1.wait(arrived).unwrap());
                first.lock().unwrap().get_or_insert(number);
                flag.1.notify_one();
            })
        };
        let threads = [start(0), start(1), start(2)];
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        *first.lock().unwrap()
    });
    assert_eq!(woken, BTreeSet::from([Some(0), Some(1), Some(2)]));
}

#[test]
fn a_notification_before_the_wait_is_lost() {
    let finding = failure(|| {
        let flag = Flag::default();
        let theirs = Arc::clone(&flag);
        let thread = thread::spawn(move || drop(theirs.1.wait(theirs.0.lock().unwrap()).unwrap()));
        flag.1.notify_one();
        thread.join().unwrap();
    });
    assert_eq!(finding.kind, FindingKind::Deadlock);
}

#[test]
fn one_condition_for_producers_and_consumers_can_wake_the_wrong_one() {
    // Two producers and two consumers of one place: a producer's notification may wake a producer.
    let finding = failure(|| {
        let place = Flag::default();
        let turn = |full: bool| {
            let place = Arc::clone(&place);
            thread::spawn(move || {
                let mut value = place.0.lock().unwrap();
                while (*value == 1) == full {
                    value = place.1.wait(value).unwrap();
                }
                *value = usize::from(full);
                place.1.notify_one();
            })
        };
        let threads = [turn(true), turn(true), turn(false), turn(false)];
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    });
    assert_eq!(finding.kind, FindingKind::Deadlock);
}

#[test]
fn a_wait_with_a_timeout_ends_when_no_thread_is_left_to_notify() {
    let timed_out = outcomes(|| {
        let flag = Flag::default();
        let value = flag.0.lock().unwrap();
        flag.1
            .wait_timeout(value, Duration::from_secs(10))
            .unwrap()
            .1
            .timed_out()
    });
    assert_eq!(timed_out, BTreeSet::from([true]));
}
