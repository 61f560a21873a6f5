//! `cargo contest init`, by the real binary, on manifests of all kinds, which cargo must accept afterwards. What it
//! writes is run in `tests/long`.

mod support;

mod confirmation;
mod manifests;
mod refused;
mod workspaces;
