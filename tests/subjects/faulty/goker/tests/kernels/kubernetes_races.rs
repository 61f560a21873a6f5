//! kubernetes/kubernetes: what is used without a lock.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

use faulty_goker::{MENDED, Racy, WaitGroup, lock};

/// Something is done before it is added to what is waited for.
#[test]
fn kubernetes_13058() {
    let deleted = WaitGroup::default();
    if MENDED {
        deleted.add(1);
    }
    thread::scope(|scope| {
        scope.spawn(|| deleted.done());
        if !MENDED {
            deleted.add(1);
        }
        deleted.wait();
    });
}

/// A handler sets a variable that the test reads.
#[test]
fn kubernetes_49404() {
    let called = Racy::new(false);
    thread::scope(|scope| {
        let handler = scope.spawn(|| called.change(|it| *it = true));
        if MENDED {
            handler.join().unwrap();
        }
        called.with(|it| *it)
    });
}

/// Each of two workers writes the results of all.
#[test]
fn kubernetes_70892() {
    let results = [const { Racy::new(0) }; 3];
    thread::scope(|scope| {
        for worker in 0..2 {
            let results = &results;
            let own = move |index: &usize| !MENDED || index % 2 == worker;
            scope.spawn(move || {
                for index in (0..3).filter(own) {
                    results[index].change(|it| *it = 7);
                }
            });
        }
    });
}

/// A buffer is emptied under a lock and walked through without.
#[test]
fn kubernetes_77796() {
    let (watchers, guard) = (Racy::new(vec![1, 2]), Mutex::new(()));
    let dispatch = || {
        let held = lock(&guard);
        watchers.change(|it| it.clear());
        if !MENDED {
            drop(held);
        }
        assert_eq!(watchers.with(|it| it.iter().sum::<i32>()), 0);
    };
    thread::scope(|scope| {
        scope.spawn(dispatch);
        dispatch();
    });
}

/// An item is looked up without the lock under which it is removed.
#[test]
fn kubernetes_79631() {
    let (items, guard) = (Racy::new(BTreeMap::from([(1, 'a')])), Mutex::new(()));
    thread::scope(|scope| {
        scope.spawn(|| {
            let _held = lock(&guard);
            items.change(|it| it.remove(&1));
        });
        let _held = MENDED.then(|| lock(&guard));
        items.with(|it| it.get(&1).copied())
    });
}

/// Two threads set what is called when keys change.
#[test]
fn kubernetes_80284() {
    let (rotate, guard) = (Racy::new(0), Mutex::new(()));
    thread::scope(|scope| {
        for dialer in 1..=2 {
            let (rotate, guard) = (&rotate, &guard);
            scope.spawn(move || {
                let _held = MENDED.then(|| lock(guard));
                rotate.change(|it| *it = dialer);
            });
        }
    });
}

/// A plugin counts its calls in two steps.
#[test]
fn kubernetes_81091() {
    let called = AtomicU32::new(0);
    let filter = || {
        if MENDED {
            called.fetch_add(1, SeqCst);
        } else {
            called.store(called.load(SeqCst) + 1, SeqCst);
        }
    };
    thread::scope(|scope| {
        scope.spawn(filter);
        filter();
    });
    assert_eq!(called.into_inner(), 2);
}

/// A test changes the time of a pod without the lock under which a thread reads it.
#[test]
fn kubernetes_81148() {
    let (pods, guard) = (Racy::new(BTreeMap::from([("pod", 60)])), Mutex::new(()));
    thread::scope(|scope| {
        scope.spawn(|| {
            let _held = lock(&guard);
            pods.with(|it| it.values().sum::<i32>())
        });
        let _held = MENDED.then(|| lock(&guard));
        pods.change(|it| it.insert("pod", 0));
    });
}

/// A map is copied while a test adds to it.
#[test]
fn kubernetes_82239() {
    let volume = Racy::new(BTreeMap::from([(0, ()), (1, ())]));
    let copy = || volume.with(|it| it.clone());
    thread::scope(|scope| {
        let worker = scope.spawn(|| copy().len());
        if MENDED {
            worker.join().unwrap();
        }
        volume.change(|it| it.insert(2, ()));
    });
}

/// What is made at first use is made twice.
#[test]
fn kubernetes_82550() {
    let provider: Mutex<Option<Arc<()>>> = Mutex::new(None);
    let provide = || {
        if MENDED {
            return lock(&provider).get_or_insert_default().clone();
        }
        if lock(&provider).is_none() {
            *lock(&provider) = Some(Arc::default());
        }
        lock(&provider).clone().unwrap()
    };
    thread::scope(|scope| {
        let first = scope.spawn(provide);
        assert!(Arc::ptr_eq(&provide(), &first.join().unwrap()));
    });
}

/// The length of a queue is read without the lock under which it is shortened.
#[test]
fn kubernetes_88331() {
    let (queue, guard) = (Racy::new(vec![(), ()]), Mutex::new(()));
    thread::scope(|scope| {
        scope.spawn(|| {
            let _held = lock(&guard);
            queue.change(|it| it.pop());
        });
        let _held = MENDED.then(|| lock(&guard));
        assert!(queue.with(|it| it.len()) > 0);
    });
}

/// A buffer is measured under its lock, and its last watcher is looked up under the next one.
#[test]
fn kubernetes_89164() {
    let watchers = Mutex::new(BTreeSet::from([1, 2]).into_iter().collect::<Vec<_>>());
    thread::scope(|scope| {
        scope.spawn(|| lock(&watchers).pop());
        let last = lock(&watchers).len() - 1;
        let found = lock(&watchers).get(last).copied();
        assert!(MENDED || found.is_some(), "no watcher {last}");
    });
}
