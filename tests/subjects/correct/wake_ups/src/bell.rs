//! A bell that tasks hear if they wait when it rings.

use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

/// Wakes those who wait.
#[derive(Debug, Default)]
pub struct Bell {
    rings: Mutex<Rings>,
}

#[derive(Debug, Default)]
struct Rings {
    count: u64,
    waiting: Vec<Waker>,
}

impl Bell {
    /// Silent.
    pub fn new() -> Self {
        Self::default()
    }

    /// Wakes all that wait.
    pub fn signal(&self) {
        let mut rings = self.rings.lock().unwrap();
        rings.count += 1;
        let waiting = std::mem::take(&mut rings.waiting);
        drop(rings);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// The next ring after the first poll.
    pub fn rung(&self) -> Rung<'_> {
        Rung {
            bell: self,
            before: None,
        }
    }
}

/// Waits for a ring.
#[derive(Debug)]
pub struct Rung<'a> {
    bell: &'a Bell,
    before: Option<u64>,
}

impl Future for Rung<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut rings = self.bell.rings.lock().unwrap();
        let count = rings.count;
        if self.before.is_some_and(|before| before < count) {
            return Poll::Ready(());
        }
        rings.waiting.push(context.waker().clone());
        drop(rings);
        self.before.get_or_insert(count);
        Poll::Pending
    }
}
