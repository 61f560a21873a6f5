//! Producers and consumers wait for one condition, and only one of them is woken.

use std::sync::{Arc, Condvar, Mutex};
use std::thread;

struct Buffer {
    item: Mutex<Option<u32>>,
    changed: Condvar,
}

impl Buffer {
    fn wake(&self) {
        if cfg!(feature = "mended") {
            self.changed.notify_all();
        } else {
            self.changed.notify_one();
        }
    }

    fn put(&self, value: u32) {
        let mut item = self.item.lock().unwrap();
        while item.is_some() {
            item = self.changed.wait(item).unwrap();
        }
        *item = Some(value);
        self.wake();
    }

    fn take(&self) -> u32 {
        let mut item = self.item.lock().unwrap();
        loop {
            if let Some(value) = item.take() {
                self.wake();
                return value;
            }
            item = self.changed.wait(item).unwrap();
        }
    }
}

#[test]
fn test() {
    let buffer = Arc::new(Buffer { item: Mutex::new(None), changed: Condvar::new() });
    let takers = [1, 2].map(|_| {
        let buffer = Arc::clone(&buffer);
        thread::spawn(move || buffer.take())
    });
    buffer.put(1);
    buffer.put(2);
    let taken: u32 = takers.into_iter().map(|it| it.join().unwrap()).sum();
    assert_eq!(taken, 3);
}
