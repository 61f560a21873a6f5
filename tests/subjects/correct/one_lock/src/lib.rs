//! A ring behind one lock that is taken at one line: what the calls do to locks is always the same, they differ only in
//! what they do to the fields.

use std::sync::Mutex;

const ROOM: u8 = 3;

#[derive(Debug, Default)]
struct Inner {
    head: u8,
    tail: u8,
    len: u8,
    turns: u32,
}

impl Inner {
    fn push(&mut self) -> bool {
        if self.len == ROOM {
            return false;
        }
        self.len += 1;
        self.tail += 1;
        if self.tail == ROOM {
            self.tail = 0;
            self.turns += 1;
        }
        true
    }

    fn pop(&mut self) -> bool {
        if self.len == 0 {
            return false;
        }
        self.len -= 1;
        self.head = (self.head + 1) % ROOM;
        true
    }
}

#[derive(Debug, Default)]
pub struct Ring {
    inner: Mutex<Inner>,
}

impl Ring {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&self) -> bool {
        self.with(Inner::push)
    }

    pub fn pop(&self) -> bool {
        self.with(Inner::pop)
    }

    /// Turns that the ring has made, once it is empty.
    pub fn turns_when_empty(&self) -> Option<u32> {
        self.with(|inner| (inner.len == 0).then_some(inner.turns))
    }

    fn with<R>(&self, act: impl FnOnce(&mut Inner) -> R) -> R {
        act(&mut self.inner.lock().unwrap())
    }
}
