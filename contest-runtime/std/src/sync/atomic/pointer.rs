//! `AtomicPtr`.

use std::fmt;
use std::sync::atomic::Ordering;

use super::shared_methods::{atomic_type, read_modify_write};
use super::visible::{self, Bits, Site};
use contest_data::trace::Update;
use contest_engine::execution::{Active, AtomicMethod, active};

impl<T> Bits for *mut T {
    #[inline]
    fn bits(self) -> u64 {
        self.addr() as u64
    }
}

atomic_type!([T] AtomicPtr, *mut T, std::ptr::null_mut());

read_modify_write!([T] AtomicPtr, *mut T;
    Replace: swap(*mut T);
    Add: fetch_ptr_add(usize), fetch_ptr_sub(usize), fetch_byte_add(usize), fetch_byte_sub(usize);
    Combine: fetch_or(usize), fetch_and(usize), fetch_xor(usize);
);

impl<T> fmt::Pointer for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.load(Ordering::Relaxed), f)
    }
}
