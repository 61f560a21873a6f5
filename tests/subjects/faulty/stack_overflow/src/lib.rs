//! Recurses for ever when two threads meet.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// A room for one.
#[derive(Debug, Default)]
pub struct Room {
    inside: AtomicU32,
    visits: AtomicU32,
}

impl Room {
    /// An empty room.
    pub fn new() -> Self {
        Self::default()
    }

    /// Goes in and out; whoever finds someone inside goes round in circles.
    pub fn visit(&self) {
        if self.inside.fetch_add(1, SeqCst) > 0 {
            circle(black_box(1));
        }
        self.visits.fetch_add(1, SeqCst);
        self.inside.fetch_sub(1, SeqCst);
    }
}

#[allow(unconditional_recursion)]
fn circle(round: u64) -> u64 {
    let frame = [black_box(round); 64];
    circle(frame[black_box(1)] + 1) + frame[black_box(2)]
}
