//! `basic/clocks.rs`: what a thread knows of the others, as vector clocks.

use std::sync::Arc;

use contest::sync::atomic::{AtomicBool, Ordering};
use contest::sync::mpsc::channel;
use contest::sync::{Barrier, Mutex};
use contest::thread;
use contest_compat::shuttle::current::{clock, me};

use super::outcomes;

fn knows(thread: usize) -> bool {
    clock().get(thread) > 0
}

#[test]
fn a_new_thread_knows_its_creator_and_a_joined_one_is_known() {
    outcomes(|| {
        let handle = thread::spawn(|| {
            assert!(knows(0) && !knows(usize::from(me())));
            thread::yield_now();
        });
        assert!(!knows(1));
        handle.join().unwrap();
        assert!(knows(1));
    });
}

#[test]
fn a_mutex_hands_on_what_its_holders_know() {
    outcomes(|| {
        let holders = Arc::new(Mutex::new(Vec::new()));
        let start = |_| {
            let holders = Arc::clone(&holders);
            thread::spawn(move || {
                let mut holders = holders.lock().unwrap();
                for other in 1..=2 {
                    assert!(other == usize::from(me()) || knows(other) == holders.contains(&other));
                }
                holders.push(usize::from(me()));
            })
        };
        let threads: Vec<_> = (0..2).map(start).collect();
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn a_release_store_is_known_to_whoever_acquires_it_and_a_relaxed_one_is_not() {
    for (store, known) in [(Ordering::Release, true), (Ordering::Relaxed, false)] {
        outcomes(move || {
            let flag = Arc::new(AtomicBool::new(false));
            let theirs = Arc::clone(&flag);
            let handle = thread::spawn(move || theirs.store(true, store));
            let seen = flag.load(Ordering::Acquire);
            assert_eq!(knows(1), seen && known);
            handle.join().unwrap();
        });
    }
}

#[test]
fn a_message_and_a_barrier_carry_knowledge() {
    outcomes(|| {
        let (sender, receiver) = channel();
        let barrier = Arc::new(Barrier::new(2));
        let theirs = Arc::clone(&barrier);
        let handle = thread::spawn(move || {
            sender.send(()).unwrap();
            theirs.wait();
        });
        receiver.recv().unwrap();
        assert!(knows(1));
        let before = clock().get(1);
        barrier.wait();
        assert!(clock().get(1) > before);
        handle.join().unwrap();
    });
}
