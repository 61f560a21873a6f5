//! A slate that tasks look at.

use std::future::poll_fn;
use std::sync::Mutex;
use std::task::{Poll, Waker};

/// Something is written on it, at some time.
#[derive(Debug, Default)]
pub struct Slate {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    is_written: bool,
    waiting: Vec<Waker>,
}

impl Slate {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes on it.
    pub fn write(&self) {
        let mut state = self.state.lock().unwrap();
        state.is_written = true;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Waits until something is written on it.
    pub async fn written(&self) {
        poll_fn(|context| {
            let mut state = self.state.lock().unwrap();
            if state.is_written {
                return Poll::Ready(());
            }
            state.waiting.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}
