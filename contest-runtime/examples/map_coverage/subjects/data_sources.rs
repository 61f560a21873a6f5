//! Commons DBCP 1.4: `PerUserPoolDataSource`, and `SharedPoolDataSource` with bug DBCP-369.

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

/// The map of a setting by users is made by whoever finds none; one of two is lost.
struct PerUserPool {
    map: AtomicUsize,
    made: AtomicUsize,
    entries: [AtomicUsize; 2],
}

impl PerUserPool {
    fn set(&self) {
        let mut map = self.map.load(Relaxed);
        if map == 0 {
            map = self.made.fetch_add(1, Relaxed) + 1;
            self.map.store(map, Relaxed);
        }
        self.entries[map - 1].fetch_add(1, Relaxed);
    }

    fn get(&self) -> usize {
        match self.map.load(Relaxed) {
            0 => 0,
            map => self.entries[map - 1].load(Relaxed),
        }
    }
}

pub(super) fn per_user_pool() {
    let pool = PerUserPool {
        map: AtomicUsize::new(0),
        made: AtomicUsize::new(0),
        entries: [AtomicUsize::new(0), AtomicUsize::new(0)],
    };
    beside(pool, PerUserPool::set, |pool| {
        pool.set();
        assert_ne!(pool.get(), 0, "the setting is lost");
    });
}
