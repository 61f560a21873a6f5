//! Who is woken does not look again whether there is something to take.

use std::sync::{Arc, Condvar, Mutex};
use std::thread;

#[test]
fn test() {
    let queue = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
    let takers = [1, 2].map(|_| {
        let queue = Arc::clone(&queue);
        thread::spawn(move || {
            let mut items = queue.0.lock().unwrap();
            if cfg!(feature = "mended") {
                while items.is_empty() {
                    items = queue.1.wait(items).unwrap();
                }
            } else if items.is_empty() {
                items = queue.1.wait(items).unwrap();
            }
            items.pop().expect("there is an item")
        })
    });
    for item in [1, 2] {
        queue.0.lock().unwrap().push(item);
        queue.1.notify_all();
    }
    for taker in takers {
        taker.join().unwrap();
    }
}
