//! Writes lines to a file that can be opened and closed; the file is a list here.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::Mutex;

/// Appends to a file.
#[derive(Debug)]
pub struct FileAppender {
    file: Mutex<Option<Vec<String>>>,
    path: Mutex<String>,
    threshold: AtomicUsize,
    buffer_size: AtomicUsize,
    buffered: AtomicBool,
    appends: AtomicBool,
    immediate: AtomicBool,
    errors: AtomicUsize,
}

impl FileAppender {
    /// With an open file.
    pub fn new() -> Self {
        Self {
            file: Mutex::new(Some(Vec::new())),
            path: Mutex::new("log".to_owned()),
            threshold: AtomicUsize::new(0),
            buffer_size: AtomicUsize::new(8192),
            buffered: AtomicBool::new(false),
            appends: AtomicBool::new(true),
            immediate: AtomicBool::new(true),
            errors: AtomicUsize::new(0),
        }
    }

    /// True if the file is open.
    pub fn is_open(&self) -> bool {
        self.file.lock().unwrap().is_some()
    }

    /// Opens the file; false if it was open.
    pub fn open(&self) -> bool {
        let mut file = self.file.lock().unwrap();
        let opens = file.is_none();
        file.get_or_insert_default();
        opens
    }

    /// Closes the file; false if it was closed.
    pub fn close(&self) -> bool {
        self.file.lock().unwrap().take().is_some()
    }

    /// Writes a line; false if the file is closed or the level is below the threshold. The bug: whether it is open is checked before.
    pub fn append(&self, level: usize, line: &str) -> bool {
        if level < self.threshold() || !self.is_open() {
            self.errors.fetch_add(1, SeqCst);
            return false;
        }
        let mut file = self.file.lock().unwrap();
        file.as_mut().expect("the file is open").push(line.to_owned());
        true
    }

    /// Number of lines in the open file.
    pub fn lines(&self) -> usize {
        self.file.lock().unwrap().as_ref().map_or(0, Vec::len)
    }

    /// Path of the file.
    pub fn path(&self) -> String {
        self.path.lock().unwrap().clone()
    }

    /// Sets the path for the next time the file is opened.
    pub fn set_path(&self, path: &str) {
        path.clone_into(&mut self.path.lock().unwrap());
    }

    /// Level below which lines are not written.
    pub fn threshold(&self) -> usize {
        self.threshold.load(SeqCst)
    }

    /// Sets it.
    pub fn set_threshold(&self, level: usize) {
        self.threshold.store(level, SeqCst);
    }

    /// Size of the buffer in bytes.
    pub fn buffer_size(&self) -> usize {
        self.buffer_size.load(SeqCst)
    }

    /// Sets it.
    pub fn set_buffer_size(&self, bytes: usize) {
        self.buffer_size.store(bytes, SeqCst);
    }

    /// True if lines are buffered.
    pub fn is_buffered(&self) -> bool {
        self.buffered.load(SeqCst)
    }

    /// Buffers lines, which excludes writing at once.
    pub fn set_buffered(&self, buffered: bool) {
        self.buffered.store(buffered, SeqCst);
    }

    /// True if an existing file is gone on with.
    pub fn appends(&self) -> bool {
        self.appends.load(SeqCst)
    }

    /// Sets it.
    pub fn set_appends(&self, appends: bool) {
        self.appends.store(appends, SeqCst);
    }

    /// True if each line is written at once.
    pub fn is_immediate(&self) -> bool {
        self.immediate.load(SeqCst)
    }

    /// Number of lines that were not written.
    pub fn errors(&self) -> usize {
        self.errors.load(SeqCst)
    }
}

impl Default for FileAppender {
    fn default() -> Self {
        Self::new()
    }
}
