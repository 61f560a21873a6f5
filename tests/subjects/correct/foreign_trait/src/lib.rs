//! A type whose only operations are those of a trait of another crate.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use events::{Event, Subscriber};

/// Counts events.
#[derive(Default)]
pub struct Counter(AtomicU32);

impl Subscriber for Counter {
    fn notify(&self, event: &Event<'_>) {
        self.0.fetch_add(1 + event.level(), SeqCst);
    }

    fn seen(&self) -> u32 {
        self.0.load(SeqCst)
    }
}
