//! Futures that are polled only when they have something to say.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use futures_core::Stream;

/// A stream of what its futures give. Each of them has a waker of its own.
#[derive(Debug)]
pub struct Choir<F> {
    members: Vec<Option<F>>,
    woken: Arc<Mutex<Woken>>,
}

#[derive(Debug, Default)]
struct Woken {
    members: Vec<usize>,
    waits: Option<Waker>,
}

/// Wakes one member.
struct Member {
    number: usize,
    woken: Arc<Mutex<Woken>>,
}

impl Wake for Member {
    fn wake(self: Arc<Self>) {
        let mut woken = self.woken.lock().unwrap();
        woken.members.push(self.number);
        if let Some(waker) = woken.waits.take() {
            // BUG: the lock is held, and the waker may be one that polls at once.
            waker.wake();
        }
    }
}

impl<F> Default for Choir<F> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F> Choir<F> {
    /// An empty one.
    pub fn new() -> Self {
        Self {
            members: Vec::new(),
            woken: Arc::default(),
        }
    }

    /// Adds a future.
    pub fn push(&mut self, member: F) {
        self.members.push(Some(member));
        let mut woken = self.woken.lock().unwrap();
        woken.members.push(self.members.len() - 1);
        let waits = woken.waits.take();
        drop(woken);
        if let Some(waker) = waits {
            waker.wake();
        }
    }

    /// Number of futures that are not ready yet.
    pub fn len(&self) -> usize {
        self.members.iter().flatten().count()
    }
}

impl<F: Future + Unpin> Stream for Choir<F> {
    type Item = F::Output;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<F::Output>> {
        loop {
            let mut woken = self.woken.lock().unwrap();
            let Some(number) = woken.members.pop() else {
                woken.waits = Some(context.waker().clone());
                return Poll::Pending;
            };
            drop(woken);
            let member = Member {
                number,
                woken: self.woken.clone(),
            };
            let Some(future) = &mut self.members[number] else {
                continue;
            };
            let waker = Waker::from(Arc::new(member));
            let polled = Pin::new(future).poll(&mut Context::from_waker(&waker));
            if let Poll::Ready(output) = polled {
                self.members[number] = None;
                return Poll::Ready(Some(output));
            }
            // One member a turn.
            self.woken.lock().unwrap().waits = Some(context.waker().clone());
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
    }
}
