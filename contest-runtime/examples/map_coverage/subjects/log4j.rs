//! log4j 1.2.13: `AppenderAttachableImpl`, `FileAppender` and `NullAppender`.

use contest::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::{Monitor, beside};

/// Figure 2 of the paper: the list may be gone after it was looked at.
pub(super) struct AppenderAttachable {
    list: AtomicUsize,
    additions: AtomicUsize,
}

impl AppenderAttachable {
    pub(super) fn new() -> Self {
        Self {
            list: AtomicUsize::new(1),
            additions: AtomicUsize::new(0),
        }
    }

    /// The list, which must be there.
    fn list(&self) -> usize {
        let list = self.list.load(Relaxed);
        assert_ne!(list, 0, "null pointer");
        list
    }

    pub(super) fn is_attached(&self) -> bool {
        if self.list.load(Relaxed) == 0 {
            return false;
        }
        let size = self.list();
        (0..size).any(|_| self.list() == 1)
    }

    pub(super) fn add(&self) {
        self.additions.fetch_add(1, Relaxed);
        if self.list.load(Relaxed) == 0 {
            self.list.store(1, Relaxed);
        }
    }

    pub(super) fn remove_all(&self) {
        if self.list.load(Relaxed) != 0 {
            // One after the other, each closed.
            for _ in 0..self.list.load(Relaxed) {
                self.list.load(Relaxed);
            }
            self.list.load(Relaxed);
            self.list.store(0, Relaxed);
        }
    }
}

pub(super) fn appender_attachable() {
    beside(
        AppenderAttachable::new(),
        |appenders| {
            appenders.is_attached();
        },
        AppenderAttachable::remove_all,
    );
}

/// `append` checks the writer outside the monitor that `close` uses.
struct FileAppender {
    monitor: Monitor,
    writer: AtomicUsize,
    closed: AtomicUsize,
}

impl FileAppender {
    fn append(&self) {
        if self.closed.load(Relaxed) != 0 || self.writer.load(Relaxed) == 0 {
            return;
        }
        let _guard = self.monitor.enter();
        assert_ne!(self.writer.load(Relaxed), 0, "null pointer");
    }

    fn set_file(&self) {
        let _guard = self.monitor.enter();
        self.writer.store(0, Relaxed);
        self.writer.store(2, Relaxed);
    }

    fn close(&self) {
        let _guard = self.monitor.enter();
        self.closed.store(1, Relaxed);
        self.writer.store(0, Relaxed);
    }
}

pub(super) fn file_appender() {
    let appender = FileAppender {
        monitor: Monitor::new(),
        writer: AtomicUsize::new(1),
        closed: AtomicUsize::new(0),
    };
    beside(appender, FileAppender::append, |appender| {
        appender.set_file();
        appender.close();
    });
}

/// That the chain of filters has a head does not mean that it has a tail.
struct NullAppender {
    head: AtomicUsize,
    tail: AtomicUsize,
}

impl NullAppender {
    fn add_filter(&self, filter: usize) {
        if self.head.load(Relaxed) == 0 {
            self.head.store(filter, Relaxed);
        } else {
            assert_ne!(self.tail.load(Relaxed), 0, "null pointer");
        }
        self.tail.store(filter, Relaxed);
    }

    fn clear_filters(&self) {
        self.tail.store(0, Relaxed);
        self.head.store(0, Relaxed);
    }
}

pub(super) fn null_appender() {
    let appender = NullAppender {
        head: AtomicUsize::new(1),
        tail: AtomicUsize::new(1),
    };
    beside(
        appender,
        |appender| appender.add_filter(2),
        NullAppender::clear_filters,
    );
}
