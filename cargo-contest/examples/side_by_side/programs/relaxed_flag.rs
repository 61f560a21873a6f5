//! A flag says that a value is there, in no order with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

#[test]
fn test() {
    let shared = Arc::new((AtomicU32::new(0), AtomicBool::new(false)));
    let other = Arc::clone(&shared);
    let writer = thread::spawn(move || {
        other.0.store(42, Ordering::Relaxed);
        if cfg!(feature = "mended") {
            other.1.store(true, Ordering::Release);
        } else {
            other.1.store(true, Ordering::Relaxed);
        }
    });
    if shared.1.load(Ordering::Acquire) {
        assert_eq!(shared.0.load(Ordering::Relaxed), 42);
    }
    writer.join().unwrap();
}
