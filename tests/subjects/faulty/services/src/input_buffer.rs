//! `org.apache.catalina.connector.InputBuffer` of Tomcat 7.0 (PCR, V3, "data race"): which converter to use is looked up at
//! the first read; that it was looked up is announced before the converter is there.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Turns bytes into characters.
#[derive(Clone, Copy, Debug)]
struct Converter {
    shift: u8,
}

#[derive(Debug)]
struct Bytes {
    bytes: Vec<u8>,
    position: usize,
    mark: Option<usize>,
}

/// The body of a request, as bytes and as characters.
#[derive(Debug)]
pub struct InputBuffer {
    bytes: Mutex<Bytes>,
    encoding: Mutex<Option<u8>>,
    got_encoding: AtomicBool,
    converters: Mutex<BTreeMap<u8, Converter>>,
    converter: Mutex<Option<Converter>>,
    closed: AtomicBool,
    reads: AtomicUsize,
}

impl InputBuffer {
    /// A body of four bytes.
    pub fn new() -> Self {
        Self {
            bytes: Mutex::new(Bytes {
                bytes: vec![97, 98, 99, 100],
                position: 0,
                mark: None,
            }),
            encoding: Mutex::default(),
            got_encoding: AtomicBool::new(false),
            converters: Mutex::default(),
            converter: Mutex::default(),
            closed: AtomicBool::new(false),
            reads: AtomicUsize::new(0),
        }
    }

    fn bytes(&self) -> MutexGuard<'_, Bytes> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn converter(&self) -> MutexGuard<'_, Option<Converter>> {
        self.converter
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks the converter up, once. The fault: it counts as looked up before it is there.
    pub fn check_converter(&self) {
        if self.got_encoding.swap(true, SeqCst) {
            return;
        }
        let encoding = self.encoding.lock().unwrap().unwrap_or(0);
        let mut converters = self.converters.lock().unwrap();
        let converter = converters
            .entry(encoding)
            .or_insert(Converter { shift: encoding });
        *self.converter() = Some(*converter);
    }

    /// The next character.
    pub fn read(&self) -> Option<char> {
        if self.is_closed() {
            return None;
        }
        self.check_converter();
        let byte = self.read_byte()?;
        let converter = (*self.converter()).expect("there is a converter");
        Some(char::from(byte.wrapping_add(converter.shift)))
    }

    /// Up to so many characters.
    pub fn read_characters(&self, most: u8) -> String {
        if self.is_closed() {
            return String::new();
        }
        self.check_converter();
        let bytes = self.read_bytes(most);
        let converter = (*self.converter()).expect("there is a converter");
        let shifted = bytes
            .iter()
            .map(|byte| char::from(byte.wrapping_add(converter.shift)));
        shifted.collect()
    }

    /// The next byte.
    pub fn read_byte(&self) -> Option<u8> {
        if self.is_closed() {
            return None;
        }
        self.reads.fetch_add(1, SeqCst);
        let mut bytes = self.bytes();
        let byte = bytes.bytes.get(bytes.position).copied()?;
        bytes.position += 1;
        Some(byte)
    }

    /// Up to so many bytes.
    pub fn read_bytes(&self, most: u8) -> Vec<u8> {
        let mut bytes = self.bytes();
        let end = bytes.bytes.len().min(bytes.position + usize::from(most));
        let read = bytes.bytes[bytes.position..end].to_vec();
        bytes.position = end;
        read
    }

    /// Passes over up to so many bytes; how many.
    pub fn skip(&self, most: u8) -> usize {
        self.read_bytes(most).len()
    }

    /// Bytes that are left.
    pub fn available(&self) -> usize {
        let bytes = self.bytes();
        bytes.bytes.len() - bytes.position
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
        let mut bytes = self.bytes();
        bytes.mark = Some(bytes.position);
    }

    /// Goes back there; false if nothing was remembered.
    pub fn reset(&self) -> bool {
        let mut bytes = self.bytes();
        if let Some(mark) = bytes.mark {
            bytes.position = mark;
        }
        bytes.mark.is_some()
    }

    /// The encoding.
    pub fn encoding(&self) -> Option<u8> {
        *self.encoding.lock().unwrap()
    }

    /// Sets it; without effect once the converter was looked up.
    pub fn set_encoding(&self, encoding: u8) {
        *self.encoding.lock().unwrap() = Some(encoding);
    }

    /// True if the converter was looked up.
    pub fn got_encoding(&self) -> bool {
        self.got_encoding.load(SeqCst)
    }

    /// Number of bytes that were asked for one by one.
    pub fn reads(&self) -> usize {
        self.reads.load(SeqCst)
    }

    /// Closes the buffer.
    pub fn close(&self) {
        self.closed.store(true, SeqCst);
    }

    /// True if it is closed.
    pub fn is_closed(&self) -> bool {
        self.closed.load(SeqCst)
    }
}

impl Default for InputBuffer {
    fn default() -> Self {
        Self::new()
    }
}
