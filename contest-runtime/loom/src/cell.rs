//! loom's `cell`, and the rest of `std`'s.

pub use std::cell::*;

pub use loom::cell::{Cell, ConstPtr, MutPtr, UnsafeCell};
