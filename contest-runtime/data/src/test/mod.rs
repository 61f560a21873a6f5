//! Concurrent tests as data.
//!
//! A *lane* is the list of calls of one further thread of a test; lanes are numbered from 0, their virtual threads by
//! the engine.

mod call_name;
pub mod call_text;
mod concurrent_test;
mod runnable_test;
mod test_shape;
mod test_slot;

pub use call_name::{CallName, Split};
pub use concurrent_test::{ConcurrentTest, TestCall, TestObject};
pub use runnable_test::{RunnableTest, StateOf};
pub use test_shape::{MainCall, TestShape};
pub use test_slot::{MAX_LANES, TestSlot};
