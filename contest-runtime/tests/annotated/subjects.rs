//! Annotated types, each a few lines.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// Adds in two steps.
#[contest::shared]
#[derive(Default)]
pub(crate) struct Lossy {
    count: AtomicU32,
}

#[contest::operations]
impl Lossy {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn add(&self) {
        self.count
            .store(self.count.load(Ordering::SeqCst) + 1, Ordering::SeqCst);
    }

    pub(crate) fn value(&self) -> u32 {
        self.count.load(Ordering::SeqCst)
    }
}

/// The same without the mistake.
#[contest::shared]
#[derive(Default)]
pub(crate) struct Exact {
    count: AtomicU32,
}

#[contest::operations]
impl Exact {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn add(&self) {
        self.count.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn value(&self) -> u32 {
        self.count.load(Ordering::SeqCst)
    }
}

/// Removes the first value in two steps: a thread that runs in between gets the same one. Only its results tell: with
/// `T` it must be seen that they differ.
#[contest::shared]
#[derive(Default)]
pub(crate) struct Twice<T> {
    values: Mutex<VecDeque<T>>,
}

#[contest::operations]
impl<T: Clone + Send + Default> Twice<T> {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    #[contest(operation)]
    fn push(&mut self, value: T) {
        self.values.get_mut().unwrap().push_back(value);
    }

    pub(crate) fn pop(&self) -> T {
        let first = self.values.lock().unwrap().front().cloned();
        self.values.lock().unwrap().pop_front();
        first.unwrap_or_default()
    }
}
