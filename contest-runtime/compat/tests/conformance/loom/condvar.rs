//! loom `tests/condvar.rs`.

use std::sync::Arc;

use contest::sync::atomic::{AtomicBool, Ordering};
use contest::sync::{Condvar, Mutex};
use contest::thread;

use crate::runs::{join_all, passes};

/// A gate whose state is an atomic beside the mutex: the mutex is only taken so that no waiter misses the notification.
#[derive(Default)]
struct Gate {
    open: AtomicBool,
    mutex: Mutex<()>,
    condvar: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut guard = self.mutex.lock().unwrap();
        while !self.open.load(Ordering::SeqCst) {
            guard = self.condvar.wait(guard).unwrap();
        }
    }

    fn open(&self, notify: fn(&Condvar)) {
        self.open.store(true, Ordering::SeqCst);
        drop(self.mutex.lock().unwrap());
        notify(&self.condvar);
    }
}

#[test]
fn one_notification_lets_one_waiter_go_on() {
    passes(|| {
        let gate = Arc::new(Gate::default());
        let theirs = Arc::clone(&gate);
        thread::spawn(move || theirs.open(Condvar::notify_one));
        gate.pass();
    });
}

#[test]
fn a_notification_to_all_lets_all_waiters_go_on() {
    passes(|| {
        let gate = Arc::new(Gate::default());
        let waiters = [(); 2].map(|()| {
            let gate = Arc::clone(&gate);
            thread::spawn(move || gate.pass())
        });
        let theirs = Arc::clone(&gate);
        thread::spawn(move || theirs.open(Condvar::notify_all))
            .join()
            .unwrap();
        join_all(waiters);
    });
}
