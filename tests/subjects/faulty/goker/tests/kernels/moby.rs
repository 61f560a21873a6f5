//! moby/moby.

use std::collections::BTreeSet;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Condvar, Mutex};
use std::thread;

use faulty_goker::{Context, MENDED, Racy, WaitGroup, lock, ms, run};
use tokio::select;
use tokio::sync::mpsc;

/// Where no device has been deleted, the lock is kept.
#[test]
fn moby_17176() {
    let deleted = Mutex::new(1);
    thread::scope(|scope| {
        scope.spawn(|| *lock(&deleted) = 0);
        let devices = lock(&deleted);
        if *devices == 0 && !MENDED {
            mem::forget(devices);
        }
    });
    drop(lock(&deleted));
}

/// A test reads progress until it has seen the last step, and steps may come in another order.
#[test]
fn moby_21233() {
    let (progress, read) = sync_channel(0);
    let read = Mutex::new(read);
    thread::scope(|scope| {
        for step in 1..=2 {
            let progress = progress.clone();
            scope.spawn(move || progress.send(step).unwrap());
        }
        let steps = lock(&read);
        if MENDED {
            assert_eq!(steps.iter().take(2).count(), 2);
        } else {
            steps.iter().find(|step| *step == 2).unwrap();
        }
    });
}

/// In each turn of a loop, all turns are waited for.
#[test]
fn moby_25384() {
    let (plugins, group) = (Mutex::new(1), WaitGroup::default());
    thread::scope(|scope| {
        scope.spawn(|| *lock(&plugins) += 1);
        let number = *lock(&plugins);
        group.add(number);
        for _ in 0..number {
            scope.spawn(|| group.done());
            if !MENDED {
                group.wait();
            }
        }
        group.wait();
    });
}

/// The thread that removes a watch waits for the reader of events. The reader waits for a receiver of its event.
#[test]
fn moby_27782() {
    let (closing, exists, removed) = (AtomicBool::new(false), Mutex::new(true), Condvar::new());
    let (events, received) = sync_channel(if MENDED { 1 } else { 0 });
    thread::scope(|scope| {
        scope.spawn(|| {
            events.send(()).unwrap();
            *lock(&exists) = false;
            removed.notify_all();
        });
        scope.spawn(|| closing.store(true, SeqCst));
        if !closing.load(SeqCst) {
            received.recv().unwrap();
        }
        let watch = lock(&exists);
        drop(removed.wait_while(watch, |it| *it).unwrap());
    });
}

/// A monitor is told to stop under the lock that it takes for each probe.
#[test]
fn moby_28462() {
    let container = Mutex::new(0);
    let (stop, stopped) = sync_channel(0);
    thread::scope(|scope| {
        let container = &container;
        scope.spawn(move || {
            if stopped.try_recv().is_err() {
                *lock(container) += 1;
                stopped.recv().unwrap();
            }
        });
        let held = lock(container);
        if MENDED {
            drop(held);
        }
        stop.send(()).unwrap();
    });
}

/// A plugin becomes active, and those who wait for that are not told.
#[test]
fn moby_29733() {
    let (active, activated) = (Mutex::new(false), Condvar::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            let plugin = lock(&active);
            drop(activated.wait_while(plugin, |it| !*it).unwrap());
        });
        *lock(&active) = true;
        if MENDED {
            activated.notify_all();
        }
    });
}

/// Who waits for a plugin looks whether it has come, not whether it has failed.
#[test]
fn moby_30408() {
    let (plugin, changed) = (Mutex::new((false, false)), Condvar::new());
    let failing = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let fails = failing.load(SeqCst);
            *lock(&plugin) = (!fails, fails);
            changed.notify_all();
        });
        scope.spawn(|| failing.store(true, SeqCst));
        let waiting = |(here, failed): &mut (bool, bool)| !(*here || MENDED && *failed);
        drop(changed.wait_while(lock(&plugin), waiting).unwrap());
    });
}

/// An error is sent before the channel is returned to who would read it.
#[test]
fn moby_33293() {
    let exited = AtomicBool::new(false);
    let (errors, read) = sync_channel(if MENDED { 1 } else { 0 });
    thread::scope(|scope| {
        scope.spawn(|| exited.store(true, SeqCst));
        if exited.load(SeqCst) {
            errors.send("exited").unwrap();
        }
    });
    drop(errors);
    assert!(read.iter().count() <= 1);
}

/// A monitor that is stopped leaves the results of its probe.
#[test]
fn moby_33781() {
    let stop = Context::default();
    let (results, mut read) = mpsc::channel(1);
    thread::scope(|scope| {
        scope.spawn(move || (0..2).for_each(|it| run(results.send(it)).unwrap()));
        scope.spawn(|| {
            thread::sleep(ms(1));
            stop.cancel();
        });
        run(async {
            loop {
                select! {
                    Some(_) = read.recv() => {}
                    _ = stop.done() => break,
                }
            }
            while MENDED && read.recv().await.is_some() {}
        });
    });
}

/// A disk is added under a lock that removing the others takes.
#[test]
fn moby_36114() {
    let (machine, started) = (Mutex::new(0), AtomicBool::new(false));
    let remove = || *lock(&machine) = 0;
    thread::scope(|scope| {
        scope.spawn(|| started.store(true, SeqCst));
        let mut disks = lock(&machine);
        if started.load(SeqCst) {
            if MENDED {
                drop(disks);
            }
            remove();
        } else {
            *disks += 1;
        }
    });
}

/// A function returns a channel for its result. The caller may never receive from it.
#[test]
fn moby_4395() {
    let cancelled = AtomicBool::new(false);
    let (result, read) = sync_channel(if MENDED { 1 } else { 0 });
    thread::scope(|scope| {
        scope.spawn(move || result.send(7).unwrap());
        scope.spawn(|| cancelled.store(true, SeqCst));
        if !cancelled.load(SeqCst) {
            assert_eq!(read.recv().unwrap(), 7);
        }
    });
}

/// Deleting gives the lock of all devices up for a while and keeps that of its own.
#[test]
fn moby_4951() {
    let (devices, device) = (Mutex::new(2), Mutex::new(()));
    let delete = || {
        let all = lock(&devices);
        if MENDED {
            drop(all);
            let _own = lock(&device);
            *lock(&devices) -= 1;
        } else {
            let _own = lock(&device);
            drop(all);
            *lock(&devices) -= 1;
        }
    };
    thread::scope(|scope| {
        scope.spawn(delete);
        delete();
    });
}

/// A loop goes on after an error and has the lock still.
#[test]
fn moby_7559() {
    let (connections, refused) = (Mutex::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| refused.store(true, SeqCst));
        for _ in 0..2 {
            let mut tracked = lock(&connections);
            if !refused.load(SeqCst) {
                *tracked += 1;
            } else if !MENDED {
                mem::forget(tracked);
            }
        }
    });
}

/// After its time limit a test reads the status that a thread sets when the command ends.
#[test]
fn moby_18412() {
    let status = Racy::new(0);
    let (done, is_done) = channel();
    thread::scope(|scope| {
        let status = &status;
        scope.spawn(move || {
            status.change(|it| *it = 1);
            done.send(()).unwrap();
        });
        let ended = is_done.recv_timeout(ms(5)).is_ok();
        if ended || !MENDED {
            assert!(status.with(|it| *it) <= 1);
        }
    });
}

/// Threads read the variable of the loop that starts them, under a lock that the loop does not take.
#[test]
fn moby_22941() {
    let (pair, pipe) = (Racy::new("first"), Mutex::new(String::new()));
    thread::scope(|scope| {
        let (pair, pipe) = (&pair, &pipe);
        for request in ["first", "second"] {
            if !MENDED {
                pair.change(|it| *it = request);
            }
            scope.spawn(move || {
                let mut written = lock(pipe);
                let own = if MENDED { request } else { pair.with(|it| *it) };
                written.push_str(own);
            });
        }
    });
}

/// Each version is to be tested, and threads read the variable that counts them.
#[test]
fn moby_27037() {
    let (version, tested) = (AtomicUsize::new(0), Mutex::new(BTreeSet::new()));
    thread::scope(|scope| {
        let (version, tested) = (&version, &tested);
        for number in 17..20 {
            version.store(number, SeqCst);
            scope.spawn(move || {
                let own = if MENDED { number } else { version.load(SeqCst) };
                lock(tested).insert(own);
            });
            thread::sleep(ms(1));
        }
    });
    assert_eq!(tested.into_inner().unwrap().len(), 3);
}
