//! Helpers of methods that cannot be read.

use std::sync::{Arc, Mutex};

#[contest::shared]
struct Queue {
    lock: Mutex<u32>,
}

#[contest::operations]
impl Queue {
    pub fn new() -> Self {
        Self { lock: Mutex::new(1) }
    }

    #[contest(weak, weak)]
    pub fn twice(&self) {}

    #[contest(values(number = 1))]
    pub fn no_list(&self, number: u32) {
        let _ = number;
    }

    #[contest(with(number = 1))]
    pub fn no_path(&self, number: u32) {
        let _ = number;
    }

    #[contest(fast)]
    pub fn unknown(self: Arc<Self>) {}

    #[contest = "skip"]
    pub fn assigned(&self) {}
}

fn main() {
    let _ = Queue::new();
}
