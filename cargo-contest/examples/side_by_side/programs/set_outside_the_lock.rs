//! A flag that is set without the lock under which a thread looks at it before it waits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

#[test]
fn test() {
    let gate = Arc::new((AtomicBool::new(false), Mutex::new(()), Condvar::new()));
    let other = Arc::clone(&gate);
    let waiter = thread::spawn(move || {
        let mut held = other.1.lock().unwrap();
        while !other.0.load(Ordering::SeqCst) {
            held = other.2.wait(held).unwrap();
        }
        drop(held);
    });
    let held = gate.1.lock().unwrap();
    if !cfg!(feature = "mended") {
        drop(held);
        gate.0.store(true, Ordering::SeqCst);
    } else {
        gate.0.store(true, Ordering::SeqCst);
        drop(held);
    }
    gate.2.notify_one();
    waiter.join().unwrap();
}
