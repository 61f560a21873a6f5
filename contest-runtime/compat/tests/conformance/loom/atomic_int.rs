//! loom `tests/atomic_int.rs`: each of its tests is one line of the macro, for drop-in atomics and those of
//! `compat::loom`.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};

use crate::runs::passes;

macro_rules! integers {
    (@one [$($int:ident $Atomic:ident),*] $name:ident |$x:ident, $a:ident, $b:ident| $body:expr) => {
        #[test]
        fn $name() {
            $({
                // Bits of the golden ratio and of the square root of two: no sign or size is special.
                let ($a, $b) = (0x9E37_79B9_7F4A_7C15_u64 as $int, 0xB504_F333_F9DE_6484_u64 as $int);
                passes(|| {
                    let $x = atomics::$Atomic::new($a);
                    $body;
                });
            })*
        }
    };
    ($types:tt $($name:ident |$x:ident, $a:ident, $b:ident| $body:expr;)*) => {
        $(integers!(@one $types $name |$x, $a, $b| $body);)*
    };
}

macro_rules! of_both_kinds {
    ($($tests:tt)*) => {
        mod drop_in {
            use super::*;
            use contest::sync::atomic as atomics;
            integers! { $($tests)* }
        }

        mod as_in_loom {
            use super::*;
            use contest_compat::loom::atomic as atomics;
            integers! { $($tests)* }
        }
    };
}

of_both_kinds! {
    [
        u8 AtomicU8, u16 AtomicU16, u32 AtomicU32, u64 AtomicU64, usize AtomicUsize,
        i8 AtomicI8, i16 AtomicI16, i32 AtomicI32, i64 AtomicI64, isize AtomicIsize
    ]
    exclusive_or |x, a, b| assert_eq!((x.fetch_xor(b, SeqCst), x.load(SeqCst)), (a, a ^ b));
    maximum |x, a, b| assert_eq!((x.fetch_max(b, AcqRel), x.load(Acquire)), (a, a.max(b)));
    minimum |x, a, b| assert_eq!((x.fetch_min(b, Relaxed), x.load(Relaxed)), (a, a.min(b)));
    exchange_if_equal |x, a, b| {
        assert_eq!(x.compare_exchange(b, a, SeqCst, SeqCst), Err(a));
        assert_eq!(x.compare_exchange(a, b, SeqCst, SeqCst), Ok(a));
        assert_eq!(x.load(SeqCst), b);
    };
    exchange_if_equal_never_fails_spuriously |x, a, b| {
        assert_eq!(x.compare_exchange_weak(b, a, AcqRel, Acquire), Err(a));
        assert_eq!(x.compare_exchange_weak(a, b, AcqRel, Relaxed), Ok(a));
        assert_eq!(x.load(SeqCst), b);
    };
    update_by_a_function |x, a, b| {
        assert_eq!(x.fetch_update(SeqCst, SeqCst, |now| (now == a).then_some(b)), Ok(a));
        assert_eq!(x.fetch_update(SeqCst, SeqCst, |now| (now == a).then_some(b)), Err(b));
    };
}
