//! Sequences and dependencies in, concurrent tests out.

pub mod concurrent_test;

pub use concurrent_test::{ConcurrentTest, TestCall, TestObject};
