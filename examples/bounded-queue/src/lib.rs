//! A queue of bounded capacity: a thread that finds it full or empty waits.
//!
//! The annotations are `#[contest::shared]` on the type and `#[contest::operations]` on its `impl`. `cargo build` sees
//! the types of `std`; under `cargo test` the scheduler of contest sees the lock and the condition variables.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

/// A bounded blocking queue.
#[contest::shared]
#[derive(Debug)]
pub struct Queue<T> {
    items: Mutex<VecDeque<T>>,
    not_empty: Condvar,
    not_full: Condvar,
    capacity: usize,
}

#[contest::operations]
impl<T> Queue<T> {
    /// An empty queue with room for `capacity` values, at least one.
    pub fn new(capacity: usize) -> Self {
        Self {
            items: Mutex::new(VecDeque::with_capacity(capacity)),
            not_empty: Condvar::new(),
            not_full: Condvar::new(),
            capacity: capacity.max(1),
        }
    }

    /// Appends a value; waits while the queue is full.
    pub fn push(&self, value: T) {
        let mut items = self.items.lock().unwrap();
        while items.len() == self.capacity {
            items = self.not_full.wait(items).unwrap();
        }
        items.push_back(value);
        self.not_empty.notify_one();
    }

    /// Takes the oldest value; waits while the queue is empty.
    pub fn pop(&self) -> T {
        let mut items = self.items.lock().unwrap();
        loop {
            if let Some(value) = items.pop_front() {
                self.not_full.notify_one();
                return value;
            }
            items = self.not_empty.wait(items).unwrap();
        }
    }

    /// Takes the oldest value, if there is one.
    pub fn try_pop(&self) -> Option<T> {
        let value = self.items.lock().unwrap().pop_front();
        if value.is_some() {
            self.not_full.notify_one();
        }
        value
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.items.lock().unwrap().len()
    }

    /// True if there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
