//! A test, a strategy and a budget in, executions out.

pub mod serial;

pub use serial::Serial;
