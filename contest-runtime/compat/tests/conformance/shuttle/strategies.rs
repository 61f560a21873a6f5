//! `basic/dfs.rs`, `basic/pct.rs`, `basic/portfolio.rs`, `demo/surw.rs`, `demo/bounded_buffer.rs`: how many
//! interleavings there are, and which strategy finds what.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use contest::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use contest::sync::{Condvar, Mutex};
use contest::{Builder, thread};
use contest_compat::shuttle::scheduler::{
    DfsScheduler, PctScheduler, RandomScheduler, UrwRandomScheduler,
};
use contest_compat::shuttle::{Config, PortfolioRunner, Runner, check_pct, check_random};

/// Two threads with so many independent steps each.
fn independent(steps: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let work = move || (0..steps).for_each(|_| thread::yield_now());
        let threads = [thread::spawn(work), thread::spawn(work)];
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    }
}

fn binomial(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

#[test]
fn depth_first_search_runs_every_order_of_steps() {
    // Each thread has its steps and, before them, its first; a third thread joins both. Ends are no steps.
    for steps in 0..4 {
        let scheduler = DfsScheduler::new(None, false);
        let executions = Runner::new(scheduler, Config::new()).run(independent(steps)) as u64;
        let of_two = binomial(2 * steps as u64 + 2, steps as u64 + 1);
        assert!(executions >= of_two, "{steps}: {executions} < {of_two}");
    }
}

#[test]
fn depth_first_search_stops_at_its_limit() {
    let scheduler = DfsScheduler::new(Some(7), false);
    assert_eq!(Runner::new(scheduler, Config::new()).run(independent(3)), 7);
}

#[test]
fn exhaustive_search_runs_independent_steps_in_one_order() {
    let report = Builder::new()
        .exhaustive()
        .without_repetitions()
        .run(independent(3));
    assert_eq!((report.exhausted(), report.executions()), (true, 1));
}

/// Figure 5 of the PCT paper: fails if one thread makes all its steps before the other makes one.
fn all_before_one() {
    let value = Arc::new(Mutex::new(0));
    let theirs = Arc::clone(&value);
    let other = Arc::new(AtomicUsize::new(0));
    thread::spawn(move || {
        for _ in 0..30 {
            other.fetch_add(1, SeqCst);
        }
        *theirs.lock().unwrap() = 1;
    });
    assert_ne!(*value.lock().unwrap(), 1, "ran to its end");
}

#[test]
fn pct_finds_at_depth_one_what_a_random_walk_misses() {
    // A walk has to be lucky 30 times in a row; PCT half of the times.
    check_random(all_before_one, 100);
    let found = catch_unwind(|| check_pct(all_before_one, 20, 1));
    assert!(found.is_err());
}

#[test]
fn pct_of_one_thread_is_a_mistake() {
    let payload = catch_unwind(|| check_pct(|| {}, 10, 2)).unwrap_err();
    let text = payload.downcast_ref::<&str>().expect("a message");
    assert!(text.contains("did not exercise any concurrency"), "{text}");
}

#[test]
fn pct_lets_others_go_on_while_one_yields_in_a_loop() {
    let mut config = Config::new();
    config.max_steps = contest_compat::shuttle::MaxSteps::FailAfter(60);
    Runner::new(PctScheduler::new(1, 100), config).run(|| {
        let count = Arc::new(AtomicUsize::new(0));
        for _ in 0..4 {
            let count = Arc::clone(&count);
            thread::spawn(move || count.fetch_add(1, SeqCst));
        }
        while count.load(SeqCst) < 4 {
            thread::yield_now();
        }
    });
}

/// Two locks in both orders: two preemptions... of depth two.
fn crossed() {
    let locks = Arc::new((Mutex::new(()), Mutex::new(())));
    let theirs = Arc::clone(&locks);
    thread::spawn(move || {
        let _first = theirs.0.lock().unwrap();
        let _second = theirs.1.lock().unwrap();
    });
    thread::spawn(move || {
        let _second = locks.1.lock().unwrap();
        let _first = locks.0.lock().unwrap();
    });
}

#[test]
fn a_portfolio_fails_if_one_of_its_strategies_finds_something() {
    Runner::new(PctScheduler::new(1, 500), Config::new()).run(crossed);
    let mut runner = PortfolioRunner::new(true, Config::new());
    runner.add(PctScheduler::new(1, 100));
    runner.add(PctScheduler::new(2, 100));
    runner.add(RandomScheduler::new(100));
    let payload = catch_unwind(AssertUnwindSafe(|| runner.run(crossed))).unwrap_err();
    let text = payload.downcast_ref::<String>().expect("a message");
    assert!(text.contains("deadlock"), "{text}");
}

#[test]
fn a_walk_uniform_over_interleavings_finds_what_comes_late_in_uneven_threads() {
    // One step of the short thread has to come after all 25 of the long one, or close to it.
    fn late(found: &Arc<AtomicBool>) {
        let count = Arc::new(AtomicUsize::new(0));
        let theirs = Arc::clone(&count);
        let long = thread::spawn(move || {
            for _ in 0..25 {
                theirs.fetch_add(1, SeqCst);
            }
        });
        let short = thread::spawn(move || count.load(SeqCst));
        long.join().unwrap();
        if short.join().unwrap() == 25 {
            found.store(true, SeqCst);
        }
    }
    let found = Arc::new(AtomicBool::new(false));
    let theirs = Arc::clone(&found);
    Runner::new(UrwRandomScheduler::new(1_000), Config::new()).run(move || late(&theirs));
    assert!(found.load(SeqCst));
}

/// A bounded buffer with one condition for both sides: with more threads than twice its size, notifications go astray.
fn bounded_buffer(size: usize, readers: usize, writers: usize, messages: usize) -> impl Fn() {
    move || {
        let buffer = Arc::new((Mutex::new(0_usize), Condvar::new()));
        let start = |writes: bool, times: usize| {
            let buffer = Arc::clone(&buffer);
            thread::spawn(move || {
                for _ in 0..times {
                    let mut filled = buffer.0.lock().unwrap();
                    while *filled == if writes { size } else { 0 } {
                        filled = buffer.1.wait(filled).unwrap();
                    }
                    *filled = if writes { *filled + 1 } else { *filled - 1 };
                    buffer.1.notify_one();
                }
            })
        };
        let mut threads = Vec::new();
        threads.extend((0..readers).map(|_| start(false, messages / readers)));
        threads.extend((0..writers).map(|_| start(true, messages / writers)));
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    }
}

#[test]
fn a_bounded_buffer_with_one_condition_deadlocks_and_with_few_threads_does_not() {
    for strategy in ["random", "pct"] {
        let run = |readers, writers| {
            let builder = Builder::new().strategy(strategy).max_executions(2_000);
            builder.run(bounded_buffer(1, readers, writers, 6))
        };
        assert_eq!(run(1, 1).findings(), [], "{strategy}");
        assert_eq!(
            run(3, 1).findings().first().map(|finding| finding.kind),
            Some(contest::FindingKind::Deadlock),
            "{strategy}"
        );
    }
}
