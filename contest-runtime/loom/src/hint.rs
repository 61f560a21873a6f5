//! loom's `hint`, and the rest of `std`'s.

pub use std::hint::*;

pub use loom::hint::spin_loop;
