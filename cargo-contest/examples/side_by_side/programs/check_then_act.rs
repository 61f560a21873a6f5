//! A look and a change in two scopes of one lock.

use std::sync::{Arc, Mutex};
use std::thread;

fn take(seats: &Mutex<u32>) -> bool {
    if cfg!(feature = "mended") {
        let mut left = seats.lock().unwrap();
        let free = *left > 0;
        *left -= u32::from(free);
        free
    } else {
        if *seats.lock().unwrap() == 0 {
            return false;
        }
        let mut left = seats.lock().unwrap();
        *left = left.saturating_sub(1);
        true
    }
}

#[test]
fn test() {
    let seats = Arc::new(Mutex::new(1));
    let other = Arc::clone(&seats);
    let second = thread::spawn(move || take(&other));
    let first = take(&seats);
    let second = second.join().unwrap();
    assert!(first != second, "one seat, two tickets");
}
