//! Loops that read the same again and again: those that end by themselves, and those that wait.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use contest::sync::atomic::AtomicU32;
use contest::{Builder, MemoryModel, Report};

fn exhaustive(model: impl Fn() + Send + Sync + 'static) -> Report {
    let builder = Builder::new().memory_model(MemoryModel::Rc11);
    builder.exhaustive().run(model)
}

/// One thread stores, the other one looks a number of times, and says how often it looked in vain.
fn looks(rounds: u32, check: fn(u32)) -> impl Fn() {
    move || {
        let flag = Arc::new(AtomicU32::new(0));
        let theirs = flag.clone();
        let thread = contest::thread::spawn(move || theirs.store(1, Release));
        let mut in_vain = 0;
        while in_vain < rounds && flag.load(Acquire) == 0 {
            in_vain += 1;
        }
        check(in_vain);
        thread.join().unwrap();
    }
}

#[test]
fn a_loop_of_a_few_rounds_is_explored_with_all_of_them() {
    for rounds in 1..=6 {
        let report = exhaustive(looks(rounds, |_| ()));
        assert!(report.exhausted(), "{rounds}: {:?}", report.cut());
        assert_eq!(report.executions(), u64::from(rounds) + 1, "{rounds}");
    }
}

#[test]
fn giving_up_after_a_few_rounds_is_found() {
    let report = exhaustive(looks(5, |in_vain| assert!(in_vain < 5, "gave up")));
    assert_eq!(report.findings().len(), 1, "{:?}", report.cut());
    let token = report.findings()[0].schedule.clone();
    let builder = Builder::new().replay(&token);
    let again = builder.run(looks(5, |in_vain| assert!(in_vain < 5, "gave up")));
    assert_eq!(again.findings().len(), 1, "{token}");
}

#[test]
fn a_loop_that_waits_by_several_reads_is_complete() {
    let report = exhaustive(|| {
        let flags = Arc::new([(); 2].map(|()| AtomicU32::new(0)));
        let threads = [0, 1].map(|own| {
            let flags = flags.clone();
            contest::thread::spawn(move || flags[own].store(1, Release))
        });
        while flags[0].load(Acquire) == 0 || flags[1].load(Acquire) == 0 {}
        for thread in threads {
            thread.join().unwrap();
        }
    });
    assert!(report.findings().is_empty(), "{:?}", report.findings());
    assert!(report.exhausted(), "{:?}", report.cut());
}

#[test]
fn a_bounded_loop_in_one_that_waits_is_complete() {
    let report = exhaustive(|| {
        let flag = Arc::new(AtomicU32::new(0));
        let theirs = flag.clone();
        let thread = contest::thread::spawn(move || theirs.store(1, Relaxed));
        'waits: loop {
            for _ in 0..4 {
                if flag.load(Relaxed) == 1 {
                    break 'waits;
                }
            }
            contest::thread::yield_now();
        }
        thread.join().unwrap();
    });
    assert!(report.findings().is_empty(), "{:?}", report.findings());
    assert!(report.exhausted(), "{:?}", report.cut());
}
