//! Boxes behind an atomic pointer: freed too early, twice, or never; and one that is too small.

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// Frees the old value at once.
pub struct Replaced {
    current: AtomicPtr<u64>,
}

impl Replaced {
    /// With a value.
    pub fn new() -> Self {
        Self {
            current: AtomicPtr::new(Box::into_raw(Box::new(7))),
        }
    }

    /// Looks whether there is a value at all.
    pub fn get(&self) -> bool {
        let current = self.current.load(Ordering::Acquire);
        unsafe { *current < 100 } // USE
    }

    /// Puts another value in its place.
    pub fn replace(&self) {
        let new = Box::into_raw(Box::new(8));
        let old = self.current.swap(new, Ordering::AcqRel);
        drop(unsafe { Box::from_raw(old) }); // FREE
    }
}

impl Default for Replaced {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Replaced {
    fn drop(&mut self) {
        drop(unsafe { Box::from_raw(*self.current.get_mut()) });
    }
}

/// Looks and takes in two steps.
pub struct Emptied {
    current: AtomicPtr<u64>,
}

impl Emptied {
    /// With a value.
    pub fn new() -> Self {
        Self {
            current: AtomicPtr::new(Box::into_raw(Box::new(7))),
        }
    }

    /// Takes the value out, if it is there.
    pub fn empty(&self) {
        let current = self.current.load(Ordering::Acquire);
        if !current.is_null() {
            self.current.store(ptr::null_mut(), Ordering::Release);
            drop(unsafe { Box::from_raw(current) }); // FREE TWICE
        }
    }
}

impl Default for Emptied {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Emptied {
    fn drop(&mut self) {
        let current = *self.current.get_mut();
        if !current.is_null() {
            drop(unsafe { Box::from_raw(current) });
        }
    }
}

/// Takes one value, and forgets the box of whoever comes second.
#[derive(Debug, Default)]
pub struct OneTime {
    value: AtomicPtr<u64>,
}

impl OneTime {
    /// Without a value.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts the value in, if there is none.
    pub fn put(&self) -> bool {
        if !self.value.load(Ordering::Acquire).is_null() {
            return false;
        }
        let new = Box::into_raw(Box::new(7)); // LEAK OneTime
        let none = ptr::null_mut();
        let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
        // The new box should be freed if it is not put in.
        self.value
            .compare_exchange(none, new, success, failure)
            .is_ok()
    }
}

impl Drop for OneTime {
    fn drop(&mut self) {
        let value = *self.value.get_mut();
        if !value.is_null() {
            drop(unsafe { Box::from_raw(value) });
        }
    }
}

/// A place for a letter that can be closed.
#[derive(Debug, Default)]
pub struct Mailbox {
    closed: AtomicBool,
    letter: AtomicPtr<String>,
}

impl Mailbox {
    /// Open and empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves a letter, unless closed. Another one that is there is thrown away.
    pub fn send(&self) {
        if !self.closed.load(Ordering::SeqCst) {
            let letter = Box::into_raw(Box::new("a letter of some length".to_owned())); // LEAK Mailbox
            Self::throw_away(self.letter.swap(letter, Ordering::SeqCst));
        }
    }

    /// Takes no more letters and throws away what is there.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        Self::throw_away(self.letter.swap(ptr::null_mut(), Ordering::SeqCst));
    }

    fn throw_away(letter: *mut String) {
        if !letter.is_null() {
            drop(unsafe { Box::from_raw(letter) });
        }
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        // A letter that came while it was closed is forgotten.
        if !*self.closed.get_mut() {
            Self::throw_away(*self.letter.get_mut());
        }
    }
}

/// Writes down each visit, and looks for room before it has taken its place.
#[derive(Debug)]
pub struct Visits {
    used: AtomicUsize,
    written: Vec<AtomicBool>,
}

impl Visits {
    /// With room for three.
    pub fn new() -> Self {
        Self {
            used: AtomicUsize::new(2),
            written: [true, true, false].map(AtomicBool::new).into(),
        }
    }

    /// Writes a visit down, if there is room.
    pub fn visit(&self) {
        if self.used.load(Ordering::SeqCst) < self.written.len() {
            let place = self.used.fetch_add(1, Ordering::SeqCst);
            let written = self.written.as_ptr();
            unsafe { written.add(place).cast::<u8>().cast_mut().write(1) }; // OUTSIDE
        }
    }
}

impl Default for Visits {
    fn default() -> Self {
        Self::new()
    }
}
