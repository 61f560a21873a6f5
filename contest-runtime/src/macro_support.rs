//! The only thing that expanded code may name, besides what is public.

pub use std;

pub use crate::thread::local_key::Name;
