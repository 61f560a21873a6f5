//! `pass/shims` and `pass/std`: locks, loops that wait, threads, and the counts of an `Arc`.

use std::sync::Arc;

use contest::sync::Mutex;
use contest::sync::atomic::AtomicUsize;
use contest::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use contest::sync::atomic::fence;
use contest::{cell::Cell, thread};

use super::{Failed, assume, executions, explored};
use crate::runs::{Shared, join_all};

#[test]
fn a_mutex_orders_six_additions_in_twenty_ways() {
    let report = explored(|| {
        let other = Mutex::new(1234);
        let _other = other.lock().unwrap();
        let lock = Arc::new(Mutex::new(0));
        let guard = lock.lock().unwrap();
        assert!(lock.try_lock().is_err());
        drop(guard);
        assert!(lock.try_lock().is_ok());
        let threads = [2, 4].map(|number| {
            let lock = lock.clone();
            thread::spawn(move || (0..3).for_each(|_| *lock.lock().unwrap() += number))
        });
        join_all(threads);
        assert_eq!(*lock.lock().unwrap(), 18);
    });
    assert_eq!(report.traces(), 20);
}

#[test]
fn two_mutexes_in_opposite_orders_have_two_ends_and_a_deadlock() {
    let report = explored(|| {
        let locks = Arc::new([Mutex::new(0), Mutex::new(0)]);
        let threads = [(0, 1), (1, 0)].map(|(first, second)| {
            let locks = locks.clone();
            thread::spawn(move || {
                let mut first = locks[first].lock().unwrap();
                let mut second = locks[second].lock().unwrap();
                *first += 1;
                *second += 1;
            })
        });
        join_all(threads);
    });
    assert_eq!((report.traces(), report.tolerated()), (3, 1));
}

#[test]
fn empty_threads_have_one_execution() {
    let report = explored(|| join_all([thread::spawn(|| ()), thread::spawn(|| ())]));
    assert_eq!(report.traces(), 1);
}

type Wait = fn(&AtomicUsize, usize, &Failed) -> Option<()>;

/// Three threads pass a value on; `order` is that in which they are started.
fn turns(order: [usize; 3], wait: Wait) -> (u64, u64) {
    executions(|failed| {
        let shared = Shared::new((AtomicUsize::new(0), Cell::new(0)));
        let threads = order.map(|turn| {
            let (shared, failed) = (shared.clone(), failed.clone());
            thread::spawn(move || {
                let (flag, value) = shared.get();
                if turn == 0 {
                    value.set(42);
                    flag.store(1, Release);
                    wait(flag, 3, &failed)?;
                    assert_eq!(value.get(), 44);
                } else {
                    wait(flag, turn, &failed)?;
                    value.set(value.get() + 1);
                    flag.store(turn + 1, Release);
                }
                Some(())
            })
        });
        for thread in threads {
            let _ = thread.join().unwrap();
        }
    })
}

#[test]
fn loops_of_three_rounds_that_then_give_up() {
    let wait: Wait = |flag, value, failed| {
        for _ in 0..3 {
            if flag.load(Acquire) == value {
                return Some(());
            }
        }
        assume(false, failed)
    };
    assert_eq!(turns([0, 1, 2], wait).0, 108);
    assert_eq!(turns([2, 1, 0], wait).0, 108);
}

#[test]
fn single_looks_that_must_succeed() {
    let wait: Wait = |flag, value, failed| assume(flag.load(Acquire) == value, failed);
    assert_eq!(turns([0, 1, 2], wait).0, 1);
    assert_eq!(turns([2, 1, 0], wait).0, 1);
}

/// There that cannot be verified. Here a round that reads another value in vain is another execution, and one that
/// reads the same again is none.
#[test]
fn loops_that_wait_as_long_as_it_takes() {
    let wait: Wait = |flag, value, _| {
        while flag.load(Acquire) != value {
            contest::hint::spin_loop();
        }
        Some(())
    };
    assert_eq!(turns([0, 1, 2], wait), (18, 0));
    assert_eq!(turns([2, 1, 0], wait), (18, 0));
}

/// What the `Arc` of `std` does with its counts, which are not under control in a model.
struct Counts {
    strong: AtomicUsize,
    weak: AtomicUsize,
}

impl Counts {
    fn drop_weak(&self) {
        if self.weak.fetch_sub(1, Release) == 1 {
            fence(Acquire);
        }
    }

    fn drop_strong(&self) {
        if self.strong.fetch_sub(1, Release) == 1 {
            fence(Acquire);
            self.drop_weak();
        }
    }

    fn upgrade(&self) -> bool {
        let mut strong = self.strong.load(Relaxed);
        while strong != 0 {
            match self
                .strong
                .compare_exchange(strong, strong + 1, Acquire, Relaxed)
            {
                Ok(_) => return true,
                Err(now) => strong = now,
            }
        }
        false
    }
}

fn last_owner_drops_beside(uses: fn(&Counts)) -> u64 {
    let report = explored(|| {
        // The owners have a weak handle together; there are two more.
        let counts = Arc::new(Counts {
            strong: AtomicUsize::new(1),
            weak: AtomicUsize::new(3),
        });
        let theirs = counts.clone();
        let other = thread::spawn(move || {
            uses(&theirs);
            theirs.drop_weak();
        });
        counts.drop_strong();
        other.join().unwrap();
        assert!(!counts.upgrade());
        counts.drop_weak();
    });
    report.traces()
}

#[test]
fn counts_of_handles_beside_the_last_drop() {
    let look = last_owner_drops_beside(|counts| {
        counts.strong.load(Relaxed);
    });
    assert_eq!(look, 4);
    let upgrade = last_owner_drops_beside(|counts| {
        if counts.upgrade() {
            counts.drop_strong();
        }
    });
    assert_eq!(upgrade, 7);
}
