//! A test that sleeps in place of waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

#[test]
fn test() {
    let ready = Arc::new(AtomicBool::new(false));
    let other = Arc::clone(&ready);
    let server = thread::spawn(move || other.store(true, Ordering::SeqCst));
    if cfg!(feature = "mended") {
        while !ready.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(30));
        }
    } else {
        thread::sleep(Duration::from_millis(30));
    }
    assert!(ready.load(Ordering::SeqCst), "the server is up");
    server.join().unwrap();
}
