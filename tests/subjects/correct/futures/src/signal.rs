//! A value for tasks that wait for it.

use std::future::poll_fn;
use std::sync::Mutex;
use std::task::{Poll, Waker};

/// The newest value; the first task that looks takes it.
#[derive(Debug, Default)]
pub struct Signal {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    value: Option<u32>,
    waiting: Vec<Waker>,
}

impl Signal {
    /// Without a value.
    pub fn new() -> Self {
        Self::default()
    }

    /// Has this value from now on.
    pub fn set(&self, value: u32) {
        let mut state = self.state.lock().unwrap();
        state.value = Some(value);
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        for waker in waiting {
            waker.wake();
        }
    }

    /// Forgets its value.
    pub fn reset(&self) {
        self.state.lock().unwrap().value = None;
    }

    /// Takes the value, once there is one.
    pub async fn next(&self) -> u32 {
        poll_fn(|context| {
            let mut state = self.state.lock().unwrap();
            if let Some(value) = state.value.take() {
                return Poll::Ready(value);
            }
            state.waiting.push(context.waker().clone());
            Poll::Pending
        })
        .await
    }
}
