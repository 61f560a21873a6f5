//! istio/istio.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Mutex, RwLock};
use std::thread;

use faulty_goker::{Context, Gate, MENDED, Racy, lock, ms, run};
use tokio::select;
use tokio::sync::mpsc;

/// A handler says under a lock that it is done, and who hears it takes the lock first.
#[test]
fn istio_16224() {
    let handled = Mutex::new(0);
    let (done, is_done) = sync_channel(0);
    let (events, received) = channel();
    thread::scope(|scope| {
        let handled = &handled;
        scope.spawn(move || {
            for event in received {
                let mut held = lock(handled);
                *held += event;
                if MENDED {
                    drop(held);
                }
                done.send(()).unwrap();
            }
        });
        events.send(1).unwrap();
        drop(lock(handled));
        is_done.recv().unwrap();
        drop(events);
    });
}

/// An agent ends with the last program that runs. A program that starts at that moment has no receiver for its end.
#[test]
fn istio_17860() {
    let active = Mutex::new(0);
    let (ended, statuses) = sync_channel(if MENDED { 2 } else { 0 });
    let statuses = Mutex::new(statuses);
    thread::scope(|scope| {
        scope.spawn(|| {
            loop {
                lock(&statuses).recv().unwrap();
                let mut active = lock(&active);
                *active -= 1;
                if *active == 0 {
                    break;
                }
            }
        });
        for epoch in 0..2 {
            *lock(&active) += 1;
            let ended = ended.clone();
            scope.spawn(move || ended.send(epoch).unwrap());
        }
    });
}

/// Who resets a timer that has run out takes its tick, which another branch may have taken.
#[test]
fn istio_18454() {
    let (stop, expired) = (Context::default(), AtomicBool::new(false));
    let ((tick, mut ticks), (reset, mut resets)) = (mpsc::channel(1), mpsc::channel(1));
    thread::scope(|scope| {
        scope.spawn(|| {
            expired.store(true, SeqCst);
            tick.try_send(()).unwrap();
        });
        scope.spawn(|| {
            reset.try_send(()).unwrap();
            thread::sleep(ms(1));
            stop.cancel();
        });
        run(async {
            loop {
                select! {
                    _ = ticks.recv() => {}
                    _ = resets.recv() => {
                        if MENDED {
                            let _ = ticks.try_recv();
                        } else if expired.load(SeqCst) {
                            ticks.recv().await;
                        }
                    }
                    _ = stop.done() => break,
                }
            }
        });
    });
}

/// Labels are set under a lock for readers, and read under none.
#[test]
fn istio_16742() {
    let (clients, labels) = (RwLock::new(()), Racy::new(vec![1, 2]));
    thread::scope(|scope| {
        scope.spawn(|| {
            if MENDED {
                let _held = clients.write().unwrap();
                return labels.change(|it| it.clear());
            }
            let _held = clients.read().unwrap();
            labels.change(|it| it.clear());
        });
        let _held = MENDED.then(|| clients.read().unwrap());
        assert!(labels.with(|it| it.len()) <= 2);
    });
}

/// A test reads how often it was called back while the thread that calls still counts.
#[test]
fn istio_8144() {
    let callbacks = Racy::new(0);
    thread::scope(|scope| {
        let evicter = scope.spawn(|| callbacks.change(|it| *it += 1));
        if MENDED {
            evicter.join().unwrap();
        }
        assert!(callbacks.with(|it| *it) <= 1);
    });
}

/// Statistics are counted under a lock and copied without.
#[test]
fn istio_8214() {
    let (writes, guard) = (Racy::new(0_u64), Mutex::new(()));
    let check = || {
        let held = lock(&guard);
        writes.change(|it| *it += 1);
        if !MENDED {
            drop(held);
        }
        assert!(writes.with(|it| *it) >= 1);
    };
    thread::scope(|scope| {
        scope.spawn(check);
        check();
    });
}

/// What is to be closed is taken away, and a thread that was started before looks for it.
#[test]
fn istio_8967() {
    let (gate, slot) = (Gate::default(), Mutex::new(None));
    *lock(&slot) = Some(&gate);
    thread::scope(|scope| {
        let early = lock(&slot).filter(|_| MENDED);
        let slot = &slot;
        scope.spawn(move || {
            let gate = early.or(*lock(slot));
            gate.expect("no channel").wait();
        });
        thread::sleep(ms(1));
        lock(slot).unwrap().close();
        *lock(slot) = None;
    });
}
