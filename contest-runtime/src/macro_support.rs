//! The only thing expanded and generated code may call, besides what is public. Not part of the public interface.

pub use std;

pub use contest_engine::observe::{
    block_on, callers_code, count_call, hold, is_polled_by_waker, state, step, wait_for, ways,
};
#[cfg(not(feature = "loom"))]
pub use contest_std::macro_support::Name;

pub use contest_data::settings::Package;
pub use contest_data::subject;

pub use crate::annotated::objects::{not_called, object, object_mut, shared};
pub use crate::annotated::{cell_access, fields, made_lock, snapshot};
