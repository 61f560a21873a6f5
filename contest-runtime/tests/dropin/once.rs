//! One-time initialisation between real threads.

use contest::sync::atomic::{AtomicU32, Ordering};
use contest::sync::{LazyLock, Once, OnceLock};
use contest::thread;

#[test]
fn an_initialiser_runs_once_and_all_see_its_effect() {
    let once = Once::new();
    let runs = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                once.call_once(|| {
                    thread::yield_now();
                    runs.fetch_add(1, Ordering::Relaxed);
                });
                assert_eq!(runs.load(Ordering::Relaxed), 1);
                once.wait();
                once.wait_force();
            });
        }
    });
    assert!(once.is_completed());
}

#[test]
fn a_cell_takes_the_first_value_only() {
    let cell = OnceLock::new();
    assert_eq!(cell.get(), None);
    assert_eq!(cell.set(1), Ok(()));
    assert_eq!(cell.set(2), Err(2));
    assert_eq!(cell.get_or_init(|| 3), &1);
    assert_eq!(cell.wait(), &1);
    assert_eq!(cell.clone(), OnceLock::from(1));
    let mut cell = cell;
    *cell.get_mut().unwrap() = 4;
    assert_eq!(cell.take(), Some(4));
    assert_eq!(cell, OnceLock::default());
    assert_eq!(cell.into_inner(), None);
}

#[test]
fn a_thread_that_waits_for_a_cell_sees_its_value() {
    let cell = OnceLock::new();
    thread::scope(|scope| {
        let waiter = scope.spawn(|| *cell.wait());
        cell.set(7).unwrap();
        assert_eq!(waiter.join().unwrap(), 7);
    });
}

#[test]
fn a_lazy_value_is_made_at_first_use() {
    let runs = AtomicU32::new(0);
    let mut lazy = LazyLock::new(|| runs.fetch_add(1, Ordering::Relaxed) + 10);
    assert_eq!(LazyLock::get(&lazy), None);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(*lazy, 10));
        }
    });
    assert_eq!(runs.load(Ordering::Relaxed), 1);
    *lazy += 1;
    assert_eq!(LazyLock::get_mut(&mut lazy), Some(&mut 11));
    assert_eq!(LazyLock::force_mut(&mut lazy), &mut 11);
    assert_eq!(*LazyLock::<u8>::default(), 0);
}
