//! A buffered stream. A field of the original is a cell of its own here, so that each access stays one access.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The stream is closed.
#[derive(Debug, PartialEq, Eq)]
pub struct Closed;

/// What is read from.
#[derive(Debug)]
struct Source {
    bytes: Vec<u8>,
}

impl Source {
    fn available(&self) -> usize {
        self.bytes.len()
    }

    fn close(&mut self) {
        self.bytes.clear();
    }
}

/// A stream with a buffer.
#[derive(Debug)]
pub struct BufferedInputStream {
    monitor: Mutex<()>,
    input: Mutex<Option<Source>>,
    buffer: Mutex<Option<Vec<u8>>>,
    count: AtomicUsize,
    position: AtomicUsize,
    mark_position: AtomicUsize,
    mark_limit: AtomicUsize,
}

impl BufferedInputStream {
    /// A stream of a few bytes.
    pub fn new() -> Self {
        Self {
            monitor: Mutex::new(()),
            input: Mutex::new(Some(Source {
                bytes: vec![1, 2, 3],
            })),
            buffer: Mutex::new(Some(Vec::new())),
            count: AtomicUsize::new(0),
            position: AtomicUsize::new(0),
            mark_position: AtomicUsize::new(0),
            mark_limit: AtomicUsize::new(0),
        }
    }

    fn enter(&self) -> MutexGuard<'_, ()> {
        self.monitor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ensure_open(&self) -> Result<(), Closed> {
        if self.input.lock().unwrap().is_none() {
            return Err(Closed);
        }
        Ok(())
    }

    fn fill(&self) {
        let bytes = self.input.lock().unwrap().as_ref().unwrap().bytes.clone();
        self.position.store(0, SeqCst);
        self.count.store(bytes.len(), SeqCst);
        *self.buffer.lock().unwrap() = Some(bytes);
    }

    /// Remembers where the stream is.
    pub fn mark(&self, read_limit: usize) {
        let _entered = self.enter();
        self.mark_limit.store(read_limit, SeqCst);
        self.mark_position.store(self.position.load(SeqCst), SeqCst);
    }

    /// Bytes that can be read without waiting.
    pub fn available(&self) -> Result<usize, Closed> {
        let _entered = self.enter();
        self.ensure_open()?;
        let buffered = self.count.load(SeqCst) - self.position.load(SeqCst);
        Ok(buffered + self.input.lock().unwrap().as_ref().unwrap().available())
    }

    /// The next byte.
    pub fn read(&self) -> Result<Option<u8>, Closed> {
        let _entered = self.enter();
        self.ensure_open()?;
        if self.position.load(SeqCst) >= self.count.load(SeqCst) {
            self.fill();
            if self.position.load(SeqCst) >= self.count.load(SeqCst) {
                return Ok(None);
            }
        }
        let position = self.position.fetch_add(1, SeqCst);
        Ok(Some(
            self.buffer.lock().unwrap().as_ref().unwrap()[position],
        ))
    }

    /// Closes the stream.
    pub fn close(&self) {
        let _entered = self.enter();
        if self.input.lock().unwrap().is_none() {
            return;
        }
        self.input.lock().unwrap().as_mut().unwrap().close();
        *self.input.lock().unwrap() = None;
        *self.buffer.lock().unwrap() = None;
    }
}
