//! Atomics: each method beside the real one, and the orderings that `std` refuses.

use std::panic::{AssertUnwindSafe, catch_unwind};

use contest::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

/// Calls the methods on both and compares what they return and what is there after.
macro_rules! same_results {
    ($Atomic:ident, $start:expr; $($method:ident($($arg:expr),*)),* $(,)?) => {$({
        let ours = contest::sync::atomic::$Atomic::new($start);
        let real = std::sync::atomic::$Atomic::new($start);
        assert_eq!(
            (ours.$method($($arg),*), ours.load(SeqCst)),
            (real.$method($($arg),*), real.load(SeqCst)),
            concat!(stringify!($Atomic), "::", stringify!($method)),
        );
    })*};
}

macro_rules! same_results_of_integers {
    ($($Atomic:ident $int:ident),*) => {$(
        for start in [0, 1, 5, $int::MAX, $int::MIN] {
            same_results!($Atomic, start;
                load(Acquire), store(3, Release), swap(3, AcqRel), fetch_add(3, SeqCst), fetch_sub(3, SeqCst),
                fetch_and(6, SeqCst), fetch_nand(6, SeqCst), fetch_or(6, SeqCst), fetch_xor(6, SeqCst),
                fetch_max(3, SeqCst), fetch_min(3, SeqCst), compare_exchange(5, 6, SeqCst, Relaxed),
                compare_exchange_weak(5, 6, AcqRel, Acquire), compare_and_swap(1, 9, AcqRel),
                fetch_update(SeqCst, SeqCst, |value| value.checked_add(1)),
                try_update(SeqCst, SeqCst, |value| value.checked_mul(2)),
                update(SeqCst, SeqCst, |value| value / 2),
                copied_inner(),
            );
        }
    )*};
}

/// `into_inner` takes the atomic, so it is compared on a copy.
trait CopiedInner {
    type Value;
    fn copied_inner(&self) -> Self::Value;
}

macro_rules! copied_inner {
    ($($Atomic:ident $Value:ty),*) => {$(
        impl CopiedInner for std::sync::atomic::$Atomic {
            type Value = $Value;
            fn copied_inner(&self) -> $Value {
                Self::from(self.load(SeqCst)).into_inner()
            }
        }
        #[cfg(feature = "explore")]
        impl CopiedInner for contest::sync::atomic::$Atomic {
            type Value = $Value;
            fn copied_inner(&self) -> $Value {
                let mut copy = Self::from(self.load(SeqCst));
                assert_eq!(*copy.get_mut(), self.load(SeqCst));
                copy.into_inner()
            }
        }
    )*};
}

copied_inner!(
    AtomicI8 i8, AtomicU8 u8, AtomicI16 i16, AtomicU16 u16, AtomicI32 i32, AtomicU32 u32, AtomicI64 i64, AtomicU64 u64,
    AtomicIsize isize, AtomicUsize usize
);

#[test]
#[expect(deprecated, reason = "std still has compare_and_swap")]
fn integers_do_what_the_real_ones_do() {
    same_results_of_integers!(
        AtomicI8 i8, AtomicU8 u8, AtomicI16 i16, AtomicU16 u16, AtomicI32 i32, AtomicU32 u32, AtomicI64 i64, AtomicU64 u64,
        AtomicIsize isize, AtomicUsize usize
    );
}

#[test]
#[expect(deprecated, reason = "std still has compare_and_swap")]
fn booleans_do_what_the_real_ones_do() {
    for start in [false, true] {
        for value in [false, true] {
            same_results!(AtomicBool, start;
                load(SeqCst), store(value, SeqCst), swap(value, SeqCst), fetch_and(value, SeqCst), fetch_nand(value, SeqCst),
                fetch_or(value, SeqCst), fetch_xor(value, SeqCst), fetch_not(SeqCst),
                compare_exchange(value, true, SeqCst, SeqCst), compare_exchange_weak(value, false, SeqCst, SeqCst),
                compare_and_swap(value, true, SeqCst),
                fetch_update(SeqCst, SeqCst, |now| (now == value).then_some(!now)),
                try_update(SeqCst, SeqCst, |now| (now == value).then_some(!now)),
                update(SeqCst, SeqCst, |now| !now),
            );
        }
    }
}

#[test]
#[expect(deprecated, reason = "std still has compare_and_swap")]
fn pointers_do_what_the_real_ones_do() {
    let mut array = [0_u32; 8];
    let base = (&raw mut array).cast::<u32>();
    let third = base.wrapping_add(3);
    same_results!(AtomicPtr, third;
        load(SeqCst), store(base, SeqCst), swap(base, SeqCst), fetch_ptr_add(1, SeqCst), fetch_ptr_sub(1, SeqCst),
        fetch_byte_add(4, SeqCst), fetch_byte_sub(4, SeqCst), fetch_or(1, SeqCst), fetch_and(!7, SeqCst), fetch_xor(1, SeqCst),
        compare_exchange(third, base, SeqCst, SeqCst), compare_exchange_weak(base, third, SeqCst, SeqCst),
        compare_and_swap(third, base, SeqCst), fetch_update(SeqCst, SeqCst, |_| None),
        try_update(SeqCst, SeqCst, |_| Some(base)), update(SeqCst, SeqCst, |now| now.wrapping_add(1)),
    );
}

#[test]
fn orderings_that_std_refuses_are_refused() {
    let value = contest::sync::atomic::AtomicU32::new(1);
    let refused = |f: &dyn Fn()| catch_unwind(AssertUnwindSafe(f)).is_err();
    for order in [Release, AcqRel] {
        assert!(refused(&|| {
            value.load(order);
        }));
        assert!(refused(&|| {
            let _ = value.compare_exchange(1, 2, SeqCst, order);
        }));
    }
    for order in [Acquire, AcqRel] {
        assert!(refused(&|| value.store(1, order)));
    }
    // Written out, the compiler would refuse it.
    let order = Relaxed;
    assert!(refused(&|| contest::sync::atomic::fence(order)));
    contest::sync::atomic::fence(SeqCst);
    contest::sync::atomic::compiler_fence(SeqCst);
    assert_eq!(value.into_inner(), 1);
}
