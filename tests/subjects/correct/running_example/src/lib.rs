//! The running example of AutoConTest (Terragni and Cheung, ICSE 2016), mended: a method locks in both modes.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::Mutex;

/// A tank that is filled through a valve.
#[derive(Debug, Default)]
pub struct Tank {
    level: AtomicU32,
    manual: AtomicBool,
    valve: Mutex<()>,
}

impl Tank {
    /// An empty tank.
    pub fn new() -> Self {
        Self::default()
    }

    /// The paper's `m1`: sets the level, under the lock.
    pub fn set(&self, level: u32) {
        let _valve = self.valve.lock().unwrap();
        self.level.store(level, SeqCst);
    }

    /// The paper's `m2`: another mode.
    pub fn by_hand(&self) {
        self.manual.store(true, SeqCst);
    }

    /// The paper's `m3`: locks in each mode.
    pub fn add(&self, amount: u32) {
        let _valve = self.valve.lock().unwrap();
        self.pour(amount);
    }

    /// The paper's `m4`: reads and writes in two steps.
    fn pour(&self, amount: u32) {
        let level = self.level.load(SeqCst);
        self.level.store(level.wrapping_add(amount), SeqCst);
    }

    /// The level.
    pub fn level(&self) -> u32 {
        self.level.load(SeqCst)
    }
}
