//! A bounded queue with blocking ends.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

/// A queue of at most `capacity` items.
#[derive(Debug)]
pub struct Bounded<T> {
    items: Mutex<VecDeque<T>>,
    capacity: usize,
    changed: Condvar,
}

impl<T> Bounded<T> {
    /// An empty queue for at least one item.
    pub fn new(capacity: usize) -> Self {
        Self {
            items: Mutex::new(VecDeque::new()),
            capacity: capacity.max(1),
            changed: Condvar::new(),
        }
    }

    /// Adds an item at the end, waiting for room.
    pub fn push(&self, item: T) {
        let mut items = self.items.lock().unwrap();
        while items.len() == self.capacity {
            items = self.changed.wait(items).unwrap();
        }
        items.push_back(item);
        self.changed.notify_all();
    }

    /// Takes the first item, waiting for one.
    pub fn pop(&self) -> T {
        let mut items = self.items.lock().unwrap();
        loop {
            if let Some(item) = items.pop_front() {
                self.changed.notify_all();
                return item;
            }
            items = self.changed.wait(items).unwrap();
        }
    }

    /// Takes the first item if there is one.
    pub fn try_pop(&self) -> Option<T> {
        let item = self.items.lock().unwrap().pop_front();
        if item.is_some() {
            self.changed.notify_all();
        }
        item
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.lock().unwrap().len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
