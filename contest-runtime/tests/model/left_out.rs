//! What an exhaustive search says it has explored: loops with an end of their own, timeouts, poisoned locks.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Mutex as Plain;
use std::time::Duration;

use contest::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use contest::sync::{Arc, Mutex, RwLock};
use contest::{Builder, hint, thread};
use contest_data::limits::Timeouts;

/// All outcomes, and why there may be others.
fn outcomes<T: Ord + Clone + Debug + Send + 'static>(
    builder: Builder,
    model: impl Fn() -> T + Send + Sync + 'static,
) -> (Vec<T>, Option<String>) {
    let seen = std::sync::Arc::new(Plain::new(BTreeSet::new()));
    let into = seen.clone();
    let report = builder.strategy("dpor").run(move || {
        let outcome = model();
        into.lock().unwrap().insert(outcome);
    });
    assert!(report.findings().is_empty(), "{report:?}");
    let seen = seen.lock().unwrap().iter().cloned().collect();
    (seen, report.cut().map(str::to_owned))
}

/// What a thread with a flag sees beside one that sets it, in so many tries.
fn tries(most: usize) -> (Vec<Option<usize>>, Option<String>) {
    outcomes(Builder::new(), move || {
        let flag = Arc::new(AtomicBool::new(false));
        let set = flag.clone();
        let other = thread::spawn(move || set.store(true, SeqCst));
        let seen = (0..most).find(|_| flag.load(SeqCst));
        other.join().unwrap();
        seen
    })
}

#[test]
fn a_loop_of_a_few_tries_is_left_after_each_number_of_tries_and_without_success() {
    for most in [2, 3, 5, 9, 20] {
        let (seen, cut) = tries(most);
        let all: Vec<Option<usize>> = std::iter::once(None).chain((0..most).map(Some)).collect();
        assert_eq!((seen, cut), (all, None), "{most}");
    }
}

#[test]
fn a_loop_of_very_many_tries_is_not_claimed_to_be_explored() {
    let (seen, cut) = tries(1_000_000);
    assert!(!seen.is_empty());
    let cut = cut.unwrap();
    assert!(cut.contains("a waiting loop may be left before"), "{cut}");
}

#[test]
fn a_loop_without_an_end_of_its_own_is_explored() {
    let waits: [fn(&AtomicBool); 4] = [
        |flag| while !flag.load(SeqCst) {},
        |flag| {
            while !flag.load(SeqCst) {
                hint::spin_loop();
            }
        },
        |flag| {
            while flag.compare_exchange(true, false, SeqCst, SeqCst).is_err() {
                thread::yield_now();
            }
        },
        |flag| loop {
            if flag.load(SeqCst) && flag.load(SeqCst) {
                break;
            }
        },
    ];
    for (number, wait) in waits.into_iter().enumerate() {
        let (_, cut) = outcomes(Builder::new(), move || {
            let flag = Arc::new(AtomicBool::new(false));
            let set = flag.clone();
            let other = thread::spawn(move || set.store(true, SeqCst));
            wait(&flag);
            other.join().unwrap();
        });
        assert_eq!(cut, None, "{number}");
    }
}

#[test]
fn a_thread_that_backs_off_more_and_more_waits_for_others() {
    let (seen, cut) = outcomes(Builder::new(), || {
        let flag = Arc::new(AtomicBool::new(false));
        let set = flag.clone();
        let other = thread::spawn(move || set.store(true, SeqCst));
        let mut rounds = 0;
        while !flag.load(SeqCst) {
            rounds += 1;
            (0..rounds * rounds).for_each(|_| hint::spin_loop());
        }
        other.join().unwrap();
    });
    // Each of its steps aside may come at another time, but none of the executions goes on for ever.
    let cut = cut.unwrap();
    assert!(cut.contains("too many interleavings"), "{cut}");
    assert_eq!(seen, [()]);
}

#[test]
fn a_thread_that_spins_with_a_back_off_and_then_parks_is_explored() {
    let (seen, cut) = outcomes(Builder::new(), || {
        let flag = Arc::new(AtomicBool::new(false));
        let (set, waiter) = (flag.clone(), thread::current());
        let other = thread::spawn(move || {
            set.store(true, SeqCst);
            waiter.unpark();
        });
        let mut parked = false;
        for _ in 0..4 {
            if flag.load(SeqCst) {
                break;
            }
            hint::spin_loop();
        }
        while !flag.load(SeqCst) {
            parked = true;
            thread::park();
        }
        other.join().unwrap();
        parked
    });
    assert_eq!((seen, cut), (vec![false, true], None));
}

#[test]
fn a_try_lock_that_gives_up_is_explored() {
    let (seen, cut) = outcomes(Builder::new(), || {
        let lock = Arc::new(Mutex::new(0));
        let held = lock.clone();
        let other = thread::spawn(move || {
            let mut guard = held.lock().unwrap();
            *guard += 1;
        });
        let got = (0..4).any(|_| lock.try_lock().is_ok());
        other.join().unwrap();
        got
    });
    assert_eq!((seen, cut), (vec![false, true], None));
}

#[test]
fn a_timed_wait_ends_early_where_the_limits_allow_it_and_is_no_claim_where_not() {
    let model = || {
        let set = Arc::new(AtomicUsize::new(0));
        let (other, waiter) = (set.clone(), thread::current());
        let thread = thread::spawn(move || {
            other.store(1, SeqCst);
            waiter.unpark();
        });
        thread::park_timeout(Duration::from_millis(20));
        let seen = set.load(SeqCst);
        thread.join().unwrap();
        seen
    };
    assert_eq!(outcomes(Builder::new(), model), (vec![0, 1], None));
    let never = Builder::new().timeouts(Timeouts::LastResort);
    let (seen, cut) = outcomes(never, model);
    assert_eq!(seen, [1]);
    let cut = cut.unwrap();
    assert!(cut.contains("may be over earlier"), "{cut}");
}

#[test]
fn a_sleep_may_be_over_before_the_other_thread_has_done_anything() {
    let (seen, cut) = outcomes(Builder::new(), || {
        let set = Arc::new(AtomicUsize::new(0));
        let other = set.clone();
        let thread = thread::spawn(move || {
            other.store(1, SeqCst);
            other.store(2, SeqCst);
        });
        thread::sleep(Duration::from_secs(1));
        let seen = set.load(SeqCst);
        thread.join().unwrap();
        seen
    });
    assert_eq!((seen, cut), (vec![0, 1, 2], None));
}

#[test]
fn clearing_a_poisoned_lock_and_looking_at_it_happen_in_both_orders() {
    let (seen, _) = outcomes(Builder::new(), || {
        let lock = Arc::new((Mutex::new(0), RwLock::new(0)));
        let poison = lock.clone();
        let _ = thread::spawn(move || {
            let _guards = (poison.0.lock(), poison.1.write());
            std::panic::resume_unwind(Box::new(()));
        })
        .join();
        let clears = lock.clone();
        let other = thread::spawn(move || {
            clears.0.clear_poison();
            clears.1.clear_poison();
        });
        let seen = (lock.0.is_poisoned(), lock.1.read().is_err());
        other.join().unwrap();
        assert!(!lock.0.is_poisoned() && !lock.1.is_poisoned());
        seen
    });
    let all = [(false, false), (false, true), (true, false), (true, true)];
    assert_eq!(seen, all);
}
