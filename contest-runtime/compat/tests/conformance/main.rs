//! Behaviours that other people's test suites hold their own libraries to, held against this engine.
//!
//! The tests are written here; each module names the file whose behaviours it covers. `README.md` beside this file is
//! the table of all behaviours, with what does not pass and why.

mod litmus;
mod loom;
mod miri;
mod runs;
mod sctbench;
mod shuttle;
mod std_sync;
mod table;
