//! A cache whose writer does not look again.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, RwLock};
use std::thread;

struct Cache {
    value: RwLock<Option<u32>>,
    made: AtomicU32,
}

impl Cache {
    fn get(&self) -> u32 {
        if let Some(value) = *self.value.read().unwrap() {
            return value;
        }
        let mut place = self.value.write().unwrap();
        if cfg!(feature = "mended") {
            if let Some(value) = *place {
                return value;
            }
        }
        let value = self.made.fetch_add(1, Ordering::SeqCst);
        *place = Some(value);
        value
    }
}

#[test]
fn test() {
    let cache = Arc::new(Cache { value: RwLock::new(None), made: AtomicU32::new(0) });
    let other = Arc::clone(&cache);
    let second = thread::spawn(move || other.get());
    let first = cache.get();
    assert_eq!(first, second.join().unwrap(), "two values of one cache");
}
