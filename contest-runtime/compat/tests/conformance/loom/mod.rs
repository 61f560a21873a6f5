//! Behaviours of the tests of loom 0.7.2 (`tests/`), file by file.

mod arc;
mod atomic;
mod atomic_int;
mod atomic_relaxed;
mod condvar;
mod deadlock;
mod double_panic_in_drop;
mod fence;
mod futures;
mod litmus;
mod mpsc;
mod mutex;
mod rwlock;
mod smoke;
mod spec;
mod thread_api;
mod thread_local;
mod unsafe_cell;
mod yielding;
