//! `cargo contest init`, by the real binary, on manifests of all kinds, which cargo must accept afterwards. And what
//! `cargo contest --emit` writes into such a crate.

mod support;

mod confirmation;
mod emitted;
mod manifests;
mod refused;
mod workspaces;
