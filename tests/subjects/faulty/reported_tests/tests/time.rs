//! Tests that want the machine to be fast, or the clock to be so late.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::thread;
use std::time::Instant;

use faulty_reported_tests::{ms, now};

const DAY: u64 = 86_400;

/// A thread that switches a lamp on.
fn switch_on(lamp: &Arc<AtomicBool>) -> thread::JoinHandle<()> {
    let lamp = lamp.clone();
    thread::spawn(move || lamp.store(true, SeqCst))
}

mod broken {
    use super::*;

    // 0xMiden/node#166: batches are built by another thread, for which the test sleeps.
    #[test]
    fn the_lamp_is_on_after_a_while() {
        let lamp = Arc::default();
        switch_on(&lamp);
        thread::sleep(ms(40));
        assert!(lamp.load(SeqCst));
    }

    // rust-lang/rust#152145: a time limit of a channel that a starved thread misses.
    #[test]
    fn an_answer_comes_in_time() {
        let (sender, receiver) = mpsc::channel();
        let other = thread::spawn(move || sender.send("yes"));
        assert_eq!(receiver.recv_timeout(ms(150)), Ok("yes"));
        other.join().unwrap().unwrap();
    }

    // OpenCoven/coven#844: bounds on what a wall clock has measured.
    #[test]
    fn a_sum_takes_no_time() {
        let begun = Instant::now();
        assert_eq!((1..=100).sum::<u32>(), 5_050);
        assert!(begun.elapsed() < ms(100));
    }

    // stratis-storage/stratisd#1896: two readings of a clock are to differ.
    #[test]
    fn the_second_stamp_is_later() {
        let first = Instant::now();
        let second = Instant::now();
        assert_ne!(first, second);
    }

    // MaaAssistantArknights/maa-cli#188: a time of day without its date.
    #[test]
    fn it_is_about_now() {
        let now = now();
        let (from, to) = ((now - 600) % DAY, (now + 600) % DAY);
        assert!(from <= now % DAY && now % DAY <= to);
    }

    // siropkin/budi#502: an hour ago was today.
    #[test]
    fn what_is_an_hour_old_is_of_today() {
        let written = now() - 2;
        assert_eq!(written / DAY, now() / DAY);
    }

    // Thomasdezeeuw/std-logger#7: the second changes between a line and what it is compared with.
    #[test]
    fn a_line_has_the_time() {
        let line = format!("{} started", now());
        assert_eq!(line, format!("{} started", now()));
    }

    // ephpm/ephpm#392: a bucket that has a new token before the last one is asked for.
    #[test]
    fn the_third_call_is_refused() {
        let (mut tokens, filled) = (2, Instant::now());
        let mut take = || {
            if filled.elapsed() >= ms(300) {
                tokens = 2;
            }
            let granted = tokens > 0;
            tokens -= u32::from(granted);
            granted
        };
        assert!(take() && take());
        assert!(!take());
    }

    // joshrotenberg/tower-resilience#301: a duration between two bounds.
    #[test]
    fn the_backoff_takes_about_as_long_as_it_should() {
        let begun = Instant::now();
        thread::sleep(ms(150));
        let taken = begun.elapsed();
        assert!(taken >= ms(150) && taken <= ms(400), "{taken:?}");
    }

    // rust-lang/crates.io#6952: a limit that expires while the test runs.
    #[test]
    fn the_entry_is_fresh() {
        let entry = (Instant::now() + ms(250), "bread");
        let found = (Instant::now() < entry.0).then_some(entry.1);
        assert_eq!(found, Some("bread"));
    }

    // mblua/AgentsCommander#1391: waits for one flag, looks at the other.
    #[test]
    fn the_verdict_comes_with_the_report() {
        let report = Arc::new((Mutex::new(false), Condvar::new()));
        let verdict = Arc::new(AtomicBool::new(false));
        let (monitor, stalled) = (report.clone(), verdict.clone());
        thread::spawn(move || {
            *monitor.0.lock().unwrap() = true;
            monitor.1.notify_all();
            stalled.store(true, SeqCst);
        });
        let mut reported = report.0.lock().unwrap();
        while !*reported {
            reported = report.1.wait(reported).unwrap();
        }
        drop(reported);
        thread::sleep(ms(40));
        assert!(verdict.load(SeqCst));
    }

    // rust-lang/rust#152648: parks no longer than so long.
    #[test]
    fn the_parked_thread_is_woken() {
        let lamp = Arc::new(AtomicBool::new(false));
        let waiter = thread::current();
        let set = lamp.clone();
        thread::spawn(move || {
            set.store(true, SeqCst);
            waiter.unpark();
        });
        thread::park_timeout(ms(200));
        assert!(lamp.load(SeqCst));
    }

    // shadow/shadow#1640: a wait with a limit that must not time out.
    #[test]
    fn the_wait_is_not_over_too_early() {
        let open = Arc::new((Mutex::new(false), Condvar::new()));
        let opened = open.clone();
        thread::spawn(move || {
            *opened.0.lock().unwrap() = true;
            opened.1.notify_one();
        });
        let held = open.0.lock().unwrap();
        let (_open, wait) = open.1.wait_timeout_while(held, ms(200), |open| !*open).unwrap();
        assert!(!wait.timed_out());
    }
}

mod mended {
    use super::*;

    #[test]
    fn the_lamp_is_on_after_a_while() {
        let lamp = Arc::default();
        let other = switch_on(&lamp);
        thread::sleep(ms(40));
        other.join().unwrap();
        assert!(lamp.load(SeqCst));
    }

    #[test]
    fn an_answer_comes_in_time() {
        let (sender, receiver) = mpsc::channel();
        let other = thread::spawn(move || sender.send("yes"));
        assert_eq!(receiver.recv(), Ok("yes"));
        other.join().unwrap().unwrap();
    }

    #[test]
    fn a_sum_takes_no_time() {
        let begun = Instant::now();
        assert_eq!((1..=100).sum::<u32>(), 5_050);
        assert!(begun.elapsed() < ms(30_000));
    }

    #[test]
    fn the_second_stamp_is_later() {
        let first = Instant::now();
        let second = Instant::now();
        assert!(second >= first);
    }

    #[test]
    fn it_is_about_now() {
        let now = now();
        let (from, to) = (now - 600, now + 600);
        assert!(from <= now && now <= to);
    }

    #[test]
    fn what_is_an_hour_old_is_of_today() {
        let noon = now() / DAY * DAY + DAY / 2;
        let written = noon - 2;
        assert_eq!(written / DAY, noon / DAY);
    }

    #[test]
    fn a_line_has_the_time() {
        let at = now();
        let line = format!("{at} started");
        assert_eq!(line, format!("{at} started"));
    }

    #[test]
    fn the_third_call_is_refused() {
        let (mut tokens, filled) = (2, ms(0));
        let mut take = |now| {
            if now - filled >= ms(300) {
                tokens = 2;
            }
            let granted = tokens > 0;
            tokens -= u32::from(granted);
            granted
        };
        assert!(take(ms(1)) && take(ms(2)));
        assert!(!take(ms(3)));
    }

    #[test]
    fn the_backoff_takes_about_as_long_as_it_should() {
        let begun = Instant::now();
        thread::sleep(ms(150));
        assert!(begun.elapsed() >= ms(150));
    }

    #[test]
    fn the_entry_is_fresh() {
        let entry = (Instant::now() + ms(3_600_000), "bread");
        let found = (Instant::now() < entry.0).then_some(entry.1);
        assert_eq!(found, Some("bread"));
    }

    #[test]
    fn the_verdict_comes_with_the_report() {
        let report = Arc::new((Mutex::new(false), Condvar::new()));
        let verdict = Arc::new(AtomicBool::new(false));
        let (monitor, stalled) = (report.clone(), verdict.clone());
        thread::spawn(move || {
            stalled.store(true, SeqCst);
            *monitor.0.lock().unwrap() = true;
            monitor.1.notify_all();
        });
        let mut reported = report.0.lock().unwrap();
        while !*reported {
            reported = report.1.wait(reported).unwrap();
        }
        assert!(verdict.load(SeqCst));
    }

    #[test]
    fn the_parked_thread_is_woken() {
        let lamp = Arc::new(AtomicBool::new(false));
        let waiter = thread::current();
        let set = lamp.clone();
        thread::spawn(move || {
            set.store(true, SeqCst);
            waiter.unpark();
        });
        while !lamp.load(SeqCst) {
            thread::park_timeout(ms(200));
        }
    }

    #[test]
    fn the_wait_is_not_over_too_early() {
        let open = Arc::new((Mutex::new(false), Condvar::new()));
        let opened = open.clone();
        thread::spawn(move || {
            *opened.0.lock().unwrap() = true;
            opened.1.notify_one();
        });
        let held = open.0.lock().unwrap();
        assert!(*open.1.wait_while(held, |open| !*open).unwrap());
    }
}
