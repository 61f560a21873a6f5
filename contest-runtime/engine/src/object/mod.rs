//! What the engine knows about the objects of one execution: who holds, who waits, how often it was written.
//! State machines without any coroutine; the real `std` object holds the data and stays the truth.

pub mod state;
pub mod table;

pub use state::ObjectState;
pub use table::ObjectTable;
