//! A bell that tasks wait for.

use std::future::poll_fn;
use std::sync::Mutex;
use std::task::{Poll, Waker};

/// Rings for one task at a time, the last one that began to wait.
#[derive(Debug, Default)]
pub struct Bell {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    rung: u32,
    waiting: Option<Waker>,
}

impl Bell {
    /// Silent.
    pub fn new() -> Self {
        Self::default()
    }

    /// Rings. True if a task waited.
    pub fn ring(&self) -> bool {
        let mut state = self.state.lock().unwrap();
        state.rung += 1;
        let waiting = state.waiting.take();
        let waited = waiting.is_some();
        if let Some(waker) = waiting {
            drop(state);
            waker.wake();
        }
        waited
    }

    /// Waits until it has rung, and takes that away. False if another task waits already.
    pub async fn heard(&self) -> bool {
        let mut waits = Waits {
            bell: self,
            registered: false,
        };
        poll_fn(|context| {
            let mut state = self.state.lock().unwrap();
            if state.rung > 0 {
                state.rung -= 1;
                waits.registered = false;
                return Poll::Ready(true);
            }
            if state.waiting.is_some() && !waits.registered {
                return Poll::Ready(false);
            }
            state.waiting = Some(context.waker().clone());
            waits.registered = true;
            Poll::Pending
        })
        .await
    }
}

struct Waits<'a> {
    bell: &'a Bell,
    registered: bool,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        if self.registered {
            self.bell.state.lock().unwrap().waiting = None;
        }
    }
}
