//! A channel whose sender says goodbye without the lock that its receiver waits under.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};

#[derive(Debug, Default)]
struct Shared {
    items: Mutex<VecDeque<u32>>,
    changed: Condvar,
    closed: AtomicBool,
}

/// The end that gives. Threads may share it.
#[derive(Debug)]
pub struct Sender {
    shared: Arc<Shared>,
}

/// The end that takes. One thread has it.
#[derive(Debug)]
pub struct Receiver {
    shared: Arc<Shared>,
    received: Cell<u32>,
}

/// A channel without a limit.
pub fn channel() -> (Sender, Receiver) {
    let shared = Arc::new(Shared::default());
    let sender = Sender {
        shared: Arc::clone(&shared),
    };
    let receiver = Receiver {
        shared,
        received: Cell::new(0),
    };
    (sender, receiver)
}

impl Sender {
    /// Sends a number.
    pub fn send(&self, number: u32) {
        self.shared.items.lock().unwrap().push_back(number);
        self.shared.changed.notify_all();
    }
}

impl Drop for Sender {
    /// Does not take the lock: that is the bug.
    fn drop(&mut self) {
        self.shared.closed.store(true, SeqCst);
        self.shared.changed.notify_all();
    }
}

impl Receiver {
    /// The next number; `None` once the sender is gone.
    pub fn recv(&mut self) -> Option<u32> {
        let mut items = self.shared.items.lock().unwrap();
        loop {
            if let Some(number) = items.pop_front() {
                self.received.set(self.received.get() + 1);
                return Some(number);
            }
            if self.shared.closed.load(SeqCst) {
                return None;
            }
            items = self.shared.changed.wait(items).unwrap();
        }
    }

    /// How many numbers came.
    pub fn received(&self) -> u32 {
        self.received.get()
    }

    /// What is there and was not received, without waiting for more.
    pub fn into_rest(self) -> Vec<u32> {
        self.shared.items.lock().unwrap().drain(..).collect()
    }
}
