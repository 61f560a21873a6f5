//! Bugs that need another thread between two accesses which no lock holds together.

use std::sync::Arc;

use contest::sync::Mutex;
use contest::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};

use super::{Program, asserts, run_all, threads};

pub(super) const PROGRAMS: [Program; 16] = [
    asserts("bluetooth_driver", bluetooth_driver),
    asserts("token_ring", token_ring),
    asserts("stringbuffer", stringbuffer),
    asserts("wronglock", || wronglock(7)),
    asserts("wronglock_3", || wronglock(3)),
    asserts("twostage", || twostage(1)),
    asserts("twostage_20", || twostage(19)),
    asserts("twostage_50", || twostage(49)),
    asserts("twostage_100", || twostage(99)),
    asserts("reorder_3", || reorder(2, 1)),
    asserts("reorder_4", || reorder(3, 1)),
    asserts("reorder_5", || reorder(4, 1)),
    asserts("reorder_10", || reorder(9, 1)),
    asserts("reorder_20", || reorder(10, 10)),
    asserts("reorder_50", || reorder(49, 1)),
    asserts("reorder_100", || reorder(99, 1)),
];

/// A driver that is stopped between the look at its stopping flag and the count of what is under way.
fn bluetooth_driver() {
    struct Device {
        pending: AtomicI32,
        stopping: AtomicBool,
        stopping_event: AtomicBool,
        stopped: AtomicBool,
    }
    impl Device {
        fn decrement(&self) {
            if self.pending.fetch_sub(1, SeqCst) == 1 {
                self.stopping_event.store(true, SeqCst);
            }
        }
    }
    let device = Arc::new(Device {
        pending: AtomicI32::new(1),
        stopping: AtomicBool::new(false),
        stopping_event: AtomicBool::new(false),
        stopped: AtomicBool::new(false),
    });
    let theirs = Arc::clone(&device);
    let stopper = contest::thread::spawn(move || {
        theirs.stopping.store(true, SeqCst);
        theirs.decrement();
        if theirs.stopping_event.load(SeqCst) {
            theirs.stopped.store(true, SeqCst);
        }
    });
    if !device.stopping.load(SeqCst) {
        device.pending.fetch_add(1, SeqCst);
        assert!(!device.stopped.load(SeqCst));
    }
    device.decrement();
    stopper.join().unwrap();
}

/// Three threads hand a number on; the fourth sees that it did not arrive.
fn token_ring() {
    struct Ring {
        x: [i32; 3],
        done: [bool; 3],
    }
    let ring = Ring {
        x: [1, 2, 1],
        done: [false; 3],
    };
    threads!(Mutex::new(ring);
        |ring: &Mutex<Ring>| {
            let mut ring = ring.lock().unwrap();
            ring.x[0] = (ring.x[2] + 1) % 4;
            ring.done[0] = true;
        },
        |ring: &Mutex<Ring>| {
            let mut ring = ring.lock().unwrap();
            ring.x[1] = ring.x[0];
            ring.done[1] = true;
        },
        |ring: &Mutex<Ring>| {
            let mut ring = ring.lock().unwrap();
            ring.x[2] = ring.x[1];
            ring.done[2] = true;
        },
        |ring: &Mutex<Ring>| {
            let ring = ring.lock().unwrap();
            if ring.done == [true; 3] {
                assert!(ring.x[0] == ring.x[1] && ring.x[1] == ring.x[2]);
            }
        },
    );
}

/// JDK 1.4: `append` reads the length of the other buffer and its characters in two steps.
fn stringbuffer() {
    type Buffers = (Mutex<String>, Mutex<String>);
    threads!((Mutex::new("abc".to_owned()), Mutex::new("abc".to_owned()));
        |(one, other): &Buffers| {
            let mut one = one.lock().unwrap();
            let length = other.lock().unwrap().len();
            let other = other.lock().unwrap();
            assert!(length <= other.len());
            one.push_str(&other[..length]);
        },
        |(_, other): &Buffers| {
            other.lock().unwrap().clear();
            other.lock().unwrap().push_str("abc");
        },
    );
}

/// One thread adds under one lock, the others under another.
fn wronglock(others: usize) {
    struct Data {
        value: AtomicI32,
        data_lock: Mutex<()>,
        other_lock: Mutex<()>,
    }
    impl Data {
        fn increment(&self) {
            self.value.store(self.value.load(SeqCst) + 1, SeqCst);
        }
    }
    let data = Arc::new(Data {
        value: AtomicI32::new(0),
        data_lock: Mutex::new(()),
        other_lock: Mutex::new(()),
    });
    let first = Arc::clone(&data);
    let mut bodies: Vec<Box<dyn FnOnce() + Send>> = vec![Box::new(move || {
        let _held = first.data_lock.lock().unwrap();
        let before = first.value.load(SeqCst);
        first.increment();
        assert_eq!(first.value.load(SeqCst), before + 1);
    })];
    for _ in 0..others {
        let data = Arc::clone(&data);
        bodies.push(Box::new(move || {
            let _held = data.other_lock.lock().unwrap();
            data.increment();
        }));
    }
    run_all(bodies);
}

/// Writers write under one lock and then, from that, under another; the reader reads between.
fn twostage(writers: usize) {
    let data = Arc::new((Mutex::new(0), Mutex::new(0)));
    let mut bodies: Vec<Box<dyn FnOnce() + Send>> = Vec::new();
    for _ in 0..writers {
        let data = Arc::clone(&data);
        bodies.push(Box::new(move || {
            *data.0.lock().unwrap() = 1;
            // In C the first value is read without its lock here; by then it is 1 for ever.
            *data.1.lock().unwrap() = 2;
        }));
    }
    bodies.push(Box::new(move || {
        let first = *data.0.lock().unwrap();
        if first != 0 {
            assert_eq!(*data.1.lock().unwrap(), first + 1);
        }
    }));
    run_all(bodies);
}

/// Setters write two variables; a checker looks between the writes of the first setter, before any other.
fn reorder(setters: usize, checkers: usize) {
    let shared = Arc::new((AtomicI32::new(0), AtomicI32::new(0)));
    let mut bodies: Vec<Box<dyn FnOnce() + Send>> = Vec::new();
    for _ in 0..setters {
        let shared = Arc::clone(&shared);
        bodies.push(Box::new(move || {
            shared.0.store(1, SeqCst);
            shared.1.store(-1, SeqCst);
        }));
    }
    for _ in 0..checkers {
        let shared = Arc::clone(&shared);
        bodies.push(Box::new(move || {
            let (a, b) = (&shared.0, &shared.1);
            let untouched = a.load(SeqCst) == 0 && b.load(SeqCst) == 0;
            assert!(untouched || (a.load(SeqCst) == 1 && b.load(SeqCst) == -1));
        }));
    }
    run_all(bodies);
}
