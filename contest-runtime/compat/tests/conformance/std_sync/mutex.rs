//! std `mutex.rs`, without poisoning, which is in `poison`.

use std::sync::Arc;

use contest::sync::atomic::{AtomicU32, Ordering};
use contest::sync::mpsc::channel;
use contest::sync::{Mutex, TryLockError};
use contest::thread;

use crate::runs::inside_and_outside;

struct Counts(Arc<AtomicU32>);

impl Drop for Counts {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_mutex_can_be_locked_again_and_tried() {
    inside_and_outside(|| {
        let mutex = Mutex::new(());
        drop(mutex.lock().unwrap());
        drop(mutex.lock().unwrap());
        let held = mutex.try_lock().unwrap();
        assert!(matches!(mutex.try_lock(), Err(TryLockError::WouldBlock)));
        drop(held);
        assert!(mutex.try_lock().is_ok());
    });
}

#[test]
fn no_increment_under_the_lock_is_lost() {
    inside_and_outside(|| {
        let mutex = Arc::new(Mutex::new(0));
        let (sender, receiver) = channel();
        for _ in 0..2 {
            let (mutex, sender) = (Arc::clone(&mutex), sender.clone());
            thread::spawn(move || {
                for _ in 0..2 {
                    *mutex.lock().unwrap() += 1;
                }
                sender.send(()).unwrap();
            });
        }
        drop(sender);
        assert_eq!(receiver.iter().count(), 2);
        assert_eq!(*mutex.lock().unwrap(), 4);
    });
}

#[test]
fn the_value_can_be_reached_by_ownership() {
    inside_and_outside(|| {
        let mut mutex = Mutex::new(10);
        *mutex.get_mut().unwrap() = 20;
        assert_eq!(mutex.into_inner().unwrap(), 20);
    });
}

#[test]
fn the_value_is_dropped_once_after_it_was_taken_out() {
    inside_and_outside(|| {
        let drops = Arc::new(AtomicU32::new(0));
        let mutex = Mutex::new(Counts(Arc::clone(&drops)));
        let value = mutex.into_inner().unwrap();
        assert_eq!(drops.load(Ordering::SeqCst), 0);
        drop(value);
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn a_mutex_may_be_in_another() {
    inside_and_outside(|| {
        let outer = Mutex::new(Arc::new(Mutex::new(1)));
        let (sender, receiver) = channel();
        thread::spawn(move || {
            let outer = outer.lock().unwrap();
            sender.send(*outer.lock().unwrap()).unwrap();
        });
        assert_eq!(receiver.recv(), Ok(1));
    });
}

#[test]
fn a_mutex_may_hold_a_slice() {
    inside_and_outside(|| {
        let mutex: &Mutex<[u8]> = &Mutex::new([1, 2, 3]);
        mutex.lock().unwrap()[2] = 5;
        assert_eq!(*mutex.lock().unwrap(), [1, 2, 5]);
    });
}

#[test]
fn a_lock_can_be_taken_while_unwinding() {
    inside_and_outside(|| {
        struct Locks(Arc<Mutex<u32>>);
        impl Drop for Locks {
            fn drop(&mut self) {
                *self.0.lock().unwrap() += 1;
            }
        }
        let mutex = Arc::new(Mutex::new(1));
        let locks = Locks(Arc::clone(&mutex));
        let thread = thread::spawn(move || {
            let _locks = locks;
            panic!("to unwind");
        });
        assert!(thread.join().is_err());
        assert_eq!(*mutex.lock().unwrap(), 2);
    });
}
