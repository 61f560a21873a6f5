//! Attributes that parse but contradict each other; all errors are reported at once.

use std::sync::{Arc, Mutex};

#[contest::shared]
struct Queue {
    lock: Mutex<u32>,
}

#[contest::operations]
impl Queue {
    #[contest(constructor)]
    fn not_self() -> u32 {
        1
    }

    #[contest(weak)]
    pub fn new() -> Self {
        Self { lock: Mutex::new(1) }
    }

    #[contest(constructor)]
    pub fn receiver(&self) -> Self {
        Self::new()
    }

    #[contest(constructor)]
    pub fn of_another(other: &Self) -> Self {
        Self { lock: Mutex::new(*other.lock.lock().unwrap()) }
    }

    #[contest(constructor)]
    pub async fn later() -> Self {
        Self::new()
    }

    #[contest(operation)]
    pub fn by_value(self) {}

    #[contest(operation)]
    pub unsafe fn dangerous(&self) {}

    #[contest(observe)]
    pub fn exclusive(&mut self) -> u32 {
        1
    }

    #[contest(skip, weak)]
    pub fn skipped(&self) {}

    #[contest(invariant, may_panic)]
    pub fn unsure(&self) {}

    #[contest(invariant, blocking)]
    pub fn waiting(&self) {}

    #[contest(values(value = [1]))]
    pub fn no_such_argument(&self, number: u32) {
        let _ = number;
    }

    #[contest(values(number = [1]), with(number = std::convert::identity))]
    pub fn values_twice(&self, number: u32) {
        let _ = number;
    }

    #[contest(values(number = []))]
    pub fn no_value(&self, number: u32) {
        let _ = number;
    }

    pub fn closure(&self, f: impl Fn()) {
        f();
    }

    pub fn parameter<T>(&self, value: T) {
        drop(value);
    }

    pub fn fine(self: Arc<Self>) {}
}

fn main() {
    let queue = Queue::new();
    queue.closure(|| ());
}
