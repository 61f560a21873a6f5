//! Each of two threads says that it comes, and looks for the other, without a full fence between.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::thread;

fn enters(own: &AtomicBool, others: &AtomicBool) -> bool {
    own.store(true, Ordering::Release);
    if cfg!(feature = "mended") {
        fence(Ordering::SeqCst);
    }
    !others.load(Ordering::Acquire)
}

#[test]
fn test() {
    let flags = Arc::new((AtomicBool::new(false), AtomicBool::new(false)));
    let other = Arc::clone(&flags);
    let second = thread::spawn(move || enters(&other.1, &other.0));
    let first = enters(&flags.0, &flags.1);
    assert!(!(first && second.join().unwrap()), "both are in");
}
