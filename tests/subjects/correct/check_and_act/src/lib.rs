//! A cache that looks and acts under one lock.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

/// Gives every key a number, once.
#[derive(Debug, Default)]
pub struct Numbers {
    known: Mutex<HashMap<u32, u32>>,
}

impl Numbers {
    /// No number given yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of this key, a new one if it has none.
    pub fn number(&self, key: u32) -> u32 {
        let mut known = self.known.lock().unwrap();
        let next = known.len() as u32 + 1;
        *known.entry(key).or_insert(next)
    }
}

/// A value that is read only where no thread writes it.
#[derive(Debug, Default)]
pub struct Desk {
    turn: Mutex<()>,
    value: Mutex<u32>,
}

/// A handle whose `Debug` shows what is behind the desk's locks.
#[derive(Debug)]
pub struct Handle<'a>(#[allow(dead_code, reason = "shown")] &'a Desk);

impl Desk {
    /// Zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes no lock.
    pub fn handle(&self) -> Handle<'_> {
        Handle(self)
    }

    /// No other method takes the lock of the value.
    pub fn read(&self) -> Option<u32> {
        let _turn = self.turn.lock().unwrap();
        self.value.try_lock().ok().map(|value| *value)
    }
}

/// What two ends share, with what is left there by whoever met another.
#[derive(Debug, Default)]
struct Hall {
    inside: AtomicBool,
    left: Mutex<Option<Box<[u64; 20]>>>,
}

/// Makes both ends of a hall.
pub fn hall() -> (FrontDoor, BackDoor) {
    let hall = Arc::new(Hall::default());
    (FrontDoor(Arc::clone(&hall)), BackDoor(hall))
}

/// One end. Without the other one it is tested beside one that is never dropped.
#[derive(Debug)]
pub struct FrontDoor(#[allow(dead_code, reason = "keeps the hall")] Arc<Hall>);

/// The other end.
#[derive(Debug)]
pub struct BackDoor(Arc<Hall>);

impl BackDoor {
    /// Leaves something in the hall if it meets another one.
    pub fn visit(&self) {
        if self.0.inside.swap(true, SeqCst) {
            *self.0.left.lock().unwrap() = Some(Box::new([7; 20]));
        } else {
            self.0.inside.store(false, SeqCst);
        }
    }
}
