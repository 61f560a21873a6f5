//! A worker ends as soon as a flag says so, and leaves jobs in its queue.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

#[test]
fn test() {
    let shared = Arc::new((Mutex::new(Vec::new()), AtomicBool::new(false)));
    let other = Arc::clone(&shared);
    let worker = thread::spawn(move || {
        let mut done = 0;
        loop {
            let stop = other.1.load(Ordering::SeqCst);
            if stop && !cfg!(feature = "mended") {
                return done;
            }
            match other.0.lock().unwrap().pop() {
                Some(()) => done += 1,
                None if stop => return done,
                None => thread::yield_now(),
            }
        }
    });
    shared.0.lock().unwrap().push(());
    shared.1.store(true, Ordering::SeqCst);
    assert_eq!(worker.join().unwrap(), 1, "work that was accepted is done");
}
