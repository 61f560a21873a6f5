//! What the engine knows about the objects of one execution: who holds, who waits, how often it was written.
//! State machines without any coroutine; the real `std` object holds the data and stays the truth.

pub(crate) mod state;
pub(crate) mod table;

pub(crate) use state::ObjectState;
pub(crate) use table::ObjectTable;
