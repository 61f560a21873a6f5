//! A buffer of text that can be appended to another one.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Text that grows.
#[derive(Debug)]
pub struct StringBuffer {
    value: Mutex<Vec<u8>>,
}

impl StringBuffer {
    /// A short text.
    pub fn new() -> Self {
        Self {
            value: Mutex::new(b"ab".to_vec()),
        }
    }

    fn enter(&self) -> MutexGuard<'_, Vec<u8>> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of bytes.
    pub fn length(&self) -> usize {
        self.enter().len()
    }

    /// Takes the first byte away.
    pub fn delete(&self) {
        let mut value = self.enter();
        if !value.is_empty() {
            value.remove(0);
        }
    }

    /// Adds another text to this one.
    pub fn append(&self, other: &StringBuffer) {
        if std::ptr::eq(self, other) {
            let mut value = self.enter();
            let again = value.clone();
            value.extend(again);
            return;
        }
        // In the order of their addresses.
        let (mut value, others);
        if std::ptr::from_ref(self) < std::ptr::from_ref(other) {
            value = self.enter();
            others = other.enter();
        } else {
            others = other.enter();
            value = self.enter();
        }
        value.extend(others.iter());
    }
}
