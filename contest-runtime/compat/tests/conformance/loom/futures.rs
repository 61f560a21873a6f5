//! loom `tests/futures.rs`.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use contest::notify::AtomicWaker;
use contest::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use contest::thread;
use contest_compat::loom::block_on;

use crate::runs::{outcomes, passes};

#[test]
fn a_task_that_registers_before_it_looks_misses_no_wake() {
    passes(|| {
        let shared = Arc::new((AtomicU32::new(0), AtomicWaker::new()));
        for _ in 0..2 {
            let (count, waker) = (Arc::clone(&shared), Arc::clone(&shared));
            thread::spawn(move || {
                count.0.fetch_add(1, Ordering::Relaxed);
                waker.1.wake();
            });
        }
        block_on(poll_fn(|context| {
            shared.1.register_by_ref(context.waker());
            if shared.0.load(Ordering::Relaxed) == 2 {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        }));
    });
}

#[test]
fn a_task_that_looks_before_it_registers_misses_one() {
    let (kind, _) = crate::runs::fails(|| {
        let shared = Arc::new((AtomicBool::new(false), AtomicWaker::new()));
        let theirs = Arc::clone(&shared);
        thread::spawn(move || {
            theirs.0.store(true, Ordering::SeqCst);
            theirs.1.wake();
        });
        block_on(poll_fn(|context| {
            if shared.0.load(Ordering::SeqCst) {
                return Poll::Ready(());
            }
            shared.1.register_by_ref(context.waker());
            Poll::Pending
        }));
    });
    assert_eq!(kind, contest::FindingKind::Deadlock);
}

#[test]
fn a_future_may_be_polled_once_without_having_been_woken() {
    let polls = outcomes(|| {
        let ready = Arc::new(AtomicBool::new(false));
        let mut polls = 0;
        block_on(poll_fn(|context| {
            polls += 1;
            if polls == 1 {
                let (ready, waker) = (Arc::clone(&ready), context.waker().clone());
                thread::spawn(move || {
                    ready.store(true, Ordering::Release);
                    waker.wake();
                });
            }
            if ready.load(Ordering::Acquire) {
                Poll::Ready(polls)
            } else {
                Poll::Pending
            }
        }))
    });
    assert_eq!(polls, [1, 2, 3].into());
}
