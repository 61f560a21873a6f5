//! Memory stays flat over many executions, whatever their threads are doing when they end.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

use contest::model::Detached;
use contest::sync::atomic::{AtomicBool, Ordering::SeqCst};
use contest::sync::{Condvar, Mutex, mpsc};
use contest::{Builder, thread};

use crate::alone::{in_own_process, text_of};
use crate::running::abba;

struct Counting;

static LIVE: AtomicIsize = AtomicIsize::new(0);

// SAFETY: passes everything on to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as isize, Relaxed);
        // SAFETY: promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as isize, Relaxed);
        // SAFETY: promised by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn run(executions: u64, model: fn()) -> (isize, u64) {
    let before = LIVE.load(Relaxed);
    let report = Builder::new()
        .strategy("random")
        .max_executions(executions)
        .max_findings(usize::MAX)
        .detached(Detached::EndWithMain)
        .allow_no_decisions()
        .run(model);
    assert!(report.executions() + 10 >= executions, "{report:?}");
    let given_up = report.given_up();
    drop(report);
    (LIVE.load(Relaxed) - before, given_up)
}

/// Live bytes after many executions are those after few.
fn assert_flat(test: &str, many: u64, model: fn()) {
    if let Some(output) = in_own_process(test, &[]) {
        assert!(output.status.success(), "{}", text_of(&output));
        return;
    }
    run(200, model);
    let (few, _) = run(2_000, model);
    let (grown, given_up) = run(many, model);
    assert!(
        grown - few < 4_096,
        "{few} bytes more after 2,000 executions, {grown} after {many}"
    );
    assert_eq!(given_up, 0);
}

#[test]
fn a_model_that_deadlocks() {
    assert_flat("memory::a_model_that_deadlocks", 100_000, || {
        let _owned = Box::new([1_u8; 100]);
        abba();
    });
}

#[test]
fn a_model_that_panics_while_others_are_in_the_middle() {
    assert_flat(
        "memory::a_model_that_panics_while_others_are_in_the_middle",
        100_000,
        || {
            contest::thread_local! {
                static LOCAL: Vec<u8> = vec![1; 100];
            }
            LOCAL.with(|_| ());
            let lock = Arc::new(Mutex::new(vec![0_u8; 100]));
            let theirs = Arc::clone(&lock);
            thread::spawn(move || {
                LOCAL.with(|_| ());
                let mut guard = theirs.lock().unwrap();
                guard.push(1);
                thread::yield_now();
                drop(guard);
            });
            let text = format!(
                "{}",
                lock.lock().unwrap_or_else(|error| error.into_inner()).len()
            );
            panic!("with {text}");
        },
    );
}

#[test]
fn threads_that_never_end() {
    assert_flat("memory::threads_that_never_end", 100_000, || {
        let flag = Arc::new(AtomicBool::new(false));
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let (theirs, owned) = (Arc::clone(&flag), vec![1_u8; 100]);
        thread::spawn(move || {
            while !theirs.load(SeqCst) {
                thread::yield_now();
            }
            drop(owned);
        });
        let theirs = Arc::clone(&pair);
        thread::spawn(move || {
            let guard = theirs.0.lock().unwrap();
            drop(theirs.1.wait(guard).unwrap());
        });
        thread::yield_now();
    });
}

#[test]
fn threads_that_wait_for_messages_and_for_each_other() {
    assert_flat(
        "memory::threads_that_wait_for_messages_and_for_each_other",
        20_000,
        || {
            let (sender, receiver) = mpsc::channel::<Vec<u8>>();
            let (back, answers) = mpsc::sync_channel::<Vec<u8>>(1);
            let first = thread::spawn(move || {
                let _keep = back;
                receiver.recv().map(|message| message.len())
            });
            let second = thread::spawn(move || answers.recv().map(|message| message.len()));
            let _unused = sender.clone();
            first.join().unwrap().unwrap();
            second.join().unwrap().unwrap();
        },
    );
}

#[test]
fn models_that_pass() {
    assert_flat("memory::models_that_pass", 100_000, || {
        let count = Arc::new(Mutex::new(vec![0_u8; 10]));
        let theirs = Arc::clone(&count);
        let thread = thread::spawn(move || theirs.lock().unwrap().push(1));
        count.lock().unwrap().push(2);
        thread.join().unwrap();
    });
}
