//! Drop-in for `std::thread`. Inside an execution threads are virtual; outside they are the real ones.

#[cfg(not(feature = "explore"))]
pub use std::thread::*;

#[cfg(feature = "explore")]
pub use self::explore::*;

#[cfg(feature = "explore")]
mod builder;
#[cfg(feature = "explore")]
mod handle;
#[cfg(feature = "explore")]
mod id;
#[cfg(feature = "explore")]
mod join_handle;
#[cfg(feature = "explore")]
pub(crate) mod local_key;
#[cfg(feature = "explore")]
mod packet;
#[cfg(feature = "explore")]
mod pause;
#[cfg(feature = "explore")]
mod scope;
#[cfg(feature = "explore")]
mod shared;

// For contest-compat.
#[cfg(feature = "explore")]
#[doc(hidden)]
pub use builder::spawn_local;

#[cfg(feature = "explore")]
mod explore {
    // `Result` and what a later `std` may add; what is replaced shadows the glob.
    pub use std::thread::*;

    pub use super::builder::{Builder, spawn};
    pub use super::handle::{Thread, current};
    pub use super::id::ThreadId;
    pub use super::join_handle::JoinHandle;
    pub use super::local_key::{AccessError, LocalKey};
    #[expect(deprecated, reason = "std still has them")]
    pub use super::pause::{
        available_parallelism, panicking, park, park_timeout, park_timeout_ms, sleep, sleep_ms,
        yield_now,
    };
    pub use super::scope::{Scope, ScopedJoinHandle, scope};
}
