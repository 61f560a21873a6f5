//! cockroachdb/cockroach.

use std::collections::BTreeSet;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, RwLock};
use std::thread;

use faulty_goker::{Context, Gate, MENDED, Racy, WaitGroup, lock, ms, run};
use tokio::select;
use tokio::sync::mpsc::channel;

/// Queued heartbeats are sent under their lock, and each takes the lock of a replica. A tick takes them the other way.
#[test]
fn cockroach_10214() {
    let (queued, raft) = (Mutex::new(2), Mutex::new(()));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut waiting = lock(&queued);
            let number = mem::take(&mut *waiting);
            if MENDED {
                drop(waiting);
            }
            (0..number).for_each(|_| drop(lock(&raft)));
        });
        let _tick = lock(&raft);
        drop(lock(&queued));
    });
}

/// Stopping waits for workers under the lock that a worker takes when it begins a task.
#[test]
fn cockroach_1055() {
    let (draining, state) = (AtomicBool::new(false), Mutex::new(0));
    let workers = WaitGroup::default();
    workers.add(1);
    thread::scope(|scope| {
        scope.spawn(|| {
            if !draining.load(SeqCst) {
                *lock(&state) += 1;
            }
            workers.done();
        });
        let held = lock(&state);
        draining.store(true, SeqCst);
        if MENDED {
            drop(held);
        }
        workers.wait();
    });
}

/// Who is cancelled reads the rest of a channel, into which a cancelled sender puts no more.
#[test]
fn cockroach_10790() {
    let cancelled = Context::default();
    let (sender, mut receiver) = channel(1);
    thread::scope(|scope| {
        scope.spawn(|| {
            run(async {
                for _ in 0..2 {
                    select! {
                        _ = sender.send(()) => {}
                        _ = cancelled.done() => break,
                    }
                }
            })
        });
        scope.spawn(|| {
            run(async {
                for _ in 0..2 {
                    select! {
                        _ = receiver.recv() => {}
                        _ = cancelled.done() => {
                            if !MENDED {
                                receiver.recv().await;
                            }
                            break;
                        }
                    }
                }
            })
        });
        thread::sleep(ms(1));
        cancelled.cancel();
    });
}

/// A transaction's thread waits for its context, which is cancelled only if the transaction is rolled back.
#[test]
fn cockroach_13197() {
    let (transaction, broken) = (Gate::default(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| transaction.wait());
        scope.spawn(|| broken.store(true, SeqCst));
        if MENDED || !broken.load(SeqCst) {
            transaction.close();
        }
    });
}

/// The rows of a query are not closed once they have been taken. Their thread waits until they are closed.
#[test]
fn cockroach_13755() {
    let (rows, taken) = (Gate::default(), Mutex::new(None));
    thread::scope(|scope| {
        scope.spawn(|| rows.wait());
        scope.spawn(|| *lock(&taken) = Some(()));
        let untaken = lock(&taken).is_none();
        if untaken || MENDED {
            rows.close();
        }
    });
}

/// A sender of events looks whether all is stopped and then sends. Who receives has seen that and left.
#[test]
fn cockroach_1462() {
    let stopped = Context::default();
    let (sender, mut receiver) = channel(1);
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..3 {
                if stopped.is_done() {
                    break;
                }
                run(async {
                    select! {
                        _ = sender.send(()) => {}
                        _ = stopped.done(), if MENDED => {}
                    }
                });
            }
        });
        scope.spawn(|| {
            run(async {
                for _ in 0..3 {
                    select! {
                        _ = receiver.recv() => {}
                        _ = stopped.done() => break,
                    }
                }
            })
        });
        thread::sleep(ms(1));
        stopped.cancel();
    });
}

/// A lock is read twice by one thread, and a writer comes between.
#[test]
fn cockroach_16167() {
    let configuration = RwLock::new(1);
    thread::scope(|scope| {
        scope.spawn(|| *configuration.write().unwrap() = 2);
        let first = configuration.read().unwrap();
        if MENDED {
            drop(first);
        }
        assert!(*configuration.read().unwrap() > 0);
    });
}

/// Cancelling ends who receives, not who sends.
#[test]
fn cockroach_18101() {
    let cancelled = Context::default();
    let (ready, mut spans) = channel(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            run(async {
                for _ in 0..4 {
                    select! {
                        _ = ready.send(()) => {}
                        _ = cancelled.done(), if MENDED => break,
                    }
                }
            })
        });
        scope.spawn(|| {
            thread::sleep(ms(1));
            cancelled.cancel()
        });
        run(async {
            for _ in 0..4 {
                select! {
                    _ = spans.recv() => {}
                    _ = cancelled.done() => break,
                }
            }
        });
    });
}

/// Two loops send to each other, and both channels are full.
#[test]
fn cockroach_2448() {
    let (events, received) = sync_channel(if MENDED { 4 } else { 1 });
    let (callbacks, called) = sync_channel(1);
    thread::scope(|scope| {
        scope.spawn(move || {
            for event in received {
                callbacks.send(event).unwrap();
            }
        });
        let mut seen = 0;
        for event in 0..4 {
            if event % 2 == 0 {
                seen += usize::from(called.try_recv().is_ok());
            }
            events.send(event).unwrap();
        }
        drop(events);
        assert_eq!(seen + called.iter().count(), 4);
    });
}

/// The first message is sent before who receives it has been started, and the channel has one already.
#[test]
fn cockroach_24808() {
    let (wake, woken) = sync_channel(1);
    thread::scope(|scope| {
        let suggest = wake.clone();
        scope.spawn(move || suggest.try_send(()));
        if MENDED {
            let _ = wake.try_send(());
        } else {
            wake.send(()).unwrap();
        }
        drop(wake);
        scope.spawn(move || woken.iter().count());
    });
}

/// A queue waits for the end, which comes when the queue is done.
#[test]
fn cockroach_25456() {
    let (quiesce, replica) = (Gate::default(), AtomicBool::new(true));
    thread::scope(|scope| {
        let queue = scope.spawn(|| {
            if replica.load(SeqCst) {
                quiesce.wait();
            }
        });
        replica.store(false, SeqCst);
        if MENDED {
            return quiesce.close();
        }
        queue.join().unwrap();
        quiesce.close();
    });
}

/// Who closes a full channel of rows makes place for one sender, and two have seen it open.
#[test]
fn cockroach_35073() {
    let closed = AtomicBool::new(false);
    let (rows, taken) = sync_channel(1);
    let mut taken = Some(taken);
    rows.send(0).unwrap();
    thread::scope(|scope| {
        for row in 1..=2 {
            let (rows, closed) = (rows.clone(), &closed);
            scope.spawn(move || {
                if !closed.load(SeqCst) {
                    let _ = rows.send(row);
                }
            });
        }
        closed.store(true, SeqCst);
        let _ = taken.as_ref().map(|it| it.try_recv());
        if MENDED {
            taken = None;
        }
    });
    drop(taken);
}

/// A flow is cancelled under the lock of all flows: errors are sent to a full channel, and who reads it needs the lock.
#[test]
fn cockroach_35931() {
    let flows = Mutex::new(());
    let (left, received) = sync_channel(1);
    thread::scope(|scope| {
        let rows = left.clone();
        scope.spawn(move || rows.send("row").unwrap());
        scope.spawn(|| {
            let held = lock(&flows);
            if MENDED {
                drop(held);
            }
            left.send("cancelled").unwrap();
        });
        drop(lock(&flows));
        assert_eq!(received.iter().take(2).count(), 2);
    });
}

/// A lock is read once more in a function that another one calls under it and under a second lock.
#[test]
fn cockroach_3710() {
    let (store, queue) = (RwLock::new(vec![1, 2]), Mutex::new(0));
    let status = || store.read().unwrap().len();
    thread::scope(|scope| {
        scope.spawn(|| store.write().unwrap().push(3));
        let replicas = store.read().unwrap();
        let known = replicas.len();
        if MENDED {
            drop(replicas);
        }
        let mut added = lock(&queue);
        *added += status();
        assert!(*added >= known);
    });
}

/// A function that leaves a loop early keeps the lock.
#[test]
fn cockroach_584() {
    let closed = Mutex::new(false);
    let step = || {
        let state = lock(&closed);
        if *state && !MENDED {
            mem::forget(state);
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| *lock(&closed) = true);
        step();
        step();
        drop(lock(&closed));
    });
}

/// What is printed under a read lock reads it again.
#[test]
fn cockroach_6181() {
    let ranges = RwLock::new(0);
    let show = || ranges.read().unwrap().to_string();
    let look_up = || {
        let held = ranges.read().unwrap();
        if MENDED {
            drop(held);
        }
        assert!(!show().is_empty());
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            look_up();
            *ranges.write().unwrap() += 1;
        });
        look_up();
    });
}

/// Looking a name up takes the cache and then the lease, giving it up the lease and then the cache.
#[test]
fn cockroach_7504() {
    let (cache, lease) = (Mutex::new(BTreeSet::from([7])), Mutex::new(7));
    thread::scope(|scope| {
        scope.spawn(|| {
            let held = lock(&lease);
            let id = *held;
            if MENDED {
                drop(held);
            }
            lock(&cache).remove(&id);
        });
        let names = lock(&cache);
        if names.contains(&7) {
            assert_eq!(*lock(&lease), 7);
        }
    });
}

/// An error while a line is written is written by a function that takes the lock of the log again.
#[test]
fn cockroach_9935() {
    let (log, full) = (Mutex::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| full.store(true, SeqCst));
        let lines = lock(&log);
        if full.load(SeqCst) {
            if MENDED {
                drop(lines);
            }
            *lock(&log) += 1;
        }
    });
}

/// Threads read the variable of the loop that starts them.
#[test]
fn cockroach_35501() {
    let (check, validated) = (Racy::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        let (shared, validated) = (&check, &validated);
        for number in 0..2 {
            if !MENDED {
                shared.change(|it| *it = number);
            }
            scope.spawn(move || {
                let own = if MENDED {
                    number
                } else {
                    shared.with(|it| *it)
                };
                lock(validated).push(own);
            });
        }
    });
    assert_eq!(lock(&validated).len(), 2);
}

/// A worker counts itself after it has been started. Who waits for none meanwhile goes on.
#[test]
fn cockroach_4407() {
    let (workers, stopped) = (WaitGroup::default(), AtomicBool::new(false));
    if MENDED {
        workers.add(1);
    }
    thread::scope(|scope| {
        scope.spawn(|| {
            if !MENDED {
                workers.add(1);
            }
            assert!(!stopped.load(SeqCst));
            workers.done();
        });
        thread::sleep(ms(1));
        workers.wait();
        stopped.store(true, SeqCst);
    });
}
