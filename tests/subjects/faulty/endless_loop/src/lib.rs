//! Never comes back when two threads meet, and does nothing visible meanwhile.

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

    /// Goes in and out; whoever finds someone inside never comes back.
    pub fn visit(&self) {
        if self.inside.fetch_add(1, SeqCst) > 0 {
            let mut round = 0_u64;
            while black_box(round) != u64::MAX {
                round = black_box(round) % 1000 + 1;
            }
        }
        self.visits.fetch_add(1, SeqCst);
        self.inside.fetch_sub(1, SeqCst);
    }
}
