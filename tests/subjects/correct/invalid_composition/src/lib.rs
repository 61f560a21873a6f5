//! After figure 5 of AutoConTest (Terragni and Cheung, ICSE 2016): calls that are atomic each, and not together.

use std::sync::Mutex;

/// A vector under one lock.
#[derive(Debug)]
pub struct Elements {
    data: Mutex<Vec<u32>>,
}

impl Elements {
    /// With one element.
    pub fn new() -> Self {
        Self {
            data: Mutex::new(vec![7]),
        }
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.data.lock().unwrap().len()
    }

    /// The first element.
    ///
    /// # Panics
    /// If there is none.
    pub fn first(&self) -> u32 {
        let first = self.data.lock().unwrap().first().copied();
        first.expect("no element")
    }

    /// Adds an element.
    pub fn add(&self, element: u32) {
        self.data.lock().unwrap().push(element);
    }

    /// Takes all elements out.
    pub fn clear(&self) {
        self.data.lock().unwrap().clear();
    }
}

impl Default for Elements {
    fn default() -> Self {
        Self::new()
    }
}
