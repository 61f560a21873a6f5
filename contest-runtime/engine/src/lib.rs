//! Controlled execution: virtual threads as coroutines on one OS thread, objects and clocks, memory of code under test.
//!
//! All unsafe code of the core is here. Internal: the public interface is the package `contest-runtime`.
//!
//! # Rooms
//! From low to high; a file uses only rooms below its own: `black_box`, `fault_point`, `happens_before`, `weak_memory`,
//! `memory`, `object`, `execution`, `observe`, `real_threads`.
//!
//! # Soundness
//! The machine of an execution is used through one access at a time (`execution/current.rs`); builds with debug
//! assertions, and so the tests, panic where there would be two. What needs no switch of stacks runs under Miri:
//! `MIRIFLAGS=-Zmiri-permissive-provenance cargo +nightly miri test -p contest-engine --lib --target-dir target/miri`
//! (objects and memory are found by address, so provenance is exposed).
#![cfg_attr(doc, doc = include_str!("../DESIGN.md"))]

#[cfg(feature = "driver")]
pub mod black_box;
pub mod execution;
pub mod fault_point;
mod happens_before;
pub mod memory;
mod object;
pub mod observe;
#[cfg(all(feature = "driver", target_os = "linux"))]
pub mod real_threads;
mod weak_memory;
