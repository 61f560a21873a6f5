//! Drop-in types for `std`. With feature `explore` each wraps the real one: outside an execution it behaves as the real
//! one, inside, the engine decides when. Without the feature they are those of `std`.
//!
//! Internal: the public interface is the package `contest-runtime`.

pub mod alloc;
#[cfg(feature = "explore")]
pub mod arch;
pub mod cell;
pub mod future;
pub mod hint;
pub mod lazy_static;
pub mod notify;
#[cfg(all(feature = "parking_lot", feature = "explore"))]
pub mod parking_lot;
#[cfg(feature = "explore")]
pub mod probe;
pub mod process;
pub mod rand;
pub mod sync;
pub mod thread;
pub mod time;

/// The interface of parking_lot 0.12: parking_lot itself, since feature `explore` is off.
#[cfg(all(feature = "parking_lot", not(feature = "explore")))]
pub use ::parking_lot;

#[cfg(not(feature = "explore"))]
pub use std::thread_local;

/// What expanded macros name.
#[doc(hidden)]
pub mod macro_support {
    pub use std;

    #[cfg(feature = "explore")]
    pub use crate::thread::local_key::Name;
}
