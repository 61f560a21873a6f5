//! A value that is made once, by the first task that asks for it; others wait for that.

use std::future::poll_fn;
use std::sync::Mutex;
use std::task::{Poll, Waker};

use crate::give_way::give_way;

/// A value that is made once.
#[derive(Debug, Default)]
pub struct SingleFlight {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    is_made: bool,
    value: Option<u32>,
    waiting: Vec<Waker>,
}

impl SingleFlight {
    /// Without a value.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value; the first task makes it.
    pub async fn get(&self) -> u32 {
        loop {
            if self.begin() {
                // BUG: dropped here, no call makes the value, and all others wait for it.
                give_way().await;
                // The value is there.
                self.finish(Some(7));
                return 7;
            }
            let value = poll_fn(|context| {
                let mut state = self.state.lock().unwrap();
                if state.is_made {
                    state.waiting.push(context.waker().clone());
                    return Poll::Pending;
                }
                Poll::Ready(state.value)
            });
            if let Some(value) = value.await {
                return value;
            }
        }
    }

    /// True if this task is to make the value.
    fn begin(&self) -> bool {
        let mut state = self.state.lock().unwrap();
        let first = !state.is_made && state.value.is_none();
        state.is_made |= first;
        first
    }

    fn finish(&self, value: Option<u32>) {
        let mut state = self.state.lock().unwrap();
        state.is_made = false;
        state.value = value;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
    }
}
