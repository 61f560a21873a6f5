//! `cargo contest init`, by the real binary, on manifests as people write them. Cargo itself is asked whether it accepts the results. And what
//! `cargo contest --emit` writes into such a crate.

mod support;

mod asking;
mod emitted;
mod manifests;
mod refused;
mod workspaces;
