//! Waits with a time limit.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// `Condvar::wait_timeout_while`: opens for good after a number of arrivals.
#[derive(Debug)]
pub struct TimedLatch {
    missing: Mutex<u32>,
    opened: Condvar,
}

impl TimedLatch {
    pub fn new(count: u32) -> Self {
        Self {
            missing: Mutex::new(count),
            opened: Condvar::new(),
        }
    }

    pub fn arrive(&self) -> u32 {
        let mut missing = self.missing.lock().unwrap();
        *missing = missing.saturating_sub(1);
        if *missing == 0 {
            self.opened.notify_all();
        }
        *missing
    }

    /// Waits for so long at most; whether it is open.
    pub fn wait_timeout(&self, limit: Duration) -> bool {
        let missing = self.missing.lock().unwrap();
        let waited = self.opened.wait_timeout_while(missing, limit, |it| *it > 0);
        let (missing, _) = waited.unwrap();
        *missing == 0
    }
}

/// `park_timeout` until a deadline, after a while of spinning: raised once, for good.
#[derive(Debug, Default)]
pub struct Beacon {
    raised: AtomicBool,
    parked: Mutex<Vec<Thread>>,
}

impl Beacon {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn raise(&self) -> bool {
        if self.raised.swap(true, Ordering::AcqRel) {
            return false;
        }
        let parked = std::mem::take(&mut *self.parked.lock().unwrap());
        parked.iter().for_each(Thread::unpark);
        true
    }

    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Acquire)
    }

    /// Waits for so long at most; whether it is raised.
    pub fn wait_timeout(&self, limit: Duration) -> bool {
        let begin = Instant::now();
        for _ in 0..32 {
            if self.is_raised() {
                return true;
            }
            std::hint::spin_loop();
        }
        self.parked.lock().unwrap().push(thread::current());
        while !self.is_raised() {
            let left = limit.saturating_sub(begin.elapsed());
            if left.is_zero() {
                let this = thread::current().id();
                self.parked.lock().unwrap().retain(|it| it.id() != this);
                return self.is_raised();
            }
            thread::park_timeout(left);
        }
        true
    }
}
