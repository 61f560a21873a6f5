//! All access to cargo and the disk.

pub mod cargo_metadata;
pub mod selection;
