//! A meeting point for two threads.

use std::sync::{Condvar, Mutex};

#[derive(Debug, Default)]
struct State {
    here: u32,
    meetings: u32,
}

/// A thread that arrives first waits for a second one; then both leave.
#[derive(Debug, Default)]
pub struct Meeting {
    state: Mutex<State>,
    changed: Condvar,
}

impl Meeting {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits for another one; the number of the meeting.
    pub fn meet(&self) -> u32 {
        let mut state = self.state.lock().unwrap();
        state.here += 1;
        if state.here == 2 {
            state.here = 0;
            state.meetings += 1;
            self.changed.notify_all();
            return state.meetings;
        }
        let before = state.meetings;
        while state.meetings == before {
            state = self.changed.wait(state).unwrap();
        }
        before + 1
    }

    /// So many were held.
    pub fn held(&self) -> u32 {
        self.state.lock().unwrap().meetings
    }
}
