//! Which operations of an execution happen before which, by the rules of C++20 that Rust uses, and the data races that
//! follow.
//!
//! In: the visible operations of an execution in order ([`Synchronisation`]), and the plain accesses between them
//! ([`Accesses`]). Out: the vector clock of every thread at every moment, and each
//! [`MemoryFault`](contest_data::trace::MemoryFault) by accesses that nothing orders.
//!
//! This is not the happens-before of the Mazurkiewicz trace in `explore/causality.rs`, which orders every two dependent
//! operations: here a relaxed store orders nothing, and neither does a notification.
//!
//! Where executions are sequentially consistent, an atomic load reads the last store, and a location keeps one message
//! clock; under a weak memory model each write keeps its own (`messages.rs`). Nothing is dropped: there is no cap on
//! threads (up to the 128 of an execution), objects or accesses.
//!
//! Both parts are on their own: they know no engine, and can be fed with any sequence of operations and accesses.

mod accesses;
mod cells;
mod channels;
mod clock;
mod granules;
mod history;
mod messages;
mod names;
mod operations;
mod synchronisation;
#[cfg(test)]
mod tests;

pub(crate) use accesses::{Access, Accesses};
pub(crate) use names::Names;
pub(crate) use operations::{ChannelEnds, Facts};
pub(crate) use synchronisation::Synchronisation;
