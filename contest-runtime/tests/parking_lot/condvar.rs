//! `Condvar`.

use std::time::{Duration, Instant};

use contest::parking_lot::{Condvar, Mutex};
use contest::sync::Arc;
use contest::thread;

use super::{assert_outcomes, everywhere};

#[test]
fn a_notification_wakes_a_waiting_thread() {
    everywhere(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let theirs = Arc::clone(&pair);
        let thread = thread::spawn(move || {
            *theirs.0.lock() = true;
            theirs.1.notify_one();
        });
        let mut ready = pair.0.lock();
        while !*ready {
            pair.1.wait(&mut ready);
        }
        drop(ready);
        thread.join().unwrap();
    });
}

#[test]
fn notifying_says_how_many_were_woken() {
    everywhere(|| {
        let condvar = Condvar::new();
        assert!(!condvar.notify_one());
        assert_eq!(condvar.notify_all(), 0);
    });
    assert_outcomes(
        || {
            let pair = Arc::new((Mutex::new(0), Condvar::new()));
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let pair = Arc::clone(&pair);
                    thread::spawn(move || {
                        let mut waiting = pair.0.lock();
                        *waiting += 1;
                        while *waiting < 10 {
                            pair.1.wait(&mut waiting);
                        }
                    })
                })
                .collect();
            let mut waiting = pair.0.lock();
            let (before, woken_one) = (*waiting, pair.1.notify_one());
            assert_eq!(woken_one, before > 0);
            let woken = pair.1.notify_all();
            assert_eq!(woken + usize::from(woken_one), before);
            *waiting = 10;
            drop(waiting);
            for thread in threads {
                thread.join().unwrap();
            }
            before
        },
        &[0, 1, 2],
    );
}

#[test]
fn no_thread_is_woken_without_a_notification() {
    // parking_lot promises it, so an `if` is enough here.
    everywhere(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let theirs = Arc::clone(&pair);
        let thread = thread::spawn(move || {
            *theirs.0.lock() = true;
            theirs.1.notify_all();
        });
        let mut ready = pair.0.lock();
        if !*ready {
            pair.1.wait(&mut ready);
            assert!(*ready);
        }
        drop(ready);
        thread.join().unwrap();
    });
}

#[test]
fn a_wait_has_an_end() {
    everywhere(|| {
        let (mutex, condvar) = (Mutex::new(0), Condvar::new());
        let mut guard = mutex.lock();
        let limit = Duration::from_millis(1);
        assert!(condvar.wait_for(&mut guard, limit).timed_out());
        assert!(
            condvar
                .wait_until(&mut guard, Instant::now() + limit)
                .timed_out()
        );
        assert!(
            condvar
                .wait_while_for(&mut guard, |_| true, limit)
                .timed_out()
        );
        assert!(
            !condvar
                .wait_while_for(&mut guard, |_| false, limit)
                .timed_out()
        );
        let at_once = condvar.wait_while_until(&mut guard, |_| true, Instant::now());
        assert!(at_once.timed_out());
        condvar.wait_while(&mut guard, |number| {
            *number += 1;
            *number < 1
        });
        assert_eq!(*guard, 1);
    });
}

#[test]
fn after_a_wait_that_timed_out_no_thread_counts_as_waiting() {
    everywhere(|| {
        let (one, two, condvar) = (Mutex::new(()), Mutex::new(()), Condvar::new());
        assert!(
            condvar
                .wait_for(&mut one.lock(), Duration::from_millis(1))
                .timed_out()
        );
        assert!(!condvar.notify_one());
        // With another mutex, which is allowed one after the other.
        assert!(
            condvar
                .wait_for(&mut two.lock(), Duration::from_millis(1))
                .timed_out()
        );
    });
}

#[test]
fn two_mutexes_at_once_are_refused() {
    fn program() -> bool {
        let all = Arc::new((Mutex::new(false), Mutex::new(()), Condvar::new()));
        let theirs = Arc::clone(&all);
        let thread = thread::spawn(move || {
            let mut done = theirs.0.lock();
            while !*done {
                theirs.2.wait(&mut done);
            }
        });
        // Whoever comes second is refused, if the first waits still.
        let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut other = all.1.lock();
            all.2.wait_for(&mut other, Duration::from_millis(1));
        }))
        .is_err();
        *all.0.lock() = true;
        all.2.notify_all();
        thread.join().is_err() || refused
    }
    assert!(super::outcomes(program).len() <= 2);
    #[cfg(feature = "explore")]
    assert!(super::outcomes(program).contains(&true));
}

#[cfg(feature = "explore")]
#[test]
fn a_notification_before_the_wait_is_lost() {
    let kind = super::finding(|| {
        let pair = Arc::new((Mutex::new(()), Condvar::new()));
        let theirs = Arc::clone(&pair);
        let thread = thread::spawn(move || theirs.1.notify_one());
        pair.1.wait(&mut pair.0.lock());
        thread.join().unwrap();
    });
    assert_eq!(kind, contest::FindingKind::Deadlock);
}
