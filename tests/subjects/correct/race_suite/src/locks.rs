//! Ordered by locks and what is built on them.

use std::mem;
use std::sync::mpsc::{channel, sync_channel, Receiver, Sender, SyncSender};
use std::sync::{Barrier, Condvar, Mutex, Once, OnceLock, RwLock};
use std::time::Duration;

use crate::Place;

/// What the lock guards, and readers beside each other.
#[derive(Default)]
pub struct Guarded {
    mutex: Mutex<()>,
    rwlock: RwLock<()>,
    values: [Place<u64>; 2],
}

impl Guarded {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&self) {
        let _guard = self.mutex.lock().unwrap();
        unsafe { *self.values[0].at() += 1 };
    }

    pub fn try_add(&self) {
        if let Ok(_guard) = self.mutex.try_lock() {
            unsafe { *self.values[0].at() += 1 };
        }
    }

    pub fn write(&self) {
        let _guard = self.rwlock.write().unwrap();
        unsafe { *self.values[1].at() += 1 };
    }

    pub fn read(&self) -> bool {
        let one = self.rwlock.read().unwrap();
        let read = unsafe { *self.values[1].at() };
        drop(one);
        let _other = self.rwlock.read().unwrap();
        read <= unsafe { *self.values[1].at() }
    }
}

/// A guard that is never dropped.
#[derive(Default)]
pub struct Leaked {
    lock: Mutex<i32>,
}

impl Leaked {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn leak(&self) {
        if let Ok(mut guard) = self.lock.try_lock() {
            *guard = 5;
            mem::forget(guard);
        }
    }
}

/// Made by whoever comes first.
pub struct MadeOnce {
    once: Once,
    value: Place<u64>,
    cell: OnceLock<Box<u64>>,
}

impl MadeOnce {
    pub fn new() -> Self {
        Self {
            once: Once::new(),
            value: Place::new(0),
            cell: OnceLock::new(),
        }
    }

    pub fn get(&self) -> u64 {
        self.once.call_once(|| unsafe { *self.value.at() = 7 });
        unsafe { *self.value.at() }
    }

    pub fn look(&self) {
        if self.once.is_completed() {
            assert_eq!(unsafe { *self.value.at() }, 7);
        }
    }

    pub fn cell(&self) -> u64 {
        **self.cell.get_or_init(|| Box::new(7))
    }
}

impl Default for MadeOnce {
    fn default() -> Self {
        Self::new()
    }
}

/// A condition variable's mutex orders what is handed over.
#[derive(Default)]
pub struct HandOff {
    full: Mutex<bool>,
    changed: Condvar,
    value: Place<u64>,
}

impl HandOff {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn put(&self) {
        let mut full = self.full.lock().unwrap();
        if !*full {
            unsafe { *self.value.at() = 7 };
            *full = true;
        }
        drop(full);
        self.changed.notify_one();
    }

    pub fn take(&self) -> u64 {
        let mut full = self.full.lock().unwrap();
        while !*full {
            full = self.changed.wait(full).unwrap();
        }
        *full = false;
        unsafe { mem::replace(&mut *self.value.at(), 0) }
    }

    pub fn take_in_time(&self) -> bool {
        let full = self.full.lock().unwrap();
        let wait = Duration::from_millis(10);
        let (mut full, _) = self
            .changed
            .wait_timeout_while(full, wait, |full| !*full)
            .unwrap();
        if mem::replace(&mut *full, false) {
            unsafe { *self.value.at() = 0 };
        }
        true
    }
}

/// Everybody writes their own before the barrier and reads all after it.
pub struct Meeting {
    barrier: Barrier,
    values: [Place<u64>; 2],
    places: Mutex<usize>,
}

impl Meeting {
    pub fn new() -> Self {
        Self {
            barrier: Barrier::new(2),
            values: Default::default(),
            places: Mutex::new(0),
        }
    }

    pub fn meet(&self) {
        let place = {
            let mut places = self.places.lock().unwrap();
            *places += 1;
            *places - 1
        };
        if let Some(own) = self.values.get(place) {
            unsafe { *own.at() = 7 };
            self.barrier.wait();
            for value in &self.values {
                assert_eq!(unsafe { *value.at() }, 7);
            }
        }
    }
}

impl Default for Meeting {
    fn default() -> Self {
        Self::new()
    }
}

/// Channels carry boxes, and an end that is dropped ends them.
pub struct Letters {
    sender: Mutex<Option<Sender<Box<u64>>>>,
    receiver: Mutex<Receiver<Box<u64>>>,
    few: SyncSender<u64>,
    few_receiver: Mutex<Receiver<u64>>,
    value: Place<u64>,
}

impl Letters {
    pub fn new() -> Self {
        let (sender, receiver) = channel();
        let (few, few_receiver) = sync_channel(1);
        Self {
            sender: Mutex::new(Some(sender)),
            receiver: Mutex::new(receiver),
            few,
            few_receiver: Mutex::new(few_receiver),
            value: Place::new(0),
        }
    }

    /// Writes, sends, and hangs up.
    pub fn send(&self) {
        let sender = self.sender.lock().unwrap().take();
        if let Some(sender) = sender {
            unsafe { *self.value.at() = 7 };
            sender.send(Box::new(7)).unwrap();
        }
    }

    /// Receives what was sent, or the end of all sending.
    pub fn receive(&self) {
        if let Ok(letter) = self.receiver.lock().unwrap().recv() {
            assert_eq!(*letter, 7);
        }
        assert_eq!(unsafe { *self.value.at() }, 7);
    }

    pub fn send_few(&self) -> bool {
        self.few.try_send(7).is_ok()
    }

    pub fn receive_few(&self) -> Option<u64> {
        self.few_receiver.lock().unwrap().try_recv().ok()
    }
}

impl Default for Letters {
    fn default() -> Self {
        Self::new()
    }
}
