//! Models under RC11: what other objects order, what a replay does, what failures say.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use contest::sync::atomic::{AtomicBool, AtomicU32};
use contest::sync::{Mutex, OnceLock, mpsc};
use contest::{Builder, MemoryModel};
use contest_data::decision::{Choice, DecisionPoint, MemoryPoint, Strategy};
use contest_data::limits::Limits;
use contest_data::trace::{Ending, ExecutionRecord};
use contest_engine::execution::Engine;

fn rc11() -> Builder {
    Builder::new().memory_model(MemoryModel::Rc11)
}

/// A value is written and announced; who sees the announcement must see the value.
fn announced(announce: std::sync::atomic::Ordering) -> impl Fn() {
    move || {
        let shared = Arc::new((AtomicU32::new(0), AtomicBool::new(false)));
        let theirs = shared.clone();
        let thread = contest::thread::spawn(move || {
            theirs.0.store(7, Relaxed);
            theirs.1.store(true, announce);
        });
        if shared.1.load(Acquire) {
            assert_eq!(shared.0.load(Relaxed), 7, "announced too early");
        }
        thread.join().unwrap();
    }
}

#[test]
fn a_relaxed_announcement_is_too_early_and_the_report_says_why() {
    let report = rc11().exhaustive().run(announced(Relaxed));
    let finding = &report.findings()[0];
    assert!(
        finding.message.contains("announced too early"),
        "{}",
        finding.message
    );
    let details = finding.details.join("; ");
    assert!(
        details.contains("took the first value, passing over the write at"),
        "{details}"
    );
    assert!(
        details.contains("is Relaxed, so it does not synchronise"),
        "{details}"
    );
    let again = Builder::new()
        .replay(&finding.schedule)
        .run(announced(Relaxed));
    assert!(again.findings()[0].message.contains("announced too early"));
    assert!(
        Builder::new()
            .exhaustive()
            .run(announced(Relaxed))
            .findings()
            .is_empty()
    );
}

#[test]
fn a_release_announcement_is_in_time_in_every_graph() {
    let report = rc11().exhaustive().run(announced(Release));
    assert!(report.findings().is_empty(), "{:?}", report.findings());
    assert!(report.exhausted());
    // The flag is not seen, or both are.
    assert_eq!(report.executions(), 2);
}

#[test]
fn sampling_finds_it_too() {
    for strategy in ["auto", "random", "pct", "portfolio"] {
        let builder = rc11().strategy(strategy).max_executions(2_000);
        assert_eq!(
            builder.run(announced(Relaxed)).findings().len(),
            1,
            "{strategy}"
        );
    }
}

#[test]
fn locks_channels_and_joined_threads_order_what_they_hand_on() {
    let model = || {
        let value = Arc::new(AtomicU32::new(0));
        let lock = Arc::new(Mutex::new(false));
        let (sender, receiver) = mpsc::channel();
        let (theirs, their_lock) = (value.clone(), lock.clone());
        let thread = contest::thread::spawn(move || {
            theirs.store(1, Relaxed);
            *their_lock.lock().unwrap() = true;
            theirs.store(2, Relaxed);
            sender.send(()).unwrap();
            theirs.store(3, Relaxed);
        });
        if *lock.lock().unwrap() {
            assert!(value.load(Relaxed) >= 1);
        }
        receiver.recv().unwrap();
        assert!(value.load(Relaxed) >= 2);
        thread.join().unwrap();
        assert_eq!(value.load(Relaxed), 3);
    };
    let report = rc11()
        .strategy("portfolio")
        .max_executions(2_000)
        .run(model);
    assert!(report.findings().is_empty(), "{:?}", report.findings());
    let report = rc11().exhaustive().run(model);
    assert!(report.exhausted(), "{:?}", report.cut());
    assert!(report.findings().is_empty(), "{:?}", report.findings());
}

#[test]
fn a_loop_that_waits_comes_to_its_end() {
    let model = || {
        let flag = Arc::new(AtomicBool::new(false));
        let theirs = flag.clone();
        let thread = contest::thread::spawn(move || theirs.store(true, Relaxed));
        while !flag.load(Relaxed) {
            contest::hint::spin_loop();
        }
        thread.join().unwrap();
    };
    let report = rc11().strategy("portfolio").max_executions(500).run(model);
    assert!(report.findings().is_empty(), "{:?}", report.findings());
    // Rounds that read nothing new are no graphs of their own.
    let report = rc11().exhaustive().run(model);
    assert!(report.findings().is_empty(), "{:?}", report.findings());
    assert!(report.exhausted(), "{:?}", report.cut());
}

#[test]
fn a_loop_that_waits_for_ever_is_found() {
    let model = || {
        let (ready, answer) = (AtomicBool::new(false), AtomicBool::new(false));
        let flags = Arc::new((ready, answer));
        let theirs = flags.clone();
        let thread = contest::thread::spawn(move || {
            // Right only if what was announced is seen as well.
            if theirs.1.load(Relaxed) && theirs.0.load(Relaxed) {
                theirs.1.store(false, Relaxed);
            }
        });
        flags.0.store(true, Relaxed);
        flags.1.store(true, Relaxed);
        while flags.1.load(Relaxed) {
            contest::hint::spin_loop();
        }
        thread.join().unwrap();
    };
    let report = rc11().exhaustive().run(model);
    assert_eq!(report.findings().len(), 1, "{:?}", report.cut());
}

#[test]
fn a_weak_exchange_fails_where_a_strong_one_does_not() {
    let model = |weak: bool| {
        move || {
            let value = AtomicU32::new(0);
            let result = match weak {
                true => value.compare_exchange_weak(0, 1, Relaxed, Relaxed),
                false => value.compare_exchange(0, 1, Relaxed, Relaxed),
            };
            assert_eq!(result, Ok(0));
        }
    };
    for strategy in ["portfolio", "random", "auto"] {
        let builder = || rc11().strategy(strategy).max_executions(300);
        assert_eq!(builder().run(model(true)).findings().len(), 1, "{strategy}");
        assert_eq!(
            builder().run(model(false)).findings().len(),
            0,
            "{strategy}"
        );
    }
    let report = rc11().exhaustive().run(model(true));
    assert_eq!(report.findings().len(), 1);
    // Under sequential consistency it does not: nothing is found later than before.
    let report = contest::Builder::new().run(model(true));
    assert!(report.findings().is_empty(), "{:?}", report.findings());
}

#[test]
fn a_loop_around_a_weak_exchange_ends() {
    let model = || {
        let value = Arc::new(AtomicU32::new(0));
        let theirs = value.clone();
        let thread = contest::thread::spawn(move || theirs.fetch_add(1, Relaxed));
        let mut seen = value.load(Relaxed);
        while let Err(now) = value.compare_exchange_weak(seen, seen + 1, Relaxed, Relaxed) {
            seen = now;
        }
        thread.join().unwrap();
        assert_eq!(value.load(Relaxed), 2);
    };
    let report = rc11().exhaustive().run(model);
    assert!(report.findings().is_empty(), "{:?}", report.findings());
    assert!(report.exhausted(), "{:?}", report.cut());
}

#[test]
fn locks_in_opposite_orders_deadlock_in_one_graph() {
    let model = || {
        let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
        let theirs = locks.clone();
        let thread = contest::thread::spawn(move || {
            let _second = theirs.1.lock();
            let _first = theirs.0.lock();
        });
        {
            let _first = locks.0.lock();
            let _second = locks.1.lock();
        }
        thread.join().unwrap();
    };
    let report = rc11().exhaustive().run(model);
    assert_eq!(report.findings().len(), 1, "{:?}", report.cut());
}

/// Gives up at the first choice.
struct GivesUp;

impl Strategy for GivesUp {
    fn begin(&mut self) -> bool {
        true
    }

    fn thread(&mut self, point: &DecisionPoint<'_>) -> Choice {
        Choice::Run(point.enabled.lowest())
    }

    fn memory(&mut self, _: &MemoryPoint<'_>) -> Option<u16> {
        None
    }

    fn memory_model(&self) -> Option<MemoryModel> {
        Some(MemoryModel::Rc11)
    }

    fn value(&mut self, _: u16) -> u16 {
        0
    }

    fn seed(&mut self) -> u64 {
        0
    }

    fn end(&mut self, _: &ExecutionRecord) {}
}

#[test]
fn an_execution_that_is_given_up_is_unwound() {
    let dropped = Arc::new(AtomicU32::new(0));
    let kept = dropped.clone();
    let mut engine = Engine::new(Limits::default());
    let record = engine.run(&mut GivesUp, move || {
        let owned = kept;
        AtomicU32::new(1).load(Relaxed);
        drop(owned);
        panic!("the execution was given up before");
    });
    assert_eq!(record.ending, Ending::Abandoned);
    assert_eq!(Arc::strong_count(&dropped), 1);
}

#[test]
fn exclusive_accesses_end_what_was_before() {
    let model = || {
        let mut value = AtomicU32::new(1);
        value.store(2, Relaxed);
        *value.get_mut() = 5;
        let value = Arc::new(value);
        let theirs = value.clone();
        let thread = contest::thread::spawn(move || theirs.load(Relaxed));
        value.store(6, Relaxed);
        assert!(thread.join().unwrap() >= 5);
    };
    let report = rc11().exhaustive().run(model);
    assert!(report.findings().is_empty(), "{:?}", report.findings());
    assert_eq!(report.executions(), 2);
}

// The second cell is where the first one was, or not: by whether the other thread is done with the first.
#[test]
fn memory_that_is_used_again_in_some_executions_only_ends_the_exhaustive_search() {
    let model = || {
        let slot = Arc::new(Mutex::new(Some(Arc::new(OnceLock::new()))));
        let theirs = slot.clone();
        let thread = contest::thread::spawn(move || {
            let cell = theirs.lock().unwrap().clone();
            if let Some(cell) = cell {
                cell.get_or_init(|| 3);
            }
        });
        let other = contest::thread::spawn(move || {
            slot.lock().unwrap().take();
            let fresh = Arc::new(OnceLock::new());
            assert_eq!(*fresh.get_or_init(|| 2), 2);
            *slot.lock().unwrap() = Some(fresh);
        });
        thread.join().unwrap();
        other.join().unwrap();
    };
    let report = rc11().exhaustive().run(model);
    assert!(report.findings().is_empty(), "{:?}", report.findings());
    let cut = report.cut().unwrap_or_default();
    assert!(cut.contains("used again"), "{cut:?}");
}
