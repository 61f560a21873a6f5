//! Ordered by the lives of threads, parking, and what is a thread's own.

use std::cell::Cell;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::{Place, Ticket};

/// Threads that a call starts and joins.
#[derive(Default)]
pub struct Joined {
    value: Arc<Place<u64>>,
    once: Ticket,
}

impl Joined {
    pub fn new() -> Self {
        Self::default()
    }

    /// What comes in, what goes out, what a thread of a thread wrote.
    pub fn run(&self) {
        if self.once.take() {
            unsafe { *self.value.at() = 1 };
            let value = Arc::clone(&self.value);
            let text = String::from("moved in");
            let inner = thread::spawn(move || {
                assert_eq!(text.len(), 8);
                unsafe { *value.at() += 1 };
                thread::spawn(move || unsafe { *value.at() += 1 })
            });
            inner.join().unwrap().join().unwrap();
            assert_eq!(unsafe { *self.value.at() }, 3);
        }
    }

    /// It is never joined, and it touches nothing.
    pub fn start(&self) {
        drop(thread::spawn(|| thread::spawn(|| 7)));
    }
}

/// Scoped threads write what they borrow, and the scope ends after them.
pub struct Scoped {
    values: Mutex<Vec<u64>>,
}

impl Scoped {
    pub fn new() -> Self {
        Self {
            values: Mutex::new(vec![1, 2, 3]),
        }
    }

    pub fn add(&self) -> u64 {
        let mut values = self.values.lock().unwrap();
        let (first, rest) = values.split_at_mut(1);
        thread::scope(|scope| {
            scope.spawn(|| first[0] += 1);
            scope.spawn(|| rest.iter_mut().for_each(|value| *value += 1));
        });
        values.iter().sum()
    }
}

impl Default for Scoped {
    fn default() -> Self {
        Self::new()
    }
}

/// What many owners only read, and the last one frees.
pub struct SharedReads {
    value: Mutex<Arc<u64>>,
}

impl SharedReads {
    pub fn new() -> Self {
        Self {
            value: Mutex::new(Arc::new(42)),
        }
    }

    pub fn read(&self) -> bool {
        let value = Arc::clone(&self.value.lock().unwrap());
        *value == 42
    }

    pub fn replace(&self) {
        let new = Arc::new(42);
        let old = std::mem::replace(&mut *self.value.lock().unwrap(), new);
        drop(old);
    }
}

impl Default for SharedReads {
    fn default() -> Self {
        Self::new()
    }
}

/// One thread parks until another has written.
#[derive(Default)]
pub struct Parked {
    value: Arc<Place<u64>>,
    once: Ticket,
}

impl Parked {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn run(&self) {
        if self.once.take() {
            let written = Arc::new(AtomicBool::new(false));
            let (value, seen) = (Arc::clone(&self.value), Arc::clone(&written));
            let reader = thread::spawn(move || {
                while !seen.load(Ordering::Acquire) {
                    thread::park();
                }
                assert_eq!(unsafe { *value.at() }, 7);
            });
            unsafe { *self.value.at() = 7 };
            written.store(true, Ordering::Release);
            reader.thread().unpark();
            reader.join().unwrap();
        }
    }

    pub fn park_in_time(&self) {
        thread::park_timeout(Duration::from_millis(10));
    }
}

/// Waits in a loop without a hint.
#[derive(Default)]
pub struct SpinLoop {
    flag: Arc<AtomicUsize>,
    value: Arc<Place<u64>>,
    once: Ticket,
}

impl SpinLoop {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn run(&self) {
        if self.once.take() {
            let (flag, value) = (Arc::clone(&self.flag), Arc::clone(&self.value));
            let waiter = thread::spawn(move || {
                while flag.load(Ordering::Acquire) == 0 {}
                assert_eq!(unsafe { *value.at() }, 7);
            });
            unsafe { *self.value.at() = 7 };
            self.flag.store(1, Ordering::Release);
            waiter.join().unwrap();
        }
    }
}

thread_local! {
    static OWN: Cell<u64> = const { Cell::new(0) };
}

/// Thread-locals, arguments on the stack, and what is the same for all.
#[derive(Default)]
pub struct OwnStacks {
    calls: AtomicUsize,
}

impl OwnStacks {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn count(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        OWN.with(|own| own.set(own.get() + 1));
    }

    pub fn call(&self) -> bool {
        run(&mut || true)
    }

    #[track_caller]
    pub fn line(&self) -> bool {
        Location::caller().line() > 0
    }
}

fn run(what: &mut dyn FnMut() -> bool) -> bool {
    what()
}
