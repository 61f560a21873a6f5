//! A set of tasks, polled until the first one is ready.

use std::collections::BTreeSet;
use std::task::{Context, Poll, Waker};

/// Tasks that are not done yet. The object is for one owner at a time, who may poll it and go on using it.
#[derive(Debug, Default)]
pub struct Tasks {
    next: u32,
    open: BTreeSet<u32>,
    waiting: Option<Waker>,
}

/// Names a task.
#[derive(Clone, Copy, Debug)]
pub struct Ticket(u32);

impl Tasks {
    /// No task.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a task.
    pub fn add(&mut self) -> Ticket {
        self.next += 1;
        self.open.insert(self.next);
        Ticket(self.next)
    }

    /// A task is done. False if it was done before.
    pub fn finish(&mut self, ticket: &Ticket) -> bool {
        let was_open = self.open.remove(&ticket.0);
        self.wake();
        was_open
    }

    /// Takes a task back, whether it is done or not.
    pub fn withdraw(&mut self, ticket: &Ticket) {
        self.open.remove(&ticket.0);
        self.wake();
    }

    /// Ready when all tasks are done.
    pub fn poll_idle(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.open.is_empty() {
            return Poll::Ready(());
        }
        self.waiting = Some(context.waker().clone());
        Poll::Pending
    }

    fn wake(&mut self) {
        if !self.open.is_empty() {
            return;
        }
        if let Some(waker) = self.waiting.take() {
            waker.wake();
        }
    }
}
