//! A gate that wakes while its lock is held.

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
            // Wrong: the waker may poll `pass` at once, which locks. Fix: `drop(state)` before this line.
            waker.wake();
        }
    }

    pub async fn pass(&self) {
        poll_fn(|context| {
            let mut state = self.open.lock().unwrap();
            if state.0 {
                return Poll::Ready(());
            }
            state.1 = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }
}
