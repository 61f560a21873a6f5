//! Tomcat 7.0 and XStream 1.4.1: what is made at the first use counts as made too early, or is kept too long.

use contest::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::beside;

/// The converter is announced before it is there.
struct InputBuffer {
    got_encoding: AtomicUsize,
    converter: AtomicUsize,
    position: AtomicUsize,
}

impl InputBuffer {
    fn read(&self) {
        if self.got_encoding.load(Relaxed) == 0 {
            self.got_encoding.store(1, Relaxed);
            self.converter.store(1, Relaxed);
        }
        self.position.fetch_add(1, Relaxed);
        assert_ne!(self.converter.load(Relaxed), 0, "null pointer");
    }
}

pub(super) fn input_buffer() {
    let buffer = InputBuffer {
        got_encoding: AtomicUsize::new(0),
        converter: AtomicUsize::new(0),
        position: AtomicUsize::new(0),
    };
    beside(buffer, InputBuffer::read, InputBuffer::read);
}

/// Parameters count as parsed before they are.
struct Request {
    parsed: AtomicUsize,
    parameters: AtomicUsize,
    attributes: AtomicUsize,
}

impl Request {
    fn parameter(&self, name: usize) {
        if self.parsed.load(Relaxed) == 0 {
            self.parsed.store(1, Relaxed);
            for _ in 0..2 {
                let parameters = self.parameters.load(Relaxed);
                self.parameters.store(parameters + 1, Relaxed);
            }
        }
        assert!(name < self.parameters.load(Relaxed), "null pointer");
    }

    fn set_attribute(&self) {
        self.attributes.fetch_add(1, Relaxed);
    }
}

pub(super) fn request() {
    let request = Request {
        parsed: AtomicUsize::new(0),
        parameters: AtomicUsize::new(0),
        attributes: AtomicUsize::new(0),
    };
    beside(
        request,
        |request| {
            request.set_attribute();
            request.parameter(0);
        },
        |request| {
            request.parameter(1);
            request.set_attribute();
        },
    );
}

/// A converter that was looked up is kept after a better one was registered.
struct XStream {
    best: AtomicUsize,
    kept: AtomicUsize,
}

impl XStream {
    fn lookup(&self) -> usize {
        if self.kept.load(Relaxed) == 0 {
            let found = self.best.load(Relaxed);
            self.kept.store(found, Relaxed);
            return found;
        }
        self.kept.load(Relaxed)
    }

    fn register(&self, converter: usize) {
        self.best.store(converter, Relaxed);
        self.kept.store(0, Relaxed);
    }
}

pub(super) fn xstream() {
    let stream = XStream {
        best: AtomicUsize::new(1),
        kept: AtomicUsize::new(0),
    };
    beside(
        stream,
        |stream| {
            stream.lookup();
        },
        |stream| {
            stream.register(2);
            assert_ne!(stream.lookup(), 1, "an old converter");
        },
    );
}
