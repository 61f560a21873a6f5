//! The only thing expanded and generated code may call. Not part of the public interface.

pub use crate::observe::{block_on, count_call, ways};
