//! Two locks in opposite orders.

use std::sync::{Arc, Mutex};
use std::thread;

#[test]
fn test() {
    let (left, right) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)));
    let (first, second) = if cfg!(feature = "mended") {
        (Arc::clone(&left), Arc::clone(&right))
    } else {
        (Arc::clone(&right), Arc::clone(&left))
    };
    let other = thread::spawn(move || {
        let held = first.lock().unwrap();
        *second.lock().unwrap() += *held;
    });
    {
        let held = left.lock().unwrap();
        *right.lock().unwrap() += *held;
    }
    other.join().unwrap();
}
