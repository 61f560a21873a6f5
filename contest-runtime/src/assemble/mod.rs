//! Sequences and dependencies in, concurrent tests out.
//!
//! A *lane* is the list of calls of one further thread of a test; lanes are numbered from 0, their virtual threads by the engine.

pub mod call_name;
pub mod call_text;
pub mod concurrent_test;
pub(crate) mod ends;
#[cfg(test)]
mod fixtures;
pub mod generators;
mod pair_order;
pub mod pair_selection;
mod parts;
pub mod run_test;
pub mod test_shape;

pub use call_name::{CallName, Split};
pub use concurrent_test::{ConcurrentTest, TestCall, TestObject};
pub use generators::{GENERATORS, RunCalls, TestSource};
pub use pair_selection::TestStream;
pub use parts::TestSize;
pub use run_test::{RunnableTest, TestSlot};
pub use test_shape::{MainCall, TestShape};
