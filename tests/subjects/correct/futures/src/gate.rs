//! A gate that tasks wait at.

use std::future::poll_fn;
use std::sync::Mutex;
use std::task::{Poll, Waker};

/// Lets one task at a time wait until it is opened.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    open: bool,
    waiting: Option<Waker>,
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens it.
    pub fn open(&self) {
        let mut state = self.state.lock().unwrap();
        state.open = true;
        let waiting = state.waiting.take();
        drop(state);
        if let Some(waker) = waiting {
            waker.wake();
        }
    }

    /// True if no task waits at it.
    pub fn is_free(&self) -> bool {
        self.state.lock().unwrap().waiting.is_none()
    }

    /// Waits until it is open. False if another task waits already.
    pub async fn pass(&self) -> bool {
        let mut waits = Waits {
            gate: self,
            registered: false,
        };
        poll_fn(|context| {
            let mut state = self.state.lock().unwrap();
            if state.open {
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
    gate: &'a Gate,
    registered: bool,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        if self.registered {
            self.gate.state.lock().unwrap().waiting = None;
        }
    }
}
