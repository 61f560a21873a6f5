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

pub use call_name::CallName;
#[cfg(feature = "explore")]
pub use call_name::Split;
pub use concurrent_test::{ConcurrentTest, TestCall, TestObject};
pub use runnable_test::{RunnableTest, StateOf};
pub use test_shape::{MainCall, TestShape};
pub use test_slot::{MAX_LANES, TestSlot};

/// In how many orders the calls of threads can follow each other, if the threads make so many calls; `u64::MAX` or less
/// where that is too large.
///
/// # Examples
/// ```
/// assert_eq!(contest_data::test::order_count([1, 2]), 3);
/// ```
#[must_use]
pub fn order_count(lengths: impl IntoIterator<Item = u64>) -> u64 {
    let mut total = 0;
    let mut orders = 1_u64;
    for length in lengths {
        for call in 1..=length {
            total += 1;
            orders = orders.saturating_mul(total) / call;
        }
    }
    orders
}
