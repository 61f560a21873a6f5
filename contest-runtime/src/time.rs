//! Drop-in for `std::time`: the real types. Under `cargo contest` the clock they read is replaced at the symbol `clock_gettime`.

pub use std::time::*;
