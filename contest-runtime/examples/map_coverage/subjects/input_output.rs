//! `java.io.BufferedInputStream` of JDK 1.1 and `java.util.logging.Logger` of JDK 1.4.1.

use contest::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::{Monitor, beside};

/// `read` and its helpers use the inner stream several times; `close` takes it away outside the monitor.
pub(super) struct BufferedInputStream {
    monitor: Monitor,
    input: AtomicUsize,
    position: AtomicUsize,
    count: AtomicUsize,
    marks: AtomicUsize,
}

impl BufferedInputStream {
    pub(super) fn new() -> Self {
        Self {
            monitor: Monitor::new(),
            input: AtomicUsize::new(1),
            position: AtomicUsize::new(0),
            count: AtomicUsize::new(0),
            marks: AtomicUsize::new(0),
        }
    }

    pub(super) fn mark(&self) {
        self.marks.fetch_add(1, Relaxed);
    }

    fn fill(&self) {
        self.position.store(0, Relaxed);
        assert_ne!(self.input.load(Relaxed), 0, "null pointer");
        self.count.store(4, Relaxed);
    }

    pub(super) fn read(&self) {
        let _guard = self.monitor.enter();
        if self.input.load(Relaxed) == 0 {
            return;
        }
        if self.position.load(Relaxed) >= self.count.load(Relaxed) {
            self.fill();
        }
        self.position.fetch_add(1, Relaxed);
    }

    pub(super) fn close(&self) {
        if self.input.load(Relaxed) == 0 {
            return;
        }
        self.input.store(0, Relaxed);
    }
}

pub(super) fn buffered_input_stream() {
    beside(
        BufferedInputStream::new(),
        BufferedInputStream::read,
        BufferedInputStream::close,
    );
}

/// Bug 4779253: `log` checks whether there is a filter and then calls it.
pub(super) struct Logger {
    level: AtomicUsize,
    filter: AtomicUsize,
    handlers: AtomicUsize,
}

impl Logger {
    pub(super) fn new() -> Self {
        Self {
            level: AtomicUsize::new(1),
            filter: AtomicUsize::new(1),
            handlers: AtomicUsize::new(0),
        }
    }

    pub(super) fn log(&self) {
        if self.level.load(Relaxed) == 0 {
            return;
        }
        if self.filter.load(Relaxed) != 0 {
            assert_ne!(self.filter.load(Relaxed), 0, "null pointer");
        }
        self.handlers.load(Relaxed);
    }

    pub(super) fn set_filter(&self, filter: usize) {
        self.filter.store(filter, Relaxed);
    }

    pub(super) fn set_level(&self, level: usize) {
        self.level.store(level, Relaxed);
    }

    pub(super) fn add_handler(&self) {
        self.handlers.fetch_add(1, Relaxed);
    }
}

pub(super) fn logger() {
    beside(
        Logger::new(),
        |logger| {
            logger.set_level(2);
            logger.log();
        },
        |logger| {
            logger.add_handler();
            logger.set_filter(0);
        },
    );
}
