//! `org.apache.log4j.WriterAppender` of log4j 1.0 (DepCon+, C14, "atomicity"): the conditions for writing are checked, and
//! the writer is used later.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
struct Writer {
    buffered: Vec<String>,
    flushed: usize,
}

/// Writes events with a writer that can be changed.
#[derive(Debug, Default)]
pub struct WriterAppender {
    writer: Mutex<Option<Writer>>,
    name: Mutex<String>,
    layout: Mutex<Option<String>>,
    encoding: Mutex<Option<String>>,
    error_handler: AtomicU32,
    errors: AtomicU32,
    threshold: AtomicU32,
    waits: AtomicBool,
    closed: AtomicBool,
}

impl WriterAppender {
    /// Open, with an empty writer.
    pub fn new() -> Self {
        let appender = Self::default();
        appender.set_writer();
        appender
    }

    fn writer(&self) -> MutexGuard<'_, Option<Writer>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_entry_conditions(&self) -> bool {
        let fits = !self.closed.load(SeqCst) && self.writer().is_some();
        if !fits {
            self.errors.fetch_add(1, SeqCst);
        }
        fits
    }

    /// Writes an event; false if it cannot. The fault: the writer may be closed after the check.
    pub fn append(&self, event: &str) -> bool {
        self.do_append(u32::MAX, event)
    }

    /// Writes an event of this level unless that is below the threshold. The fault: as in `append`.
    pub fn do_append(&self, level: u32, event: &str) -> bool {
        if !self.check_entry_conditions() {
            return false;
        }
        let mut writer = self.writer();
        if level < self.threshold() {
            return false;
        }
        let writer = writer.as_mut().expect("there is a writer");
        writer.buffered.push(event.to_owned());
        if self.immediate_flush() {
            writer.flushed = writer.buffered.len();
        }
        true
    }

    /// Writes with a new writer; the one before is closed.
    pub fn set_writer(&self) {
        *self.writer() = Some(Writer::default());
        self.closed.store(false, SeqCst);
    }

    /// Closes the appender and its writer.
    pub fn close(&self) {
        if !self.closed.swap(true, SeqCst) {
            *self.writer() = None;
        }
    }

    /// Closes the writer; the appender stays open.
    pub fn close_writer(&self) {
        *self.writer() = None;
    }

    /// What was written; none without a writer.
    pub fn written(&self) -> Option<Vec<String>> {
        self.writer().as_ref().map(|writer| writer.buffered.clone())
    }

    /// How much of it was flushed.
    pub fn flushed(&self) -> usize {
        self.writer().as_ref().map_or(0, |writer| writer.flushed)
    }

    /// True if every event is flushed.
    pub fn immediate_flush(&self) -> bool {
        !self.waits.load(SeqCst)
    }

    /// Sets it.
    pub fn set_immediate_flush(&self, flush: bool) {
        let _writer = self.writer();
        self.waits.store(!flush, SeqCst);
    }

    /// The encoding.
    pub fn encoding(&self) -> Option<String> {
        self.encoding.lock().unwrap().clone()
    }

    /// Sets it for the next writer.
    pub fn set_encoding(&self, encoding: &str) {
        *self.encoding.lock().unwrap() = Some(encoding.to_owned());
    }

    /// The layout.
    pub fn layout(&self) -> Option<String> {
        self.layout.lock().unwrap().clone()
    }

    /// Sets it.
    pub fn set_layout(&self, layout: &str) {
        *self.layout.lock().unwrap() = Some(layout.to_owned());
    }

    /// True if it cannot work without a layout.
    pub fn requires_layout(&self) -> bool {
        true
    }

    /// The name.
    pub fn name(&self) -> String {
        self.name.lock().unwrap().clone()
    }

    /// Sets it.
    pub fn set_name(&self, name: &str) {
        name.clone_into(&mut self.name.lock().unwrap());
    }

    /// Number of the error handler.
    pub fn error_handler(&self) -> u32 {
        self.error_handler.load(SeqCst)
    }

    /// Sets it.
    pub fn set_error_handler(&self, handler: u32) {
        self.error_handler.store(handler, SeqCst);
    }

    /// Number of events that could not be written.
    pub fn errors(&self) -> u32 {
        self.errors.load(SeqCst)
    }

    /// The level below which nothing is written.
    pub fn threshold(&self) -> u32 {
        self.threshold.load(SeqCst)
    }

    /// Sets it.
    pub fn set_threshold(&self, level: u32) {
        let _writer = self.writer();
        self.threshold.store(level, SeqCst);
    }
}
