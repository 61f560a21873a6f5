//! The atomic integers.

use std::sync::atomic::Ordering;

use super::shared_methods::{atomic_type, read_modify_write};
use super::visible::{self, Bits, Site, by_the_engine};
use contest_data::trace::Update;
use contest_engine::execution::{Active, AtomicMethod, active};

macro_rules! atomic_integer {
    ($($Name:ident $int:ident $unsigned:ident;)*) => {$(
        impl Bits for $int {
            #[inline]
            fn bits(self) -> u64 {
                self as $unsigned as u64
            }

            by_the_engine!(|bits| bits as $int);
        }

        atomic_type!([] $Name, $int, 0);

        read_modify_write!([] $Name, $int;
            Replace: swap($int);
            Add: fetch_add($int), fetch_sub($int);
            Combine: fetch_and($int), fetch_nand($int), fetch_or($int), fetch_xor($int), fetch_max($int),
                fetch_min($int);
        );
    )*};
}

atomic_integer! {
    AtomicI8 i8 u8;
    AtomicU8 u8 u8;
    AtomicI16 i16 u16;
    AtomicU16 u16 u16;
    AtomicI32 i32 u32;
    AtomicU32 u32 u32;
    AtomicI64 i64 u64;
    AtomicU64 u64 u64;
    AtomicIsize isize usize;
    AtomicUsize usize usize;
}
