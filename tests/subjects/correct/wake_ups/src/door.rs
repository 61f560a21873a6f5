//! A door that closes while several wait before it.

use std::sync::{Condvar, Mutex};

#[derive(Debug, Default)]
struct State {
    tickets: u32,
    closed: bool,
}

/// Lets one pass for each ticket, until it is closed.
#[derive(Debug, Default)]
pub struct Door {
    state: Mutex<State>,
    changed: Condvar,
}

impl Door {
    /// An open door without tickets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits for a ticket; false if the door is closed.
    pub fn pass(&self) -> bool {
        let mut state = self.state.lock().unwrap();
        while !state.closed && state.tickets == 0 {
            state = self.changed.wait(state).unwrap();
        }
        if state.closed {
            return false;
        }
        state.tickets -= 1;
        true
    }

    /// One more may pass.
    pub fn admit(&self) {
        self.state.lock().unwrap().tickets += 1;
        self.changed.notify_one();
    }

    /// Closes the door: every call of `pass` that waits returns false.
    pub fn close(&self) {
        self.state.lock().unwrap().closed = true;
        self.changed.notify_all();
    }
}
