//! loom's `thread`.

pub use std::thread::Result;

pub use loom::thread::{
    AccessError, Builder, JoinHandle, LocalKey, Thread, ThreadId, current, park, spawn, yield_now,
};
