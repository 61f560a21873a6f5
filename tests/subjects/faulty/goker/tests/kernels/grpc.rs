//! grpc/grpc-go.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use faulty_goker::{Context, Gate, MENDED, Racy, lock, ms, run};
use tokio::select;
use tokio::sync::mpsc;

/// A stream that is closed tells a reader only if there is one already.
#[test]
fn grpc_1275() {
    let reading = AtomicBool::new(false);
    let (buffer, read) = channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            if MENDED || reading.load(SeqCst) {
                buffer.send(()).unwrap();
            }
        });
        reading.store(true, SeqCst);
        read.recv().unwrap();
    });
}

/// Addresses are sent under a lock that who receives them takes for the addresses before.
#[test]
fn grpc_1353() {
    let robin = Mutex::new(0);
    let (addresses, updates) = sync_channel(if MENDED { 2 } else { 0 });
    thread::scope(|scope| {
        let robin = &robin;
        scope.spawn(move || {
            for address in 1..=2 {
                let mut current = lock(robin);
                *current = address;
                addresses.send(address).unwrap();
            }
        });
        for _ in updates {
            *lock(robin) = 0;
        }
    });
}

/// A watcher says that it is done after the first address, and there may be none.
#[test]
fn grpc_1424() {
    let (closing, done) = (AtomicBool::new(false), Context::default());
    let (addresses, notified) = channel();
    thread::scope(|scope| {
        let (closing, done) = (&closing, &done);
        scope.spawn(move || {
            for () in notified {
                done.cancel();
            }
            if MENDED {
                done.cancel();
            }
        });
        scope.spawn(|| closing.store(true, SeqCst));
        if !closing.load(SeqCst) {
            addresses.send(()).unwrap();
        }
        drop(addresses);
        run(done.done());
    });
}

/// Keeping a connection alive waits for the first stream under the lock that a new stream takes.
#[test]
fn grpc_1460() {
    let streams = Mutex::new(0);
    let (awaken, awakened) = sync_channel(1);
    thread::scope(|scope| {
        let streams = &streams;
        scope.spawn(move || {
            let held = lock(streams);
            if *held == 0 {
                if MENDED {
                    drop(held);
                }
                awakened.recv().unwrap();
            }
        });
        *lock(streams) += 1;
        let _ = awaken.try_send(());
        thread::sleep(ms(1));
    });
}

/// A timer that comes too late keeps the lock.
#[test]
fn grpc_3017() {
    let (cache, fired) = (Mutex::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            fired.store(true, SeqCst);
            let aborted = lock(&cache);
            if *aborted && !MENDED {
                mem::forget(aborted);
            }
        });
        {
            let mut aborted = lock(&cache);
            *aborted = fired.load(SeqCst);
        }
        drop(lock(&cache));
    });
}

/// A loop is stopped while its workers wait for a receiver of their results.
#[test]
fn grpc_660() {
    let stop = Context::default();
    let (done, mut results) = mpsc::channel(if MENDED { 2 } else { 1 });
    thread::scope(|scope| {
        for call in 0..2 {
            let done = done.clone();
            scope.spawn(move || run(done.send(call)).unwrap());
        }
        scope.spawn(|| {
            thread::sleep(ms(1));
            stop.cancel();
        });
        run(async {
            for _ in 0..2 {
                select! {
                    _ = results.recv() => {}
                    _ = stop.done() => break,
                }
            }
        });
    });
}

/// A server that is stopped a second time locks twice.
#[test]
fn grpc_795() {
    let (draining, serving) = (Mutex::new(false), AtomicBool::new(true));
    let stop = || {
        let mut drained = lock(&draining);
        if *drained {
            if MENDED {
                return;
            }
            drop(lock(&draining));
        }
        *drained = true;
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            if serving.load(SeqCst) {
                stop();
            }
        });
        serving.store(false, SeqCst);
        stop();
    });
}

/// A connection is closed only if dialling was cancelled by then, and its thread waits for that.
#[test]
fn grpc_862() {
    let (dialling, connection) = (Context::default(), Gate::default());
    thread::scope(|scope| {
        scope.spawn(|| connection.wait());
        scope.spawn(|| {
            if MENDED || dialling.is_done() {
                connection.close();
            }
        });
        dialling.cancel();
    });
}

/// A write looks whether the transport is closed, and then sends to what has been closed meanwhile.
#[test]
fn grpc_1687() {
    let (writes, written) = channel();
    let (writes, closed) = (Mutex::new(Some(writes)), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            closed.store(true, SeqCst);
            lock(&writes).take();
        });
        if !closed.load(SeqCst) {
            match &*lock(&writes) {
                None if MENDED => {}
                writes => writes.as_ref().expect("closed").send(()).unwrap(),
            }
        }
    });
    drop(written);
}

static CONNECT_TIMEOUT: Racy<u64> = Racy::new(20);

/// A test puts a time limit back while a transport still reads it.
#[test]
fn grpc_1748() {
    let put_back = || CONNECT_TIMEOUT.change(|it| *it = 20);
    let monitor = thread::spawn(|| CONNECT_TIMEOUT.with(|it| *it));
    if !MENDED {
        put_back();
    }
    assert!(monitor.join().unwrap() > 0);
    put_back();
}

/// Closing a connection takes its balancer away, which a watcher uses.
#[test]
fn grpc_2371() {
    let balancer = Mutex::new(Some(vec![1]));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut balancer = lock(&balancer);
            match balancer.as_mut() {
                None if MENDED => {}
                balancer => balancer.expect("no balancer").push(2),
            }
        });
        thread::sleep(ms(1));
        *lock(&balancer) = None;
    });
}

/// A resolver is used by a thread that starts before the resolver is complete.
#[test]
fn grpc_3090() {
    let (resolver, building) = (Arc::new(OnceLock::new()), Arc::new(Mutex::new(())));
    let held = MENDED.then(|| lock(&building));
    let polling = thread::spawn({
        let (resolver, building) = (resolver.clone(), building.clone());
        move || {
            let _held = lock(&building);
            *resolver.get().expect("no resolver")
        }
    });
    resolver.set(1).unwrap();
    drop(held);
    assert_eq!(polling.join().unwrap(), 1);
}
