//! A list of free cells whose head is compared by its index alone: the head may have gone and come back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

const NONE: u32 = 0xffff;

struct Free {
    /// The index of the head, and above it a count of changes.
    head: AtomicU32,
    next: [AtomicU32; 3],
}

impl Free {
    fn change(&self, seen: u32, index: u32) -> bool {
        let count = if cfg!(feature = "mended") { (seen >> 16) + 1 } else { 0 };
        self.head
            .compare_exchange(seen, count << 16 | index, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    fn pop(&self) -> Option<u32> {
        loop {
            let seen = self.head.load(Ordering::SeqCst);
            let index = seen & 0xffff;
            if index == NONE {
                return None;
            }
            let next = self.next[index as usize].load(Ordering::SeqCst);
            if self.change(seen, next) {
                return Some(index);
            }
        }
    }

    fn push(&self, index: u32) {
        loop {
            let seen = self.head.load(Ordering::SeqCst);
            self.next[index as usize].store(seen & 0xffff, Ordering::SeqCst);
            if self.change(seen, index) {
                return;
            }
        }
    }
}

#[test]
fn test() {
    let free = Arc::new(Free {
        head: AtomicU32::new(0),
        next: [AtomicU32::new(1), AtomicU32::new(2), AtomicU32::new(NONE)],
    });
    let other = Arc::clone(&free);
    let second = thread::spawn(move || {
        let (first, kept) = (other.pop(), other.pop());
        if let Some(first) = first {
            other.push(first);
        }
        kept
    });
    let mine = [free.pop(), free.pop()];
    let kept = second.join().unwrap();
    assert!(kept.is_none() || !mine.contains(&kept), "one cell, two owners");
}
