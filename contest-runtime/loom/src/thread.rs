//! loom's `thread`.

pub use std::thread::Result;

pub use loom::thread::{
    AccessError, Builder, JoinHandle, LocalKey, Thread, ThreadId, current, park, yield_now,
};

use super::log;

/// As in `std`.
#[track_caller]
pub fn spawn<F, T>(body: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    let number = log::spawned();
    loom::thread::spawn(move || {
        log::thread(number);
        body()
    })
}
