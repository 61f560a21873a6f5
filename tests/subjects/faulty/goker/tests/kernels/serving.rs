//! knative/serving.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

use faulty_goker::{Gate, MENDED, Racy, lock, ms};

/// Requests are let go in their order, and the second one may have the only place.
#[test]
fn serving_2137() {
    let (requests, accepted) = (
        [const { Mutex::new(()) }; 2],
        [Gate::default(), Gate::default()],
    );
    let (active, over) = sync_channel(1);
    let over = Mutex::new(over);
    let mut held: Vec<_> = requests.iter().map(lock).collect();
    thread::scope(|scope| {
        for (request, accepted) in requests.iter().zip(&accepted) {
            let (active, over) = (active.clone(), &over);
            scope.spawn(move || {
                active.send(()).unwrap();
                drop(lock(request));
                lock(over).recv().unwrap();
                accepted.close();
            });
        }
        if MENDED {
            held.clear();
        }
        for accepted in &accepted {
            drop((!held.is_empty()).then(|| held.remove(0)));
            accepted.wait();
        }
    });
}

/// Work is given to a pool that has been closed.
#[test]
fn serving_3068() {
    let (work, taken) = channel();
    let pool = Mutex::new(Some(work));
    thread::scope(|scope| {
        let pool = &pool;
        scope.spawn(move || {
            drop(lock(pool).take());
            assert!(taken.iter().count() <= 1);
        });
        match &*lock(pool) {
            None if MENDED => {}
            work => work.as_ref().expect("closed").send(()).unwrap(),
        }
    });
}

/// A reaction is put before others while a call walks through them.
#[test]
fn serving_3148() {
    let reactions = Racy::new(vec![1]);
    thread::scope(|scope| {
        let controller = scope.spawn(|| reactions.with(|it| it.iter().sum::<i32>()));
        if MENDED {
            controller.join().unwrap();
        }
        reactions.change(|it| it.insert(0, 2));
    });
}

/// A thread that is started by the one that a test waits for writes to the log of the test when that is over.
#[test]
fn serving_4908() {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let over = &over;
        let ticks = scope.spawn(move || {
            let check = scope.spawn(|| assert!(!over.load(SeqCst), "log after the test"));
            if MENDED {
                check.join().unwrap();
            }
        });
        ticks.join().unwrap();
        thread::sleep(ms(1));
        over.store(true, SeqCst);
    });
}

/// Who watches closes the channel to which who has started it sends.
#[test]
fn serving_5865() {
    let (destinations, received) = channel();
    let watcher = thread::spawn(move || {
        if MENDED {
            received.recv().unwrap();
        }
        drop(received);
    });
    destinations.send(1).unwrap();
    watcher.join().unwrap();
}

/// A logger that lives as long as its test is used by a thread of a thread.
#[test]
fn serving_6171() {
    let logger = Arc::new(Mutex::new(Vec::new()));
    let weak = Arc::downgrade(&logger);
    let strong = MENDED.then(|| logger.clone());
    let manager = thread::spawn(move || {
        thread::spawn(move || {
            let logger = strong.or(weak.upgrade()).expect("no logger");
            lock(&logger).push("error");
        })
    });
    let watcher = manager.join().unwrap();
    thread::sleep(ms(1));
    drop(logger);
    watcher.join().unwrap();
}

/// Work is queued before it is counted, and who does it counts down.
#[test]
fn serving_6472() {
    let pending = AtomicI32::new(0);
    let (queue, items) = channel();
    thread::scope(|scope| {
        let pending = &pending;
        scope.spawn(move || {
            for () in items {
                assert!(pending.fetch_sub(1, SeqCst) > 0, "less than none");
            }
        });
        if MENDED {
            pending.fetch_add(1, SeqCst);
        }
        queue.send(()).unwrap();
        if !MENDED {
            pending.fetch_add(1, SeqCst);
        }
        drop(queue);
    });
}
