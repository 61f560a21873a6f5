//! One controlled run: virtual threads as coroutines on one OS thread, a strategy that picks the next one.
//!
//! In: a body, a strategy, limits. Out: an [`ExecutionRecord`](contest_data::trace::ExecutionRecord).
//! The drop-in types of [`sync`](contest_std::sync) call [`fn@active`] and, inside an execution, the methods of
//! [`Active`].

mod active;
#[cfg(all(feature = "driver", target_os = "linux"))]
mod allocator;
pub mod blocks;
mod checks;
mod choosing;
mod commit;
mod coroutine;
mod current;
#[cfg(feature = "driver")]
mod debugger;
mod delays;
mod engine;
mod field_names;
#[cfg(target_os = "linux")]
pub mod hang;
mod hash_keys;
// What instrumented code reports of its accesses, where there is any.
#[cfg_attr(
    not(all(
        feature = "driver",
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    )),
    path = "layer_dummy.rs"
)]
mod layer;
mod leeway;
mod machine;
mod model_state;
mod noted_accesses;
pub mod os_thread;
pub mod other_copies;
mod other_orderings;
pub mod panics;
mod polling;
mod processor_time;
mod publishing;
pub mod real_time;
mod same_state;
#[cfg(target_os = "linux")]
pub mod signals;
mod spinning;
#[cfg(target_os = "linux")]
pub mod stack_frames;
pub mod streams;
mod symboliser;
mod thread_locals;
mod timers;
mod virtual_thread;
mod waiting;
mod weak;

pub use crate::object::{KeptLock, Mend};
pub use active::{
    Active, AssemblyBlock, AssemblyFence, AtomicEffect, AtomicKind, AtomicMethod, AtomicOperation,
    OnceEntry, PollInWake, PollStep, Received, Sent, Teardown, active,
};
#[cfg(all(feature = "driver", target_os = "linux"))]
pub use allocator::DriverAllocator;
pub(crate) use current::running_thread;
#[cfg(feature = "driver")]
pub use debugger::Debugged;
pub use engine::Engine;
pub use layer::{note_read, place_of_caller};
pub use model_state::MainName;
pub use symboliser::{AccessSymboliser, Names, Noted, NotedBlock};
