//! etcd-io/etcd.

use std::collections::BTreeMap;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Mutex, RwLock};
use std::thread;

use faulty_goker::{Context, Gate, MENDED, Racy, lock, ms, run};
use tokio::select;
use tokio::sync::{mpsc, oneshot};

/// Renewing calls back under the lock, and the callback takes it.
#[test]
fn etcd_10492() {
    let lessor: Mutex<Option<u32>> = Mutex::new(None);
    thread::scope(|scope| {
        scope.spawn(|| *lock(&lessor) = Some(0));
        let renewed = lock(&lessor);
        if renewed.is_some() {
            if MENDED {
                drop(renewed);
            }
            *lock(&lessor) = Some(1);
        }
    });
}

/// Who finds the client closed returns without giving its read lock up, and closing locks once more.
#[test]
fn etcd_5509() {
    let closed = RwLock::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let client = closed.read().unwrap();
            if *client && !MENDED {
                mem::forget(client);
            }
        });
        *closed.write().unwrap() = true;
        drop(closed.write().unwrap());
    });
}

/// Endpoints are changed under a write lock, and looking for the leader reads it.
#[test]
fn etcd_6708() {
    let (client, by_leader) = (RwLock::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| by_leader.store(true, SeqCst));
        let mut endpoints = client.write().unwrap();
        *endpoints += 1;
        if by_leader.load(SeqCst) {
            if MENDED {
                drop(endpoints);
            }
            assert_eq!(*client.read().unwrap(), 1);
        }
    });
}

/// A status request reaches a node whose loop has ended. Nothing answers it.
#[test]
fn etcd_6857() {
    let (stop, done) = (Context::default(), Context::default());
    let (status, mut asked) = mpsc::channel::<oneshot::Sender<()>>(1);
    thread::scope(|scope| {
        scope.spawn(|| {
            run(async {
                loop {
                    select! {
                        Some(answer) = asked.recv() => drop(answer.send(())),
                        _ = stop.done() => break done.cancel(),
                    }
                }
            })
        });
        scope.spawn(|| {
            let (answer, answered) = oneshot::channel();
            run(async {
                status.send(answer).await.unwrap();
                select! {
                    _ = answered => {}
                    _ = done.done(), if MENDED => {}
                }
            })
        });
        thread::sleep(ms(1));
        stop.cancel();
    });
}

/// Stopping waits under a lock for a thread that needs it for the last update.
#[test]
fn etcd_6873() {
    let broadcasts = Mutex::new(0);
    let (updates, received) = sync_channel(1);
    thread::scope(|scope| {
        let broadcasts = &broadcasts;
        let coalesce =
            scope.spawn(move || received.iter().for_each(|it: i32| *lock(broadcasts) += it));
        updates.send(1).unwrap();
        scope.spawn(move || {
            let held = lock(broadcasts);
            drop(updates);
            if MENDED {
                drop(held);
            }
            coalesce.join().unwrap();
        });
    });
}

/// A balancer tells a full channel under its lock, which who reads the channel takes.
#[test]
fn etcd_7443() {
    let balancer = Mutex::new(0);
    let (notify, notified) = sync_channel(1);
    notify.send(0).unwrap();
    thread::scope(|scope| {
        for address in 1..=2 {
            let (notify, balancer) = (notify.clone(), &balancer);
            scope.spawn(move || {
                let mut pinned = lock(balancer);
                *pinned = address;
                if MENDED {
                    drop(pinned);
                }
                notify.send(address).unwrap();
            });
        }
        for _ in 0..3 {
            notified.recv().unwrap();
            *lock(&balancer) = 0;
        }
    });
}

/// Tokens are added under a lock that the keeper takes when its time has come.
#[test]
fn etcd_7492() {
    let tokens = Mutex::new(0);
    let (add, added) = sync_channel(1);
    thread::scope(|scope| {
        let tokens = &tokens;
        scope.spawn(move || {
            loop {
                match added.recv_timeout(ms(1)) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Timeout) => *lock(tokens) = 0,
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        });
        for _ in 0..3 {
            let add = add.clone();
            scope.spawn(move || {
                let mut held = lock(tokens);
                *held += 1;
                if MENDED {
                    drop(held);
                }
                add.send(()).unwrap();
            });
        }
        drop(add);
    });
}

/// Followers wait for the leader under the lock that the leader needs to let them go on.
#[test]
fn etcd_7902() {
    let (round, next) = (Mutex::new(0), Gate::default());
    thread::scope(|scope| {
        scope.spawn(|| {
            let held = lock(&round);
            if MENDED {
                drop(held);
            }
            next.wait();
        });
        *lock(&round) += 1;
        next.close();
    });
}

/// Channels are made by the thread that a server starts, and used by the server some time later.
#[test]
fn etcd_3077() {
    let node: Racy<Option<Sender<()>>> = Racy::default();
    let (stop, stopped) = channel();
    thread::scope(|scope| {
        if MENDED {
            node.change(|it| *it = Some(stop.clone()));
        }
        let node = &node;
        scope.spawn(move || {
            if !MENDED {
                node.change(|it| *it = Some(stop));
            }
            stopped.recv().unwrap();
        });
        thread::sleep(ms(10));
        node.with(|it| it.as_ref().unwrap().send(()).unwrap());
    });
}

/// A test sets the interval of reports while a watcher reads it.
#[test]
fn etcd_4876() {
    let (interval, seen) = (Racy::new(10), Mutex::new(0));
    thread::scope(|scope| {
        let watcher = scope.spawn(|| interval.with(|it| *lock(&seen) = *it));
        if MENDED {
            watcher.join().unwrap();
        }
        interval.change(|it| *it = 3);
    });
}

static REVOKE_RATE: Racy<usize> = Racy::new(1000);

/// A rate is put back at the end of a test, and a thread of the test still reads it.
#[test]
fn etcd_8194() {
    let before = REVOKE_RATE.change(|it| mem::replace(it, 10));
    let put_back = || REVOKE_RATE.change(|it| *it = before);
    let lessor = thread::spawn(|| REVOKE_RATE.with(|it| *it / 2));
    if !MENDED {
        put_back();
    }
    assert!(lessor.join().unwrap() > 0);
    put_back();
}

/// A buffer is emptied by one thread and read by another one.
#[test]
fn etcd_9446() {
    let (buffer, guard) = (Racy::new(BTreeMap::from([(1, 'a')])), Mutex::new(()));
    thread::scope(|scope| {
        scope.spawn(|| {
            let _held = lock(&guard);
            buffer.change(|it| it.clear());
        });
        let _held = MENDED.then(|| lock(&guard));
        assert!(buffer.with(|it| it.len()) <= 1);
    });
}
