//! `java.lang` and `java.util`: `StringBuffer`, `Vector` of two releases, `Hashtable`, `ConcurrentHashMap`.

use contest::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::{Monitor, beside};

/// JDK 1.6 `StringBuffer`: its length is read and its characters are copied in two critical sections.
struct StringBuffer {
    monitor: Monitor,
    count: AtomicUsize,
}

impl StringBuffer {
    fn new(count: usize) -> Self {
        Self {
            monitor: Monitor::new(),
            count: AtomicUsize::new(count),
        }
    }

    fn length(&self) -> usize {
        let _guard = self.monitor.enter();
        self.count.load(Relaxed)
    }

    fn copy_from(&self, end: usize) {
        let _guard = self.monitor.enter();
        assert!(end <= self.count.load(Relaxed), "index out of bounds");
    }

    fn append(&self, other: &Self) {
        let _guard = self.monitor.enter();
        let length = other.length();
        other.copy_from(length);
        self.count.fetch_add(length, Relaxed);
    }

    fn set_length(&self, count: usize) {
        let _guard = self.monitor.enter();
        self.count.store(count, Relaxed);
    }
}

pub(super) fn string_buffer() {
    beside(
        (StringBuffer::new(3), StringBuffer::new(5)),
        |(a, b)| a.append(b),
        |(_, b)| b.set_length(0),
    );
}

/// JDK 1.1.7 `Vector`: `lastIndexOf(element)` reads the count outside the monitor and then searches inside.
pub(super) struct Vector117 {
    monitor: Monitor,
    count: AtomicUsize,
    modified: AtomicUsize,
}

impl Vector117 {
    pub(super) fn new(count: usize) -> Self {
        Self {
            monitor: Monitor::new(),
            count: AtomicUsize::new(count),
            modified: AtomicUsize::new(0),
        }
    }

    pub(super) fn last_index_of(&self) {
        let from = self.count.load(Relaxed);
        let _guard = self.monitor.enter();
        assert!(
            from <= self.count.load(Relaxed),
            "array index out of bounds"
        );
    }

    pub(super) fn add_element(&self) {
        let _guard = self.monitor.enter();
        self.modified.fetch_add(1, Relaxed);
        self.count.fetch_add(1, Relaxed);
    }

    pub(super) fn size(&self) -> usize {
        self.count.load(Relaxed)
    }

    pub(super) fn remove_all(&self) {
        let _guard = self.monitor.enter();
        self.modified.fetch_add(1, Relaxed);
        self.count.store(0, Relaxed);
    }
}

pub(super) fn vector_117() {
    beside(
        Vector117::new(2),
        |vector| {
            vector.add_element();
            vector.last_index_of();
        },
        |vector| {
            vector.add_element();
            vector.remove_all();
        },
    );
}

/// JDK 1.4.2 `Vector`: the constructor from a collection reads its size and then its elements.
struct Vector142 {
    monitor: Monitor,
    count: AtomicUsize,
}

impl Vector142 {
    fn size(&self) -> usize {
        let _guard = self.monitor.enter();
        self.count.load(Relaxed)
    }

    /// Copies up to `room` elements and returns how many there were.
    fn to_array(&self, room: usize) -> usize {
        let _guard = self.monitor.enter();
        self.count.load(Relaxed).min(room)
    }

    fn add(&self) {
        let _guard = self.monitor.enter();
        self.count.fetch_add(1, Relaxed);
    }

    fn remove_all(&self) {
        let _guard = self.monitor.enter();
        if self.count.load(Relaxed) > 0 {
            self.count.store(0, Relaxed);
        }
    }

    fn copy_of(other: &Self) {
        let size = other.size();
        let copied = other.to_array(size);
        assert_eq!(copied, size, "null pointer: elements are missing");
    }
}

pub(super) fn vector_142() {
    let vector = Vector142 {
        monitor: Monitor::new(),
        count: AtomicUsize::new(2),
    };
    beside(
        vector,
        |vector| {
            vector.add();
            Vector142::copy_of(vector);
        },
        |vector| {
            vector.add();
            vector.remove_all();
        },
    );
}

/// JDK 1.6 `Hashtable`: an enumeration is bounded by a size that was read before.
struct Hashtable {
    monitor: Monitor,
    count: AtomicUsize,
    threshold: AtomicUsize,
}

impl Hashtable {
    fn entries(&self) {
        let size = self.count.load(Relaxed);
        for position in 0..size {
            let _guard = self.monitor.enter();
            assert!(position < self.count.load(Relaxed), "no such element");
        }
    }

    fn put(&self) {
        let _guard = self.monitor.enter();
        if self.count.load(Relaxed) < self.threshold.load(Relaxed) {
            self.count.fetch_add(1, Relaxed);
        }
    }

    fn clear(&self) {
        let _guard = self.monitor.enter();
        self.count.store(0, Relaxed);
    }
}

pub(super) fn hashtable() {
    let table = Hashtable {
        monitor: Monitor::new(),
        count: AtomicUsize::new(1),
        threshold: AtomicUsize::new(8),
    };
    beside(table, Hashtable::entries, |table| {
        table.put();
        table.clear();
    });
}

/// JDK 1.6 `ConcurrentHashMap`: whether it is empty is asked of one segment after the other.
struct ConcurrentHashMap {
    monitors: [Monitor; 2],
    counts: [AtomicUsize; 2],
}

impl ConcurrentHashMap {
    fn is_empty(&self) -> bool {
        self.counts.iter().all(|count| count.load(Relaxed) == 0)
    }

    fn put(&self, segment: usize) {
        let _guard = self.monitors[segment].enter();
        self.counts[segment].fetch_add(1, Relaxed);
    }

    fn remove(&self, segment: usize) {
        let _guard = self.monitors[segment].enter();
        self.counts[segment].fetch_sub(1, Relaxed);
    }
}

pub(super) fn concurrent_hash_map() {
    let map = ConcurrentHashMap {
        monitors: [Monitor::new(), Monitor::new()],
        counts: [AtomicUsize::new(0), AtomicUsize::new(1)],
    };
    beside(
        map,
        |map| assert!(!map.is_empty(), "there is always an entry"),
        |map| {
            map.put(0);
            map.remove(1);
        },
    );
}
