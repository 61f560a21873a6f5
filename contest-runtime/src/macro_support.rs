//! The only thing expanded and generated code may call, besides what is public. Not part of the public interface.

pub use std;

pub use crate::observe::{block_on, count_call, hold, state, step, ways};
#[cfg(not(feature = "loom"))]
pub use crate::thread::local_key::Name;

#[cfg(feature = "explore")]
pub use crate::annotated::objects::{not_called, object, object_mut, shared};
#[cfg(feature = "explore")]
pub use crate::annotated::{fields, made_lock, snapshot};
