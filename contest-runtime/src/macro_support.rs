//! The only thing that expanded and generated code may name, besides what is public.

pub use std;

pub use crate::observe::{block_on, count_call, ways};
pub use crate::thread::local_key::Name;
