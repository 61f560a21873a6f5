//! Behaviours of the tests of `std::sync` (`library/std/tests/sync` of Rust 1.95), file by file. Each program runs
//! outside of executions, with real threads, and inside; counts are smaller than in the original, because every
//! interleaving is run.

mod barrier;
mod condvar;
mod lazy_lock;
mod mpsc;
mod mpsc_sync;
mod mutex;
mod once;
mod once_lock;
mod poison;
mod rwlock;
