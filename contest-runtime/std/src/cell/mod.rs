//! Cells for hand-written models: as those of `std::cell`, but the engine sees who accesses them, so that two accesses
//! that nothing orders are found as a data race.
//!
//! `std::cell::UnsafeCell::get` returns a pointer, and what is done with it cannot be observed. [`UnsafeCell`] passes
//! it to a closure ([`with`](UnsafeCell::with), [`with_mut`](UnsafeCell::with_mut)) or keeps it in a guard
//! ([`get`](UnsafeCell::get), [`get_mut`](UnsafeCell::get_mut)), so that the access has a beginning and an end.

mod access;
mod checked_cell;
pub(crate) mod execution_static;
#[doc(hidden)]
pub mod own_location;
mod pointers;
mod unsafe_cell;

pub use std::cell::*;

pub use checked_cell::Cell;
pub use pointers::{ConstPtr, MutPtr};
pub use unsafe_cell::UnsafeCell;
