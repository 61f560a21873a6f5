//! Every event says where in the code under test it comes from, never where in the drop-in types.

use std::time::Duration;

use contest::sync::atomic::{AtomicU32, Ordering::SeqCst, fence};
use contest::sync::mpsc::{channel, sync_channel};
use contest::sync::{
    Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, RwLockWriteGuard,
};
use contest::thread;
use contest_data::trace::Action;

use super::explore;

fn use_everything() {
    let number = AtomicU32::new(0);
    number.store(number.load(SeqCst) + 1, SeqCst);
    number.fetch_add(1, SeqCst);
    let _ = number.fetch_update(SeqCst, SeqCst, |value| Some(value + 1));
    let _ = number.compare_exchange(0, 1, SeqCst, SeqCst);
    fence(SeqCst);

    let lock = Arc::new((Mutex::new(0), Condvar::new()));
    drop(lock.0.lock());
    drop(lock.0.try_lock());
    let (guard, _) = lock
        .1
        .wait_timeout(lock.0.lock().unwrap(), Duration::from_secs(1))
        .unwrap();
    let (guard, _) = lock
        .1
        .wait_timeout_while(guard, Duration::from_secs(1), |_| true)
        .unwrap();
    drop(lock.1.wait_while(guard, |_| false));
    lock.1.notify_one();
    lock.1.notify_all();
    let shared = RwLock::new(0);
    drop(shared.read());
    drop(shared.try_write());
    drop(RwLockWriteGuard::downgrade(shared.write().unwrap()));

    let once = Once::new();
    once.call_once(|| ());
    once.wait();
    once.is_completed();
    let cell = OnceLock::new();
    cell.get();
    cell.get_or_init(|| 1);
    let _ = cell.set(2);
    let lazy = LazyLock::new(|| 3);
    assert_eq!(*lazy, 3);
    Barrier::new(1).wait();

    let (sender, receiver) = channel();
    sender.clone().send(1).unwrap();
    drop(sender);
    for _ in &receiver {}
    let (sender, receiver) = sync_channel(1);
    sender.try_send(1).unwrap();
    drop((sender.clone(), sender));
    let _ = (
        receiver.try_recv(),
        receiver.recv_timeout(Duration::from_secs(1)),
    );

    let handle = thread::spawn(|| thread::park_timeout(Duration::from_secs(1)));
    handle.thread().unpark();
    let _ = handle.is_finished();
    handle.join().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::yield_now();
        });
        thread::sleep(Duration::from_secs(1));
        contest::hint::spin_loop();
    });
}

#[test]
fn every_event_is_located_in_the_code_under_test() {
    let mut events = 0;
    explore(Some(0), use_everything, |record| {
        for event in &record.events {
            if event.action == Action::Begin {
                // That of the main thread is where the engine was called.
                continue;
            }
            events += 1;
            assert!(
                event.location.file().contains("tests") && event.location.file().contains("dropin"),
                "{} at {}",
                event.name,
                event.location
            );
        }
    });
    assert!(events > 60);
}

#[test]
fn an_unlock_is_located_where_the_guard_was_taken() {
    explore(
        None,
        || {
            let lock = Mutex::new(());
            let guard = lock.lock();
            drop(guard);
        },
        |record| {
            let line = |name| {
                let event = record.events.iter().find(|event| event.name == name);
                event.map(|event| event.location.line())
            };
            assert!(line("lock").is_some());
            assert_eq!(line("lock"), line("unlock"));
        },
    );
}
