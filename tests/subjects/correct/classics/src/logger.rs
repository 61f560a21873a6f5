//! A logger with a level, a filter and a few handlers.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, RwLock};

#[derive(Debug, Default)]
struct Journal {
    level: u32,
    filter: Option<u32>,
    dropped: u64,
    lines: Vec<String>,
}

/// Collects messages.
#[derive(Debug, Default)]
pub struct Logger {
    journal: Mutex<Journal>,
    name: RwLock<String>,
    handlers: Mutex<Vec<u32>>,
    parent_too: AtomicU32,
}

impl Logger {
    /// A logger that lets everything through.
    pub fn new() -> Self {
        Self::default()
    }

    fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap()
    }

    /// The level below which messages are dropped.
    pub fn level(&self) -> u32 {
        self.journal().level
    }

    /// Sets the level.
    pub fn set_level(&self, level: u32) {
        self.journal().level = level;
    }

    /// True if messages of this level are kept.
    pub fn is_loggable(&self, level: u32) -> bool {
        level >= self.level()
    }

    /// Lets messages through only from this level on.
    pub fn set_filter(&self, level: u32) {
        self.journal().filter = Some(level);
    }

    /// No filter any more.
    pub fn clear_filter(&self) {
        self.journal().filter = None;
    }

    /// True if there is a filter.
    pub fn has_filter(&self) -> bool {
        self.journal().filter.is_some()
    }

    /// Keeps a message.
    pub fn log(&self, level: u32, message: &str) {
        let mut journal = self.journal();
        if level < journal.level || journal.filter.is_some_and(|least| level < least) {
            journal.dropped += 1;
        } else {
            journal.lines.push(message.to_owned());
        }
    }

    /// Number of messages that were dropped.
    pub fn dropped(&self) -> u64 {
        self.journal().dropped
    }

    /// Number of messages that were kept.
    pub fn kept(&self) -> usize {
        self.journal().lines.len()
    }

    /// Takes all messages out.
    pub fn drain(&self) -> Vec<String> {
        std::mem::take(&mut self.journal().lines)
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
