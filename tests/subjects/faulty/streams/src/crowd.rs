//! Futures that run together.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use futures_core::Stream;

/// A stream of what its futures give. It waits for more of them when it is empty.
#[derive(Debug)]
pub struct Crowd<F> {
    members: Vec<F>,
    waits: Option<Waker>,
}

impl<F> Default for Crowd<F> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F> Crowd<F> {
    /// An empty one.
    pub fn new() -> Self {
        Self {
            members: Vec::new(),
            waits: None,
        }
    }

    /// Adds a future.
    pub fn push(&mut self, member: F) {
        self.members.push(member);
        // BUG: who waits does not know of it.
    }

    /// Number of futures that are not ready yet.
    pub fn len(&self) -> usize {
        self.members.len()
    }
}

impl<F: Future + Unpin> Stream for Crowd<F> {
    type Item = F::Output;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<F::Output>> {
        for at in 0..self.members.len() {
            if let Poll::Ready(output) = Pin::new(&mut self.members[at]).poll(context) {
                drop(self.members.remove(at));
                return Poll::Ready(Some(output));
            }
        }
        self.waits = Some(context.waker().clone());
        Poll::Pending
    }
}
