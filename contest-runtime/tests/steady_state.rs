//! What an execution costs once an engine has run for a while: no memory of its own.

// With loom, this crate's engine and its types are not there.
#![cfg(not(feature = "loom"))]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use contest::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use contest::sync::{Arc, Mutex};
use contest::thread;
use contest_data::decision::Strategy;
use contest_data::limits::Limits;
use contest_engine::execution::Engine;
use contest_search::explore::{Pct, Random};

/// Allocations of this process so far.
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

struct Counting;

// SAFETY: all is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: passed on.
        unsafe { System.dealloc(block, layout) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: passed on.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Two threads, results of theirs, a lock and an atomic; one allocation of its own.
fn program() {
    let shared = Arc::new((AtomicUsize::new(0), Mutex::new(0)));
    let threads = [1, 2].map(|number| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            shared.0.fetch_add(number, SeqCst);
            *shared.1.lock().unwrap() += number;
            number
        })
    });
    let sum: usize = threads.map(|thread| thread.join().unwrap()).iter().sum();
    assert_eq!((sum, shared.0.load(SeqCst)), (3, 3));
}

fn allocations_per_execution(strategy: &mut dyn Strategy) -> f64 {
    const EXECUTIONS: u64 = 1_000;
    let mut engine = Engine::new(Limits::default());
    let mut run = |times| {
        for _ in 0..times {
            assert!(strategy.begin());
            let record = engine.run(strategy, program);
            strategy.end(record);
        }
    };
    run(EXECUTIONS);
    let before = ALLOCATIONS.load(Relaxed);
    run(EXECUTIONS);
    (ALLOCATIONS.load(Relaxed) - before) as f64 / EXECUTIONS as f64
}

// One test: the counter is the process's.
#[test]
fn an_execution_allocates_what_the_program_allocates_and_no_more() {
    for (name, strategy) in [
        ("random", &mut Random::new(1, u64::MAX) as &mut dyn Strategy),
        ("pct", &mut Pct::new(1, 3, u64::MAX)),
    ] {
        let each = allocations_per_execution(strategy);
        assert!((each - 1.0).abs() < 0.01, "{name}: {each} allocations");
    }
}
