//! The drop-in types beside the real ones: what the compiler can see of them, and what they do with real threads. All
//! of this holds without feature `explore` too; what happens inside executions is in `inside`.

// With loom, this crate's engine and its types are not there.
#![cfg(not(feature = "loom"))]

mod atomics;
mod auto_traits;
mod channels;
mod constants;
mod debug_text;
mod layout;
mod locks;
mod once;
mod poisoning;
mod thread_locals;
mod threads;
mod variance;

#[cfg(feature = "explore")]
mod inside;
