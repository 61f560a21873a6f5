//! What is unusual: long histories, many threads, pointers, accesses of different width.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};
use std::task::Poll;

use contest::notify::AtomicWaker;
use contest::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64};
use contest::{Builder, MemoryModel, Report};

fn rc11() -> Builder {
    Builder::new().memory_model(MemoryModel::Rc11)
}

#[track_caller]
fn clean(report: &Report) {
    assert!(report.findings().is_empty(), "{:?}", report.findings());
}

#[test]
fn a_hundred_thousand_stores_are_bounded_and_that_is_said() {
    const STORES: u32 = 100_000;
    let model = || {
        let value = Arc::new(AtomicU32::new(0));
        let theirs = value.clone();
        let thread = contest::thread::spawn(move || {
            let first = theirs.load(Relaxed);
            assert!(theirs.load(Relaxed) >= first);
        });
        for number in 1..=STORES {
            value.store(number, Relaxed);
        }
        thread.join().unwrap();
        assert_eq!(value.load(Relaxed), STORES);
    };
    let builder = || rc11().max_steps(4 * STORES);
    clean(&builder().strategy("random").max_executions(3).run(model));
    let report = builder().exhaustive().max_executions(3).run(model);
    clean(&report);
    assert!(!report.exhausted());
    let cut = report.cut().unwrap_or_default();
    assert!(cut.contains("too many operations"), "{cut}");
}

#[test]
fn a_counter_of_sixty_four_threads_loses_nothing() {
    const THREADS: usize = 64;
    let model = || {
        let count = Arc::new(AtomicU64::new(0));
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let count = count.clone();
                contest::thread::spawn(move || count.fetch_add(1, Relaxed))
            })
            .collect();
        let mut seen: Vec<u64> = threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..THREADS as u64));
        assert_eq!(count.load(Relaxed), THREADS as u64);
    };
    for strategy in ["random", "pct", "portfolio"] {
        clean(&rc11().strategy(strategy).max_executions(50).run(model));
    }
}

/// What a pointer leads to is another object each time, of another size.
fn handed_over(store: Ordering) -> impl Fn() {
    #[repr(C)]
    struct Large {
        value: AtomicU32,
        rest: [u64; 7],
    }
    move || {
        let small = AtomicU32::new(0);
        let large = Large {
            value: AtomicU32::new(0),
            rest: [0; 7],
        };
        let (small, large) = (Box::into_raw(Box::new(small)), Box::new(large));
        let large = Box::into_raw(large);
        let current = Arc::new(AtomicPtr::new(small));
        let theirs = current.clone();
        let address = large as usize;
        let thread = contest::thread::spawn(move || {
            let large = address as *mut Large;
            // SAFETY: freed after this thread has ended only, and used by atomic operations.
            unsafe { (*large).value.store(7, Relaxed) };
            theirs.store(large.cast(), store);
        });
        let found = current.load(Acquire);
        // SAFETY: likewise; a large one begins with what is read.
        let value = unsafe { (*found).load(Relaxed) };
        thread.join().unwrap();
        // SAFETY: made above.
        drop(unsafe { (Box::from_raw(small), Box::from_raw(large)) });
        assert_eq!(value, if found == small { 0 } else { 7 });
    }
}

#[test]
fn what_a_pointer_leads_to_is_there_if_the_pointer_was_released() {
    let report = rc11().exhaustive().run(handed_over(Release));
    clean(&report);
    assert_eq!((report.exhausted(), report.executions()), (true, 2));
    let report = rc11().exhaustive().run(handed_over(Relaxed));
    assert_eq!(report.findings().len(), 1);
}

/// Two views of the same memory.
#[repr(C, align(8))]
struct Word([u8; 8]);

impl Word {
    fn whole(&self) -> &AtomicU64 {
        // SAFETY: aligned, and all accesses are atomic.
        unsafe { AtomicU64::from_ptr(std::ptr::from_ref(&self.0).cast_mut().cast()) }
    }

    fn byte(&self) -> &AtomicU8 {
        // SAFETY: as above.
        unsafe { AtomicU8::from_ptr(std::ptr::from_ref(&self.0).cast_mut().cast()) }
    }
}

#[test]
fn accesses_of_different_width_are_followed_as_they_come_and_that_is_said() {
    let model = || {
        let word = Arc::new(Word([0; 8]));
        let theirs = word.clone();
        let thread = contest::thread::spawn(move || theirs.byte().store(1, Release));
        let seen = word.whole().load(Acquire);
        assert!(seen.to_ne_bytes()[0] <= 1);
        thread.join().unwrap();
        assert_eq!(word.whole().load(SeqCst).to_ne_bytes()[0], 1);
    };
    clean(&rc11().strategy("portfolio").max_executions(200).run(model));
    let report = rc11().exhaustive().run(model);
    clean(&report);
    let cut = report.cut().unwrap_or_default();
    assert!(cut.contains("different widths"), "{cut}");
}

#[test]
fn an_ordering_that_is_chosen_at_run_time_counts() {
    let model = |ordering: fn(bool) -> Ordering| {
        move || {
            let shared = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
            let theirs = shared.clone();
            let thread = contest::thread::spawn(move || {
                let turn = theirs.1.load(Relaxed) == 0;
                theirs.0.store(1, Relaxed);
                theirs.1.store(1, ordering(turn));
            });
            if shared.1.load(Acquire) == 1 {
                assert_eq!(shared.0.load(Relaxed), 1);
            }
            thread.join().unwrap();
        }
    };
    let releases = model(|first| if first { Release } else { Relaxed });
    let report = rc11().exhaustive().run(releases);
    clean(&report);
    assert!(report.exhausted());
    let report = rc11()
        .exhaustive()
        .run(model(|first| if first { Relaxed } else { Release }));
    assert_eq!(report.findings().len(), 1);
}

/// Where an operation finds what it reads, there must be nothing else: a mutex was locked by it.
#[test]
fn a_task_that_is_woken_while_it_registers_is_run_under_rc11() {
    let model = || {
        let shared = Arc::new((AtomicU32::new(0), AtomicWaker::new()));
        let theirs = shared.clone();
        let thread = contest::thread::spawn(move || {
            theirs.0.store(1, Release);
            theirs.1.wake();
        });
        contest::future::block_on(poll_fn(|context| {
            shared.1.register_by_ref(context.waker());
            match shared.0.load(Acquire) {
                0 => Poll::Pending,
                _ => Poll::Ready(()),
            }
        }));
        thread.join().unwrap();
    };
    clean(&rc11().exhaustive().max_executions(1000).run(model));
    let sampled = rc11().strategy("random").max_executions(200).run(model);
    clean(&sampled);
    assert!(sampled.executions() > 100);
}
