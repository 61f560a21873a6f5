//! A bell that tasks wait for.

use std::future::poll_fn;
use std::sync::Mutex;
use std::task::{Poll, Waker};

/// Each ring is heard by one task.
#[derive(Debug, Default)]
pub struct Bell {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Rings that no task has heard yet.
    rung: u32,
    waiting: Vec<Waker>,
}

impl Bell {
    /// Silent.
    pub fn new() -> Self {
        Self::default()
    }

    /// Rings.
    pub fn ring(&self) {
        let mut state = self.state.lock().unwrap();
        state.rung += 1;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        for waker in waiting {
            waker.wake();
        }
    }

    /// Waits until it has rung, and takes that away.
    pub async fn heard(&self) {
        poll_fn(|context| {
            let mut state = self.state.lock().unwrap();
            if state.rung > 0 {
                state.rung -= 1;
                return Poll::Ready(());
            }
            state.waiting.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}
