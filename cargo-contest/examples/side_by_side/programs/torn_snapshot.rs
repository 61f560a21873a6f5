//! A reader of a sequence lock that does not look at the sequence again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

#[derive(Default)]
struct Pair {
    sequence: AtomicU32,
    first: AtomicU32,
    second: AtomicU32,
}

impl Pair {
    fn set(&self, value: u32) {
        self.sequence.fetch_add(1, Ordering::SeqCst);
        self.first.store(value, Ordering::SeqCst);
        self.second.store(value, Ordering::SeqCst);
        self.sequence.fetch_add(1, Ordering::SeqCst);
    }

    fn get(&self) -> Option<(u32, u32)> {
        let before = self.sequence.load(Ordering::SeqCst);
        if before % 2 == 1 {
            return None;
        }
        let both = (self.first.load(Ordering::SeqCst), self.second.load(Ordering::SeqCst));
        if cfg!(feature = "mended") && self.sequence.load(Ordering::SeqCst) != before {
            return None;
        }
        Some(both)
    }
}

#[test]
fn test() {
    let pair = Arc::new(Pair::default());
    let other = Arc::clone(&pair);
    let writer = thread::spawn(move || other.set(7));
    if let Some((first, second)) = pair.get() {
        assert_eq!(first, second);
    }
    writer.join().unwrap();
}
