//! One controlled run: virtual threads as coroutines on one OS thread, a strategy that picks who goes on.
//!
//! In: a body, a strategy, limits. Out: an [`ExecutionRecord`](crate::trace::ExecutionRecord).
//! The drop-in types of [`sync`](crate::sync) call [`fn@active`] and, inside an execution, the methods of [`Active`].

pub mod active;
pub(crate) mod blocks;
mod checks;
mod choosing;
pub(crate) mod commit;
mod coroutine;
pub(crate) mod current;
pub mod decision;
pub mod engine;
#[cfg(target_os = "linux")]
pub(crate) mod hang;
pub mod limits;
pub(crate) mod machine;
mod model_state;
mod noted_accesses;
pub(crate) mod os_thread;
pub(crate) mod other_copies;
pub(crate) mod panics;
mod publishing;
#[cfg(target_os = "linux")]
pub(crate) mod signals;
mod spinning;
#[cfg(target_os = "linux")]
pub(crate) mod stack_frames;
pub(crate) mod statics;
mod thread_locals;
#[cfg(all(
    feature = "driver",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
pub(crate) mod told_accesses;
mod virtual_thread;
mod waiting;

pub use crate::trace::Pending;
pub(crate) use active::AtomicMethod;
pub use active::{
    Active, AtomicEffect, AtomicKind, AtomicOperation, OnceEntry, Received, Sent, active,
};
pub use decision::{Choice, DecisionPoint, Strategy, ThreadSet, Traces};
pub use engine::Engine;
pub use limits::{Limits, Timeouts};
pub(crate) use statics::{KeptLock, Mend};
