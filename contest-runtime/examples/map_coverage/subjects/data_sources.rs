//! Commons DBCP 1.4: `SharedPoolDataSource`, bug DBCP-369.

use contest::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::beside;

/// The map of instances is searched for the highest key and then added to, under a lock that does not cover the map.
struct SharedPool {
    size: AtomicUsize,
    modified: AtomicUsize,
}

impl SharedPool {
    fn register(&self) {
        let expected = self.modified.load(Relaxed);
        for _ in 0..self.size.load(Relaxed) {
            assert_eq!(
                self.modified.load(Relaxed),
                expected,
                "concurrent modification"
            );
        }
        self.modified.fetch_add(1, Relaxed);
        self.size.fetch_add(1, Relaxed);
    }

    fn close(&self) {
        let size = self.size.load(Relaxed);
        if size > 0 {
            self.modified.fetch_add(1, Relaxed);
            self.size.store(0, Relaxed);
        }
    }
}

pub(super) fn shared_pool() {
    let pool = SharedPool {
        size: AtomicUsize::new(2),
        modified: AtomicUsize::new(0),
    };
    beside(pool, SharedPool::register, |pool| {
        pool.register();
        pool.close();
    });
}
