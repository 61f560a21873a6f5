//! Replaces `std` in unmodified crates.
//!
//! The facade and the runtime are built ([`facade_build`]) from sources that the tool carries ([`runtime_sources`]),
//! and kept for other runs and other projects ([`kept_runtime`], [`runtime_store`]). The tool is then cargo's
//! `RUSTC_WRAPPER` and hands the facade to every unit of the graph under test ([`rustc_wrapper`]), and flags that make
//! every memory access visible ([`access_flags`]), if requested. Crates that cannot be compiled that way are compiled
//! without it and reported.
//! In place of a library of locks a drop-in is compiled ([`lock_stand_in`]).
//! Test executables are linked with a harness of the tool in place of the compiler's ([`test_harness`]).
//! Cargo's tests of documentation are made into such executables ([`doctest_recorder`]).
//! Which of cargo's artifacts are for the target, and where the compiler has put them, wrappers note ([`unit_notes`]).
//! Where checkouts share a target directory, each is compiled for itself ([`checkout`]).
//! For static analysis the tool is another wrapper, which has the compiler write MIR ([`mir_wrapper`]).
#![cfg_attr(doc, doc = include_str!("DESIGN.md"))]

pub mod access_flags;
mod checkout;
pub mod doctest_recorder;
pub mod facade_build;
pub mod kept_runtime;
pub mod lock_stand_in;
pub mod mir_wrapper;
pub mod runtime_sources;
pub mod runtime_store;
mod rustc_attempt;
pub mod rustc_unit;
pub mod rustc_wrapper;
pub mod test_harness;
pub mod unit_notes;
