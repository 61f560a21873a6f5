//! `basic/atomic.rs`: every operation of every atomic type, and what it returns when two threads race for it.

use std::collections::BTreeSet;
use std::sync::Arc;

use contest::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use contest::sync::atomic::{AtomicBool, AtomicPtr, fence};
use contest::thread;

use super::outcomes;

macro_rules! integer {
    ($name:ident, $Atomic:path, $int:ty) => {
        mod $name {
            use super::*;

            type Atomic = $Atomic;

            /// What two racing operations return, and what they leave behind.
            fn race(
                start: $int,
                one: impl Fn(&Atomic) -> $int + Clone + Send + 'static,
                other: impl Fn(&Atomic) -> $int,
            ) -> BTreeSet<($int, $int, $int)> {
                outcomes(|| {
                    let atomic = Arc::new(Atomic::new(start));
                    let (theirs, one) = (Arc::clone(&atomic), one.clone());
                    let thread = thread::spawn(move || one(&theirs));
                    let second = other(&atomic);
                    let first = thread.join().unwrap();
                    (first, second, Arc::into_inner(atomic).unwrap().into_inner())
                })
            }

            #[test]
            fn a_load_sees_the_value_before_or_after_a_store() {
                let seen = race(
                    1,
                    |atomic| atomic.load(Acquire),
                    |atomic| {
                        atomic.store(2, Release);
                        0
                    },
                );
                assert_eq!(seen, BTreeSet::from([(1, 0, 2), (2, 0, 2)]));
            }

            #[test]
            fn two_swaps_pass_a_value_on() {
                let seen = race(
                    1,
                    |atomic| atomic.swap(2, SeqCst),
                    |atomic| atomic.swap(3, SeqCst),
                );
                assert_eq!(seen, BTreeSet::from([(1, 2, 3), (3, 1, 2)]));
            }

            #[test]
            fn of_two_equal_exchanges_one_succeeds() {
                let exchange = |atomic: &Atomic, new| {
                    atomic
                        .compare_exchange(1, new, AcqRel, Relaxed)
                        .unwrap_or_else(|seen| 10 + seen)
                };
                let seen = race(
                    1,
                    move |atomic| exchange(atomic, 2),
                    move |atomic| exchange(atomic, 3),
                );
                assert_eq!(seen, BTreeSet::from([(1, 12, 2), (13, 1, 3)]));
            }

            #[test]
            fn a_weak_exchange_in_a_loop_adds_and_so_does_fetch_update() {
                let add = |atomic: &Atomic| {
                    let mut seen = atomic.load(Relaxed);
                    while let Err(now) =
                        atomic.compare_exchange_weak(seen, seen + 1, SeqCst, Relaxed)
                    {
                        seen = now;
                    }
                    seen
                };
                let seen = race(0, add, |atomic| {
                    atomic
                        .fetch_update(SeqCst, SeqCst, |seen| Some(seen + 1))
                        .unwrap()
                });
                assert_eq!(seen, BTreeSet::from([(0, 1, 2), (1, 0, 2)]));
            }

            #[test]
            fn arithmetic_is_atomic_and_returns_the_value_before() {
                let seen = race(
                    5,
                    |atomic| atomic.fetch_add(2, SeqCst),
                    |atomic| atomic.fetch_sub(1, SeqCst),
                );
                assert_eq!(seen, BTreeSet::from([(5, 7, 6), (4, 5, 6)]));
                let seen = race(
                    5,
                    |atomic| atomic.fetch_max(7, SeqCst),
                    |atomic| atomic.fetch_min(3, SeqCst),
                );
                assert_eq!(seen, BTreeSet::from([(5, 7, 3), (3, 5, 7)]));
            }

            #[test]
            fn logic_is_atomic_and_returns_the_value_before() {
                let seen = race(
                    6,
                    |atomic| atomic.fetch_and(3, SeqCst),
                    |atomic| atomic.fetch_or(8, SeqCst),
                );
                assert_eq!(seen, BTreeSet::from([(6, 2, 10), (14, 6, 2)]));
                let seen = race(
                    6,
                    |atomic| atomic.fetch_xor(3, SeqCst),
                    |atomic| atomic.fetch_nand(4, SeqCst),
                );
                assert_eq!(
                    seen,
                    BTreeSet::from([(6, 5, !(5 & 4)), (!(6 & 4), 6, !(6 & 4) ^ 3)])
                );
            }
        }
    };
}

integer!(i8, contest::sync::atomic::AtomicI8, i8);
integer!(i16, contest::sync::atomic::AtomicI16, i16);
integer!(i32, contest::sync::atomic::AtomicI32, i32);
integer!(i64, contest::sync::atomic::AtomicI64, i64);
integer!(i128, contest_compat::shuttle::AtomicI128, i128);
integer!(isize, contest::sync::atomic::AtomicIsize, isize);
integer!(u8, contest::sync::atomic::AtomicU8, u8);
integer!(u16, contest::sync::atomic::AtomicU16, u16);
integer!(u32, contest::sync::atomic::AtomicU32, u32);
integer!(u64, contest::sync::atomic::AtomicU64, u64);
integer!(u128, contest_compat::shuttle::AtomicU128, u128);
integer!(usize, contest::sync::atomic::AtomicUsize, usize);

#[test]
fn booleans_race_as_integers_do() {
    let seen = outcomes(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&flag);
        let thread = thread::spawn(move || theirs.fetch_or(true, SeqCst));
        let before = flag.compare_exchange(false, true, SeqCst, SeqCst).is_ok();
        (
            thread.join().unwrap(),
            before,
            flag.fetch_nand(true, SeqCst),
        )
    });
    assert_eq!(
        seen,
        BTreeSet::from([(false, false, true), (true, true, true)])
    );
}

#[test]
fn pointers_are_exchanged_by_one_thread_only() {
    let seen = outcomes(|| {
        let mut values = [1, 2, 3];
        let base = values.as_mut_ptr();
        let pointer = Arc::new(AtomicPtr::new(base));
        let theirs = Arc::clone(&pointer);
        let thread = thread::spawn(move || {
            let first = theirs.load(SeqCst);
            theirs
                .compare_exchange(first, first.wrapping_add(1), SeqCst, SeqCst)
                .is_ok()
        });
        let mine = pointer
            .compare_exchange(base, base.wrapping_add(2), SeqCst, SeqCst)
            .is_ok();
        let theirs = thread.join().unwrap();
        (mine, theirs, pointer.load(SeqCst) as usize - base as usize)
    });
    // Its load may come after my exchange.
    let after_mine = (true, true, 3 * size_of::<i32>());
    let alone = [
        (true, false, 2 * size_of::<i32>()),
        (false, true, size_of::<i32>()),
    ];
    assert_eq!(seen, BTreeSet::from([after_mine, alone[0], alone[1]]));
}

#[test]
fn a_relaxed_fence_panics_as_in_std() {
    let finding = super::failure(|| fence(Relaxed));
    assert!(
        finding.message.contains("relaxed fence"),
        "{}",
        finding.message
    );
}
