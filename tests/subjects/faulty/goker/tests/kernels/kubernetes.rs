//! kubernetes/kubernetes: what waits for ever.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Condvar, Mutex, RwLock};
use std::thread;

use faulty_goker::{Context, Gate, MENDED, lock, ms, run};
use tokio::select;
use tokio::sync::mpsc;

/// A status is sent under the lock that who receives it takes.
#[test]
fn kubernetes_10182() {
    let statuses = Mutex::new(0);
    let (changes, changed) = sync_channel(0);
    thread::scope(|scope| {
        for status in 1..=2 {
            let (changes, statuses) = (changes.clone(), &statuses);
            scope.spawn(move || {
                let mut held = lock(statuses);
                *held = status;
                if MENDED {
                    drop(held);
                }
                changes.send(status).unwrap();
            });
        }
        for _ in 0..2 {
            changed.recv().unwrap();
            *lock(&statuses) = 0;
        }
    });
}

/// A condition is signalled without the lock and without a word of what has happened.
#[test]
fn kubernetes_11298() {
    let (notifier, condition) = (Mutex::new(()), Condvar::new());
    thread::scope(|scope| {
        let waiting = lock(&notifier);
        scope.spawn(|| {
            let _held = MENDED.then(|| lock(&notifier));
            condition.notify_one();
        });
        drop(condition.wait(waiting).unwrap());
    });
}

/// Caching takes the cacher and then the cache, an event the cache and then the cacher.
#[test]
fn kubernetes_13135() {
    let (cacher, cache) = (Mutex::new(0), RwLock::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            let held = lock(&cacher);
            if MENDED {
                drop(held);
            }
            *cache.write().unwrap() += 1;
        });
        let _event = cache.write().unwrap();
        *lock(&cacher) += 1;
    });
}

/// Events are sent under the lock that who listens takes to listen no more.
#[test]
fn kubernetes_1321() {
    let watchers = Mutex::new(BTreeMap::new());
    let (results, received) = sync_channel(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            for sender in lock(&watchers).values() {
                if MENDED {
                    let _: Result<(), _> = results.try_send(*sender);
                } else {
                    results.send(*sender).unwrap();
                }
            }
        });
        lock(&watchers).insert(1, 'a');
        lock(&watchers).remove(&1);
    });
    drop(received);
}

/// An error cancels who reads the results before it is sent as one.
#[test]
fn kubernetes_25331() {
    let stopped = Context::default();
    let (results, mut read) = mpsc::channel(1);
    thread::scope(|scope| {
        scope.spawn(|| {
            if !MENDED {
                stopped.cancel();
            }
            (0..2).for_each(|it| run(results.send(it)).unwrap());
            stopped.cancel();
        });
        run(async {
            for _ in 0..2 {
                select! {
                    _ = read.recv() => {}
                    _ = stopped.done() => break,
                }
            }
        });
    });
}

/// A listener waits for its end under the lock of its notifications.
#[test]
fn kubernetes_26980() {
    let (pending, stop) = (Mutex::new(vec![1]), Gate::default());
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut notifications = lock(&pending);
            notifications.pop();
            if MENDED {
                drop(notifications);
            }
            stop.wait();
        });
        lock(&pending).push(2);
        stop.close();
    });
}

/// A controller asks its queue whether it is synchronised, and the queue calls the controller, each under its lock.
#[test]
fn kubernetes_30872() {
    let (informer, queue) = (Mutex::new(0), RwLock::new(vec![1]));
    let synced = || {
        let clusters = lock(&informer);
        if MENDED {
            drop(clusters);
        }
        queue.read().unwrap().is_empty()
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut items = queue.write().unwrap();
            items.pop().iter().for_each(|it| *lock(&informer) += it);
        });
        synced();
    });
}

/// The first events are sent to who may have stopped reading.
#[test]
fn kubernetes_38669() {
    let stopped = AtomicBool::new(false);
    let (results, read) = sync_channel(if MENDED { 2 } else { 0 });
    let read = Mutex::new(read);
    thread::scope(|scope| {
        scope.spawn(|| (1..=2).for_each(|it| results.send(it).unwrap()));
        scope.spawn(|| stopped.store(true, SeqCst));
        for _ in 0..2 {
            if stopped.load(SeqCst) {
                break;
            }
            lock(&read).recv().unwrap();
        }
    });
}

/// Who waits for an answer with a time limit leaves who sends it alone.
#[test]
fn kubernetes_5316() {
    let (done, is_done) = sync_channel(if MENDED { 1 } else { 0 });
    let is_done = Mutex::new(is_done);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(ms(5));
            done.send(()).unwrap();
        });
        let _ = lock(&is_done).recv_timeout(ms(20));
    });
}

/// A worker waits for its queue under a read lock, and who fills the queue reads the lock behind a writer.
#[test]
fn kubernetes_58107() {
    let workers = RwLock::new(0);
    let (put, get) = channel();
    thread::scope(|scope| {
        let workers = &workers;
        scope.spawn(move || {
            let _running = workers.read().unwrap();
            put.send(()).unwrap();
        });
        scope.spawn(move || *workers.write().unwrap() += 1);
        let held = workers.read().unwrap();
        if MENDED {
            drop(held);
        }
        get.recv().unwrap();
    });
}

/// A set of processors is read under a read lock that has been taken for the same.
#[test]
fn kubernetes_62464() {
    let state = RwLock::new(BTreeMap::from([(1, 'a')]));
    let get = |id| state.read().unwrap().get(&id).copied();
    let get_or_default = |id| {
        let held = state.read().unwrap();
        if MENDED {
            drop(held);
        }
        get(id).or_else(|| get(0))
    };
    thread::scope(|scope| {
        scope.spawn(|| state.write().unwrap().insert(0, 'b'));
        assert!(get_or_default(1).is_some());
    });
}

/// Frames wait under a lock for who watches idle connections, which takes the lock to end.
#[test]
fn kubernetes_6632() {
    let open = Mutex::new(true);
    let (reset, resets) = sync_channel(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let held = lock(&open);
            match *held {
                true if MENDED => drop(reset.try_send(())),
                true => reset.send(()).unwrap(),
                false => {}
            }
        });
        *lock(&open) = false;
    });
    drop(resets);
}

/// What polls for a condition ends with a channel that is not closed where the condition holds at once.
#[test]
fn kubernetes_70277() {
    let (ready, done) = (AtomicBool::new(false), Gate::default());
    thread::scope(|scope| {
        scope.spawn(|| done.wait());
        scope.spawn(|| ready.store(true, SeqCst));
        if ready.load(SeqCst) && !MENDED {
            return;
        }
        done.close();
    });
}
