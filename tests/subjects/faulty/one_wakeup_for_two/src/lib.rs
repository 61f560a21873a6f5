//! A bounded queue that wakes a waiting thread only when it stops being empty, or full.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

/// Most items.
const ROOM: usize = 2;

/// A queue of at most two items.
#[derive(Debug, Default)]
pub struct Queue {
    items: Mutex<VecDeque<u32>>,
    not_empty: Condvar,
    not_full: Condvar,
}

impl Queue {
    /// An empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an item at the end, waiting for room.
    pub fn push(&self, item: u32) {
        let mut items = self.items.lock().unwrap();
        while items.len() == ROOM {
            items = self.not_full.wait(items).unwrap();
        }
        items.push_back(item);
        // Of two threads that wait for an item, the second one is not woken by the second item: that is the bug.
        if items.len() == 1 {
            self.not_empty.notify_one();
        }
    }

    /// Takes the first item, waiting for one.
    pub fn pop(&self) -> u32 {
        let mut items = self.items.lock().unwrap();
        loop {
            if let Some(item) = items.pop_front() {
                if items.len() == ROOM - 1 {
                    self.not_full.notify_one();
                }
                return item;
            }
            items = self.not_empty.wait(items).unwrap();
        }
    }

    /// Takes the first item if there is one.
    pub fn try_pop(&self) -> Option<u32> {
        let mut items = self.items.lock().unwrap();
        let item = items.pop_front();
        if item.is_some() && items.len() == ROOM - 1 {
            self.not_full.notify_one();
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
