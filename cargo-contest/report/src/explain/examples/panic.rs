//! The check and what relies on it are two critical sections.

use std::sync::Mutex;

pub struct Stack {
    items: Mutex<Vec<u32>>,
}

impl Stack {
    pub fn new() -> Self {
        let items = Mutex::new(vec![1]);
        Self { items }
    }

    pub fn take(&self) -> Option<u32> {
        if self.items.lock().unwrap().is_empty() {
            return None;
        }
        // Another thread takes the last item here. Fix: `self.items.lock().unwrap().pop()` alone.
        Some(self.items.lock().unwrap().pop().expect("it was not empty"))
    }
}
