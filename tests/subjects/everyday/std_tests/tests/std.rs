//! Tests that are right, each about one facility of std.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel, sync_channel};
use std::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, mpsc};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

#[test]
fn spawn_and_join() {
    let handle = thread::spawn(|| 6 * 7);
    assert_eq!(handle.join().unwrap(), 42);
}

#[test]
fn many_threads_count() {
    let count = Arc::new(Mutex::new(0));
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let count = Arc::clone(&count);
            thread::spawn(move || *count.lock().unwrap() += 1)
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*count.lock().unwrap(), 3);
}

#[test]
fn scoped_threads_borrow() {
    let mut halves = [0, 0];
    let (left, right) = halves.split_at_mut(1);
    thread::scope(|scope| {
        scope.spawn(|| left[0] = 1);
        scope.spawn(|| right[0] = 2);
    });
    assert_eq!(halves, [1, 2]);
}

#[test]
fn a_panic_of_a_thread_comes_with_join() {
    let handle = thread::spawn(|| panic!("on purpose"));
    let error = handle.join().unwrap_err();
    assert_eq!(error.downcast_ref::<&str>(), Some(&"on purpose"));
}

#[test]
fn a_panic_poisons_a_mutex() {
    let mutex = Arc::new(Mutex::new(1));
    let other = Arc::clone(&mutex);
    let panics = thread::spawn(move || {
        let _held = other.lock().unwrap();
        panic!("on purpose");
    });
    assert!(panics.join().is_err());
    assert!(mutex.is_poisoned());
    assert_eq!(*mutex.lock().unwrap_or_else(|it| it.into_inner()), 1);
}

#[test]
fn a_named_thread_knows_its_name() {
    let builder = thread::Builder::new().name("worker 1".to_owned());
    let handle = builder
        .spawn(|| thread::current().name().map(str::to_owned))
        .unwrap();
    assert_eq!(handle.join().unwrap().as_deref(), Some("worker 1"));
}

#[test]
fn ids_of_threads_differ() {
    let own = thread::current().id();
    let other = thread::spawn(|| thread::current().id()).join().unwrap();
    assert_ne!(own, other);
}

#[test]
fn park_and_unpark() {
    let woken = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&woken);
    let parked = thread::spawn(move || {
        while !seen.load(Ordering::Acquire) {
            thread::park();
        }
    });
    woken.store(true, Ordering::Release);
    parked.thread().unpark();
    parked.join().unwrap();
}

#[test]
fn a_channel_keeps_the_order_of_a_sender() {
    let (sender, receiver) = channel();
    let sends = thread::spawn(move || (0..3).for_each(|n| sender.send(n).unwrap()));
    assert_eq!(receiver.iter().collect::<Vec<_>>(), [0, 1, 2]);
    sends.join().unwrap();
}

#[test]
fn two_senders_send_all() {
    let (sender, receiver) = mpsc::channel();
    let other = sender.clone();
    thread::spawn(move || sender.send(1).unwrap());
    thread::spawn(move || other.send(2).unwrap());
    let got: HashSet<i32> = receiver.iter().collect();
    assert_eq!(got, HashSet::from([1, 2]));
}

#[test]
fn a_bounded_channel_waits_for_room() {
    let (sender, receiver) = sync_channel(1);
    let sends = thread::spawn(move || (0..3).try_for_each(|n| sender.send(n)));
    assert_eq!(receiver.iter().sum::<i32>(), 3);
    sends.join().unwrap().unwrap();
}

#[test]
fn a_receiver_that_is_gone_is_an_error() {
    let (sender, receiver) = channel();
    drop(receiver);
    assert!(sender.send(1).is_err());
}

#[test]
fn recv_timeout_says_that_time_is_over() {
    let (sender, receiver) = channel::<u32>();
    let waits = receiver.recv_timeout(Duration::from_millis(2));
    assert_eq!(waits, Err(RecvTimeoutError::Timeout));
    drop(sender);
    let gone = receiver.recv_timeout(Duration::from_millis(2));
    assert_eq!(gone, Err(RecvTimeoutError::Disconnected));
}

#[test]
fn a_condition_variable_hands_over() {
    let pair = Arc::new((Mutex::new(None), Condvar::new()));
    let other = Arc::clone(&pair);
    thread::spawn(move || {
        *other.0.lock().unwrap() = Some(5);
        other.1.notify_one();
    });
    let value = pair
        .1
        .wait_while(pair.0.lock().unwrap(), |value| value.is_none())
        .unwrap();
    assert_eq!(*value, Some(5));
}

#[test]
fn a_barrier_has_one_leader() {
    let barrier = Barrier::new(2);
    let leaders = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                if barrier.wait().is_leader() {
                    leaders.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(leaders.into_inner(), 1);
}

#[test]
fn once_runs_once() {
    static START: Once = Once::new();
    static RUNS: AtomicU32 = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| START.call_once(|| _ = RUNS.fetch_add(1, Ordering::Relaxed)));
        }
    });
    assert_eq!(RUNS.load(Ordering::Relaxed), 1);
}

#[test]
fn a_once_lock_keeps_the_first() {
    let cell = OnceLock::new();
    let set = thread::scope(|scope| {
        let one = scope.spawn(|| cell.set(1).is_ok());
        let two = scope.spawn(|| cell.set(2).is_ok());
        [one.join().unwrap(), two.join().unwrap()]
    });
    assert_eq!(set.iter().filter(|it| **it).count(), 1);
    assert_eq!(cell.get() == Some(&1), set[0]);
}

static NAMES: LazyLock<Mutex<BTreeMap<u32, &str>>> = LazyLock::new(Mutex::default);

#[test]
fn a_lazy_static_is_one_for_all() {
    thread::spawn(|| NAMES.lock().unwrap().insert(1, "one"))
        .join()
        .unwrap();
    assert_eq!(NAMES.lock().unwrap().get(&1), Some(&"one"));
}

#[test]
fn readers_see_both_or_none() {
    let both = RwLock::new((0, 0));
    thread::scope(|scope| {
        scope.spawn(|| *both.write().unwrap() = (1, 1));
        let seen = *both.read().unwrap();
        assert_eq!(seen.0, seen.1);
    });
}

thread_local! {
    static OWN: Cell<u32> = const { Cell::new(1) };
}

#[test]
fn a_thread_local_is_the_threads_own() {
    OWN.set(2);
    let other = thread::spawn(|| OWN.replace(3)).join().unwrap();
    assert_eq!((OWN.get(), other), (2, 1));
}

#[test]
fn message_passing_with_release_and_acquire() {
    let (data, ready) = (AtomicU32::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            data.store(9, Ordering::Relaxed);
            ready.store(true, Ordering::Release);
        });
        if ready.load(Ordering::Acquire) {
            assert_eq!(data.load(Ordering::Relaxed), 9);
        }
    });
}

#[test]
fn compare_exchange_has_one_winner() {
    let winner = AtomicUsize::new(0);
    let won = thread::scope(|scope| {
        let tries = |n: usize| {
            let order = (Ordering::AcqRel, Ordering::Acquire);
            winner.compare_exchange(0, n, order.0, order.1).is_ok()
        };
        let one = scope.spawn(move || tries(1));
        let two = scope.spawn(move || tries(2));
        u32::from(one.join().unwrap()) + u32::from(two.join().unwrap())
    });
    assert_eq!(won, 1);
}

#[test]
fn sleep_takes_at_least_as_long() {
    let begun = Instant::now();
    thread::sleep(Duration::from_millis(20));
    assert!(begun.elapsed() >= Duration::from_millis(20));
}

#[test]
fn a_map_holds_what_was_put_in() {
    let map: HashMap<u32, u32> = (0..5).map(|n| (n, n * n)).collect();
    let mut values: Vec<u32> = map.values().copied().collect();
    values.sort_unstable();
    assert_eq!(values, [0, 1, 4, 9, 16]);
}

#[test]
fn an_arc_can_be_taken_apart_when_the_others_are_gone() {
    let shared = Arc::new(3);
    let other = Arc::clone(&shared);
    thread::spawn(move || drop(other)).join().unwrap();
    assert_eq!(Arc::into_inner(shared), Some(3));
}

#[test]
fn files_are_read_as_they_were_written() {
    let path = std::env::temp_dir().join(format!("everyday-{}", std::process::id()));
    std::fs::write(&path, "text").unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
    std::fs::remove_file(&path).unwrap();
}

#[test]
#[should_panic(expected = "on purpose")]
fn a_panic_that_is_expected() {
    thread::spawn(|| {}).join().unwrap();
    panic!("on purpose");
}

#[test]
fn a_result_of_a_test() -> Result<(), std::num::ParseIntError> {
    let number: u32 = "12".parse()?;
    assert_eq!(number, 12);
    Ok(())
}

#[test]
fn a_file_is_as_old_as_its_last_change() {
    let path = std::env::temp_dir().join(format!("everyday-std-tests-{}", std::process::id()));
    let modified = || fs::metadata(&path).unwrap().modified().unwrap();
    let before = SystemTime::now() - Duration::from_millis(50);
    fs::write(&path, "one").unwrap();
    let first = modified();
    assert!(first >= before);
    thread::sleep(Duration::from_millis(40));
    fs::write(&path, "two").unwrap();
    assert!(modified() > first);
    thread::sleep(Duration::from_millis(100));
    assert!(modified().elapsed().unwrap() >= Duration::from_millis(100));
    let file = File::options().write(true).open(&path).unwrap();
    for given in [SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000), SystemTime::now()] {
        file.set_modified(given).unwrap();
        assert_eq!(modified(), given);
    }
    fs::remove_file(&path).unwrap();
}
