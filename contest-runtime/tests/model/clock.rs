//! `contest::time` reads the virtual clock inside a model.

use contest::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use contest::sync::{Arc, Condvar, Mutex};
use contest::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use contest::{Builder, thread};
use contest_data::limits::Timeouts;

const HOUR: Duration = Duration::from_secs(3600);

#[test]
fn an_hour_asleep_is_an_hour_on_both_clocks_and_takes_no_time() {
    let real = std::time::Instant::now();
    Builder::new().allow_no_decisions().check(|| {
        let (instant, date) = (Instant::now(), SystemTime::now());
        thread::sleep(HOUR);
        assert!(instant.elapsed() >= HOUR && instant.elapsed() < HOUR + HOUR);
        assert!(date.elapsed().unwrap() >= HOUR);
    });
    assert!(real.elapsed() < HOUR);
}

#[test]
fn the_clock_never_stands_still_so_a_loop_that_waits_for_it_ends() {
    Builder::new().allow_no_decisions().check(|| {
        let until = Instant::now() + Duration::from_millis(1);
        while Instant::now() < until {
            thread::yield_now();
        }
    });
}

#[test]
fn every_execution_begins_at_the_same_time() {
    let seen = std::sync::Mutex::new(std::collections::HashSet::new());
    let report = Builder::new().exhaustive().run(|| {
        seen.lock()
            .unwrap()
            .insert((Instant::now(), SystemTime::now()));
        let count = Arc::new(AtomicUsize::new(0));
        let threads = [(); 2].map(|()| {
            let count = Arc::clone(&count);
            thread::spawn(move || count.fetch_add(1, SeqCst))
        });
        for thread in threads {
            thread.join().unwrap();
        }
    });
    assert!(report.findings().is_empty() && report.executions() > 1);
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen.len(), 1);
    let (_, date) = seen.into_iter().next().unwrap();
    let since_1970 = date.duration_since(UNIX_EPOCH).unwrap();
    assert_eq!(since_1970.as_secs(), 1_577_836_800);
}

#[test]
fn a_wait_that_times_out_has_lasted_as_long_as_it_should() {
    let early = contest::execution::Timeouts::Choice(1);
    Builder::new().exhaustive().timeouts(early).check(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let theirs = Arc::clone(&pair);
        let setter = thread::spawn(move || *theirs.0.lock().unwrap() = true);
        let begun = Instant::now();
        let guard = pair.0.lock().unwrap();
        // No thread notifies.
        let (guard, result) = pair.1.wait_timeout(guard, HOUR).unwrap();
        drop(guard);
        assert!(result.timed_out());
        assert!(begun.elapsed() >= HOUR, "{:?}", begun.elapsed());
        setter.join().unwrap();
    });
}

#[test]
fn a_thread_that_spins_a_little_before_it_waits_is_no_slower_than_one_that_sleeps() {
    let model = Builder::new().timeouts(Timeouts::LastResort);
    let model = model.max_executions(200).allow_no_decisions();
    model.check(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let thread = thread::spawn(move || {
            let begun = Instant::now();
            for _ in 0..11 {
                assert_eq!(flag.load(SeqCst), 0);
                thread::yield_now();
            }
            thread::park_timeout(HOUR);
            assert!(begun.elapsed() < HOUR + HOUR / 2, "{:?}", begun.elapsed());
        });
        thread::sleep(2 * HOUR);
        thread.join().unwrap();
    });
}

#[test]
fn outside_of_a_model_it_is_the_real_clock() {
    let (before, now, after) = (
        std::time::Instant::now(),
        Instant::now(),
        std::time::Instant::now(),
    );
    assert!(now >= before.into() && now <= after.into());
    assert!(SystemTime::now() > SystemTime::from(std::time::UNIX_EPOCH));
    assert!(Instant::now().elapsed() < HOUR);
}
