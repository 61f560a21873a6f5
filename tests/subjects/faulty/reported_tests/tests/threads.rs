//! Threads that are late, and what they hold.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Condvar, Mutex, mpsc};
use std::thread;

use faulty_reported_tests::ms;

/// A price that is looked up once.
#[derive(Default)]
struct Price {
    known: Mutex<Option<u32>>,
    lookups: AtomicU32,
}

impl Price {
    fn look_up(&self) -> u32 {
        self.lookups.fetch_add(1, SeqCst);
        12
    }
}

mod broken {
    use super::*;

    // mlir-rs/melior#206: looks for a key and inserts it under two locks.
    #[test]
    fn the_price_is_looked_up_once() {
        let price = Arc::new(Price::default());
        let ask = |price: Arc<Price>| {
            let known = *price.known.lock().unwrap();
            known.unwrap_or_else(|| {
                let found = price.look_up();
                *price.known.lock().unwrap() = Some(found);
                found
            })
        };
        let first = thread::spawn({
            let price = price.clone();
            move || ask(price)
        });
        thread::sleep(ms(40));
        assert_eq!(ask(price.clone()), first.join().unwrap());
        assert_eq!(price.lookups.load(SeqCst), 1);
    }

    // clockworklabs/SpacetimeDB#4051: it is closed before the lock is given up.
    #[test]
    fn what_is_closed_can_be_opened() {
        let locked = Arc::new(AtomicBool::new(true));
        let (closed, is_closed) = mpsc::channel();
        let holder = locked.clone();
        thread::spawn(move || {
            closed.send(()).unwrap();
            holder.store(false, SeqCst);
        });
        is_closed.recv().unwrap();
        thread::sleep(ms(30));
        assert!(!locked.load(SeqCst));
    }

    // warpdotdev/warp#13975: a detached thread still holds an `Arc`.
    #[test]
    fn the_model_is_not_leaked() {
        let model = Arc::new(5);
        let held = model.clone();
        thread::spawn(move || drop(held));
        thread::sleep(ms(60));
        assert_eq!(Arc::strong_count(&model), 1);
    }

    // spacejam/sled#709: who waits is told once, which may be before it waits.
    #[test]
    fn the_flusher_is_told() {
        let told = Arc::new((Mutex::new(()), Condvar::new()));
        let flusher = told.clone();
        let (sender, done) = mpsc::channel();
        thread::spawn(move || {
            let held = flusher.0.lock().unwrap();
            drop(flusher.1.wait(held));
            let _ = sender.send(());
        });
        thread::sleep(ms(50));
        told.1.notify_one();
        done.recv().unwrap();
    }

    // sisshiki1969/monoruby#1102: two sleeps are to end in their order.
    #[test]
    fn lines_are_in_order() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let first = lines.clone();
        let other = thread::spawn(move || first.lock().unwrap().push("first"));
        thread::sleep(ms(80));
        lines.lock().unwrap().push("second");
        other.join().unwrap();
        assert_eq!(*lines.lock().unwrap(), ["first", "second"]);
    }

    // bigduu/Bamboo-agent#486: it is looked at once whether a service runs.
    #[test]
    fn the_thread_has_ended() {
        let thread = thread::spawn(|| 2 + 2);
        thread::sleep(ms(100));
        assert!(thread.is_finished());
    }

    // casey in tokio-rs/tokio-proto#114: one request more is taken after a while.
    #[test]
    fn no_more_than_two_are_in_flight() {
        let (sender, inbox) = mpsc::sync_channel(1);
        let sent = Arc::new(AtomicU32::new(0));
        let count = sent.clone();
        thread::spawn(move || {
            for number in 0..4 {
                sender.send(number).unwrap();
                count.fetch_add(1, SeqCst);
            }
        });
        assert_eq!(inbox.recv(), Ok(0));
        thread::sleep(ms(50));
        assert_eq!(sent.load(SeqCst), 2);
        drop(inbox);
    }

    // mxsm/rocketmq-rust#10784: the signal that is awaited comes before what is asserted.
    #[test]
    fn the_future_is_removed_when_it_has_failed() {
        let waiting = Arc::new(Mutex::new(vec![1]));
        let failed = Arc::new(Barrier::new(2));
        let (remove, signal) = (waiting.clone(), failed.clone());
        let other = thread::spawn(move || {
            signal.wait();
            remove.lock().unwrap().clear();
        });
        failed.wait();
        thread::sleep(ms(60));
        let left = waiting.lock().unwrap().len();
        other.join().unwrap();
        assert_eq!(left, 0);
    }
}

mod mended {
    use super::*;

    #[test]
    fn the_price_is_looked_up_once() {
        let price = Arc::new(Price::default());
        let ask = |price: Arc<Price>| {
            let mut known = price.known.lock().unwrap();
            *known.get_or_insert_with(|| price.look_up())
        };
        let first = thread::spawn({
            let price = price.clone();
            move || ask(price)
        });
        thread::sleep(ms(40));
        assert_eq!(ask(price.clone()), first.join().unwrap());
        assert_eq!(price.lookups.load(SeqCst), 1);
    }

    #[test]
    fn what_is_closed_can_be_opened() {
        let locked = Arc::new(AtomicBool::new(true));
        let (closed, is_closed) = mpsc::channel();
        let holder = locked.clone();
        thread::spawn(move || {
            holder.store(false, SeqCst);
            closed.send(()).unwrap();
        });
        is_closed.recv().unwrap();
        assert!(!locked.load(SeqCst));
    }

    #[test]
    fn the_model_is_not_leaked() {
        let model = Arc::new(5);
        let held = model.clone();
        thread::spawn(move || drop(held)).join().unwrap();
        assert_eq!(Arc::strong_count(&model), 1);
    }

    #[test]
    fn the_flusher_is_told() {
        let told = Arc::new((Mutex::new(false), Condvar::new()));
        let flusher = told.clone();
        let (sender, done) = mpsc::channel();
        thread::spawn(move || {
            let held = flusher.0.lock().unwrap();
            drop(flusher.1.wait_while(held, |told| !*told));
            let _ = sender.send(());
        });
        thread::sleep(ms(50));
        *told.0.lock().unwrap() = true;
        told.1.notify_one();
        done.recv().unwrap();
    }

    #[test]
    fn lines_are_in_order() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let first = lines.clone();
        let other = thread::spawn(move || first.lock().unwrap().push("first"));
        other.join().unwrap();
        lines.lock().unwrap().push("second");
        assert_eq!(*lines.lock().unwrap(), ["first", "second"]);
    }

    #[test]
    fn the_thread_has_ended() {
        let thread = thread::spawn(|| 2 + 2);
        while !thread.is_finished() {
            thread::sleep(ms(1));
        }
        assert_eq!(thread.join().unwrap(), 4);
    }

    #[test]
    fn no_more_than_two_are_in_flight() {
        let (sender, inbox) = mpsc::sync_channel(1);
        let sent = Arc::new(AtomicU32::new(0));
        let count = sent.clone();
        thread::spawn(move || {
            for number in 0..4 {
                if sender.send(number).is_err() {
                    return;
                }
                count.fetch_add(1, SeqCst);
            }
        });
        assert_eq!(inbox.recv(), Ok(0));
        thread::sleep(ms(50));
        assert!(sent.load(SeqCst) <= 2);
        drop(inbox);
    }

    #[test]
    fn the_future_is_removed_when_it_has_failed() {
        let waiting = Arc::new(Mutex::new(vec![1]));
        let failed = Arc::new(Barrier::new(2));
        let (remove, signal) = (waiting.clone(), failed.clone());
        let other = thread::spawn(move || {
            signal.wait();
            remove.lock().unwrap().clear();
        });
        failed.wait();
        other.join().unwrap();
        assert!(waiting.lock().unwrap().is_empty());
    }
}
