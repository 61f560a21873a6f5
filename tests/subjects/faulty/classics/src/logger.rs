//! A logger with a level, a filter and a few handlers.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, RwLock};

/// Collects messages.
#[derive(Debug, Default)]
pub struct Logger {
    level: AtomicU32,
    dropped: AtomicU64,
    filter: RwLock<Option<u32>>,
    lines: Mutex<Vec<String>>,
    name: RwLock<String>,
    handlers: Mutex<Vec<u32>>,
    parent_too: AtomicU32,
}

impl Logger {
    /// A logger that lets everything through.
    pub fn new() -> Self {
        Self::default()
    }

    /// The level below which messages are dropped.
    pub fn level(&self) -> u32 {
        self.level.load(SeqCst)
    }

    /// Sets the level.
    pub fn set_level(&self, level: u32) {
        self.level.store(level, SeqCst);
    }

    /// True if messages of this level are kept.
    pub fn is_loggable(&self, level: u32) -> bool {
        level >= self.level()
    }

    /// Lets messages through only from this level on.
    pub fn set_filter(&self, level: u32) {
        *self.filter.write().unwrap() = Some(level);
    }

    /// No filter any more.
    pub fn clear_filter(&self) {
        *self.filter.write().unwrap() = None;
    }

    /// True if there is a filter.
    pub fn has_filter(&self) -> bool {
        self.filter.read().unwrap().is_some()
    }

    /// Keeps a message. The bug: the filter is looked at twice.
    pub fn log(&self, level: u32, message: &str) {
        if !self.is_loggable(level) {
            self.dropped.fetch_add(1, SeqCst);
            return;
        }
        if self.has_filter() {
            let least = self.filter.read().unwrap().expect("there is a filter");
            if level < least {
                self.dropped.fetch_add(1, SeqCst);
                return;
            }
        }
        self.lines.lock().unwrap().push(message.to_owned());
    }

    /// Number of messages that were dropped.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(SeqCst)
    }

    /// Number of messages that were kept.
    pub fn kept(&self) -> usize {
        self.lines.lock().unwrap().len()
    }

    /// Takes all messages out.
    pub fn drain(&self) -> Vec<String> {
        std::mem::take(&mut *self.lines.lock().unwrap())
    }

    /// Name of the logger.
    pub fn name(&self) -> String {
        self.name.read().unwrap().clone()
    }

    /// Sets the name.
    pub fn set_name(&self, name: &str) {
        name.clone_into(&mut self.name.write().unwrap());
    }

    /// Adds a handler by its number.
    pub fn add_handler(&self, handler: u32) {
        self.handlers.lock().unwrap().push(handler);
    }

    /// Removes a handler; true if it was there.
    pub fn remove_handler(&self, handler: u32) -> bool {
        let mut handlers = self.handlers.lock().unwrap();
        let found = handlers.iter().position(|it| *it == handler);
        found.map(|at| handlers.remove(at)).is_some()
    }

    /// Number of handlers.
    pub fn handlers(&self) -> usize {
        self.handlers.lock().unwrap().len()
    }

    /// True if messages go to the parent too.
    pub fn uses_parent(&self) -> bool {
        self.parent_too.load(SeqCst) == 1
    }

    /// Sends messages to the parent too.
    pub fn set_uses_parent(&self, uses: bool) {
        self.parent_too.store(u32::from(uses), SeqCst);
    }
}
