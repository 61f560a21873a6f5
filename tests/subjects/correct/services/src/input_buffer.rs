//! `org.apache.catalina.connector.InputBuffer` of Tomcat 7.0 (PCR, V3, "data race"), mended: which converter to use is
//! looked up at the first read, and all that a read needs is behind one lock.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Turns bytes into characters.
#[derive(Clone, Copy, Debug)]
struct Converter {
    shift: u8,
}

#[derive(Debug)]
struct Buffer {
    bytes: Vec<u8>,
    position: usize,
    mark: Option<usize>,
    encoding: Option<u8>,
    converters: BTreeMap<u8, Converter>,
    converter: Option<Converter>,
    closed: bool,
    reads: usize,
}

impl Buffer {
    /// Looks the converter up, once.
    fn converter(&mut self) -> Converter {
        *self.converter.get_or_insert_with(|| {
            let encoding = self.encoding.unwrap_or(0);
            let made = Converter { shift: encoding };
            *self.converters.entry(encoding).or_insert(made)
        })
    }

    fn next(&mut self) -> Option<u8> {
        self.reads += 1;
        let byte = self.bytes.get(self.position).copied()?;
        self.position += 1;
        Some(byte)
    }

    fn take(&mut self, most: u8) -> Vec<u8> {
        let end = self.bytes.len().min(self.position + usize::from(most));
        let taken = self.bytes[self.position..end].to_vec();
        self.position = end;
        taken
    }
}

/// The body of a request, as bytes and as characters.
#[derive(Debug)]
pub struct InputBuffer {
    buffer: Mutex<Buffer>,
}

impl InputBuffer {
    /// A body of four bytes.
    pub fn new() -> Self {
        Self {
            buffer: Mutex::new(Buffer {
                bytes: vec![97, 98, 99, 100],
                position: 0,
                mark: None,
                encoding: None,
                converters: BTreeMap::new(),
                converter: None,
                closed: false,
                reads: 0,
            }),
        }
    }

    fn enter(&self) -> MutexGuard<'_, Buffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks the converter up, once.
    pub fn check_converter(&self) {
        self.enter().converter();
    }

    /// The next character.
    pub fn read(&self) -> Option<char> {
        let mut buffer = self.enter();
        if buffer.closed {
            return None;
        }
        let converter = buffer.converter();
        let byte = buffer.next()?;
        Some(char::from(byte.wrapping_add(converter.shift)))
    }

    /// Up to so many characters.
    pub fn read_characters(&self, most: u8) -> String {
        let mut buffer = self.enter();
        if buffer.closed {
            return String::new();
        }
        let converter = buffer.converter();
        let bytes = buffer.take(most);
        let shifted = bytes.iter().map(|byte| byte.wrapping_add(converter.shift));
        shifted.map(char::from).collect()
    }

    /// The next byte.
    pub fn read_byte(&self) -> Option<u8> {
        let mut buffer = self.enter();
        if buffer.closed {
            return None;
        }
        buffer.next()
    }

    /// Up to so many bytes.
    pub fn read_bytes(&self, most: u8) -> Vec<u8> {
        self.enter().take(most)
    }

    /// Passes over up to so many bytes; how many.
    pub fn skip(&self, most: u8) -> usize {
        self.enter().take(most).len()
    }

    /// Bytes that are left.
    pub fn available(&self) -> usize {
        let buffer = self.enter();
        buffer.bytes.len() - buffer.position
    }

    /// True if there is something left.
    pub fn ready(&self) -> bool {
        self.available() > 0
    }

    /// True if `mark` can be used.
    pub fn mark_supported(&self) -> bool {
        true
    }

    /// Remembers where the buffer is.
    pub fn mark(&self) {
        let mut buffer = self.enter();
        buffer.mark = Some(buffer.position);
    }

    /// Goes back there; false if nothing was remembered.
    pub fn reset(&self) -> bool {
        let mut buffer = self.enter();
        if let Some(mark) = buffer.mark {
            buffer.position = mark;
        }
        buffer.mark.is_some()
    }

    /// The encoding.
    pub fn encoding(&self) -> Option<u8> {
        self.enter().encoding
    }

    /// Sets it; without effect once the converter was looked up.
    pub fn set_encoding(&self, encoding: u8) {
        self.enter().encoding = Some(encoding);
    }

    /// True if the converter was looked up.
    pub fn got_encoding(&self) -> bool {
        self.enter().converter.is_some()
    }

    /// Number of bytes that were asked for one by one.
    pub fn reads(&self) -> usize {
        self.enter().reads
    }

    /// Closes the buffer.
    pub fn close(&self) {
        self.enter().closed = true;
    }

    /// True if it is closed.
    pub fn is_closed(&self) -> bool {
        self.enter().closed
    }
}

impl Default for InputBuffer {
    fn default() -> Self {
        Self::new()
    }
}
