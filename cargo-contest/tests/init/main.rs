//! `cargo contest init`, by the real binary, on manifests as people write them. Cargo itself is asked whether it accepts the results.

mod support;

mod asking;
mod manifests;
mod refused;
mod workspaces;
