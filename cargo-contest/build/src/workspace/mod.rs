//! All access to disk, cargo and child processes. The source tree is only read.

pub mod async_runtime;
pub mod binary_copy;
pub mod build_target;
pub mod cargo_build;
pub mod cargo_config;
pub mod cargo_metadata;
pub mod cargo_selection;
pub mod child_process;
pub mod internal_sources;
pub mod lock_file;
pub mod lock_file_watch;
pub mod logged_command;
pub mod members;
mod named_crates;
pub mod off_features;
pub mod package_copy;
pub mod plain_check;
pub mod scratch_dir;
pub mod selection;
pub mod stop_handle;
mod tested_root;
pub mod toolchain_fault;
pub mod unit_graph;
