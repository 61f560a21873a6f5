//! Writes lines to a file that can be opened and closed; the file is a list here.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::Mutex;

#[derive(Debug)]
struct File {
    lines: Option<Vec<String>>,
    threshold: usize,
    errors: usize,
}

/// Appends to a file.
#[derive(Debug)]
pub struct FileAppender {
    file: Mutex<File>,
    path: Mutex<String>,
    buffer_size: AtomicUsize,
    buffered: AtomicBool,
    appends: AtomicBool,
    immediate: AtomicBool,
}

impl FileAppender {
    /// With an open file.
    pub fn new() -> Self {
        Self {
            file: Mutex::new(File {
                lines: Some(Vec::new()),
                threshold: 0,
                errors: 0,
            }),
            path: Mutex::new("log".to_owned()),
            buffer_size: AtomicUsize::new(8192),
            buffered: AtomicBool::new(false),
            appends: AtomicBool::new(true),
            immediate: AtomicBool::new(true),
        }
    }

    /// True if the file is open.
    pub fn is_open(&self) -> bool {
        self.file.lock().unwrap().lines.is_some()
    }

    /// Opens the file; false if it was open.
    pub fn open(&self) -> bool {
        let mut file = self.file.lock().unwrap();
        let opens = file.lines.is_none();
        file.lines.get_or_insert_default();
        opens
    }

    /// Closes the file; false if it was closed.
    pub fn close(&self) -> bool {
        self.file.lock().unwrap().lines.take().is_some()
    }

    /// Writes a line; false if the file is closed or the level is below the threshold.
    pub fn append(&self, level: usize, line: &str) -> bool {
        let mut file = self.file.lock().unwrap();
        let above = level >= file.threshold;
        let Some(lines) = file.lines.as_mut().filter(|_| above) else {
            file.errors += 1;
            return false;
        };
        lines.push(line.to_owned());
        true
    }

    /// Number of lines in the open file.
    pub fn lines(&self) -> usize {
        let file = self.file.lock().unwrap();
        file.lines.as_ref().map_or(0, Vec::len)
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
        self.file.lock().unwrap().threshold
    }

    /// Sets it.
    pub fn set_threshold(&self, level: usize) {
        self.file.lock().unwrap().threshold = level;
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
        self.file.lock().unwrap().errors
    }
}

impl Default for FileAppender {
    fn default() -> Self {
        Self::new()
    }
}
