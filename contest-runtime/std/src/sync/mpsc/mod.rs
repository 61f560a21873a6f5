//! Drop-in for `std::sync::mpsc`. The queue is one of our own, because the real channel does not expose its length.

mod channel;
mod handles;
mod iterators;

// The error types are the real ones.
pub use std::sync::mpsc::*;

pub use handles::{Receiver, Sender, SyncSender, channel, sync_channel};
pub use iterators::{IntoIter, Iter, TryIter};
