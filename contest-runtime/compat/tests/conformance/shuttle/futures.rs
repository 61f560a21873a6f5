//! `future/*.rs`: tasks, wakers, aborting, detaching.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use contest::FindingKind;
use contest::future::{JoinError, block_on, spawn, spawn_local, yield_now};
use contest::sync::Mutex;
use contest::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use contest::sync::mpsc::channel;
use contest::thread;

use super::{failure, outcomes};

#[test]
fn a_task_is_awaited_by_a_task_that_is_awaited() {
    let values = outcomes(|| {
        let first = spawn(async { 1 });
        let second = spawn(async { first.await.unwrap() + 1 });
        block_on(second).unwrap()
    });
    assert_eq!(values, BTreeSet::from([2]));
}

#[test]
fn tasks_interleave_where_they_yield() {
    let totals = outcomes(|| {
        let total = Arc::new(AtomicUsize::new(1));
        let start = |_| {
            let total = Arc::clone(&total);
            spawn(async move {
                let seen = total.load(SeqCst);
                yield_now().await;
                total.fetch_add(seen, SeqCst);
            })
        };
        let tasks: Vec<_> = (0..2).map(start).collect();
        block_on(async {
            for task in tasks {
                task.await.unwrap();
            }
        });
        total.load(SeqCst)
    });
    // Both read 1, or the second reads what the first left.
    assert_eq!(totals, BTreeSet::from([3, 4]));
}

#[test]
fn tasks_and_threads_share_locks() {
    let seen = outcomes(|| {
        let value = Arc::new(Mutex::new(0));
        let (theirs, others) = (Arc::clone(&value), Arc::clone(&value));
        let task = spawn(async move { *theirs.lock().unwrap() += 1 });
        let thread = thread::spawn(move || *others.lock().unwrap() *= 2);
        block_on(task).unwrap();
        thread.join().unwrap();
        *value.lock().unwrap()
    });
    assert_eq!(seen, BTreeSet::from([1, 2]));
}

/// Ready once the flag is set; leaves its waker where the setter finds it.
async fn until_set(shared: &(AtomicBool, Mutex<Option<Waker>>), keeps_waker: bool) {
    poll_fn(|context: &mut Context<'_>| {
        if keeps_waker {
            *shared.1.lock().unwrap() = Some(context.waker().clone());
        }
        if shared.0.load(SeqCst) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

fn set_and_wake(shared: &(AtomicBool, Mutex<Option<Waker>>)) {
    shared.0.store(true, SeqCst);
    let waker = shared.1.lock().unwrap().take();
    if let Some(waker) = waker {
        waker.wake();
    }
}

#[test]
fn a_waker_works_from_another_thread_at_any_moment() {
    outcomes(|| {
        let shared = Arc::new((AtomicBool::new(false), Mutex::new(None)));
        let theirs = Arc::clone(&shared);
        let thread = thread::spawn(move || set_and_wake(&theirs));
        block_on(until_set(&shared, true));
        thread.join().unwrap();
    });
}

#[test]
fn a_future_that_keeps_no_waker_waits_for_ever() {
    let finding = failure(|| {
        let shared = Arc::new((AtomicBool::new(false), Mutex::new(None)));
        let theirs = Arc::clone(&shared);
        let thread = thread::spawn(move || set_and_wake(&theirs));
        block_on(until_set(&shared, false));
        thread.join().unwrap();
    });
    assert_eq!(finding.kind, FindingKind::Deadlock);
    assert!(
        finding.details[0].contains("awaits a future"),
        "{:?}",
        finding.details
    );
}

#[test]
fn a_waker_that_is_used_after_the_end_does_nothing() {
    outcomes(|| {
        let kept = Mutex::new(None);
        block_on(poll_fn(|context| {
            *kept.lock().unwrap() = Some(context.waker().clone());
            Poll::Ready(())
        }));
        let waker: Option<Waker> = kept.lock().unwrap().take();
        waker.unwrap().wake();
        let task = spawn(async {});
        block_on(task).unwrap();
    });
}

#[test]
fn a_wake_meant_for_the_outer_future_is_not_lost_in_an_inner_one() {
    outcomes(|| {
        let shared = Arc::new((AtomicBool::new(false), Mutex::new(None)));
        let theirs = Arc::clone(&shared);
        let thread = thread::spawn(move || set_and_wake(&theirs));
        let inner = spawn(async {});
        let mut inner = Some(inner);
        let mut outer = pin!(until_set(&shared, true));
        block_on(poll_fn(|context| {
            let poll = outer.as_mut().poll(context);
            if let Some(inner) = inner.take() {
                block_on(inner).unwrap();
            }
            poll
        }));
        thread.join().unwrap();
    });
}

#[test]
fn an_aborted_task_ends_at_an_await_or_has_ended_before() {
    let seen = outcomes(|| {
        let steps = Arc::new(AtomicUsize::new(0));
        let theirs = Arc::clone(&steps);
        let task = spawn(async move {
            for _ in 0..2 {
                theirs.fetch_add(1, SeqCst);
                yield_now().await;
            }
        });
        let aborting = task.abort_handle();
        aborting.abort();
        aborting.abort();
        let result = block_on(task);
        assert!(aborting.is_finished());
        (steps.load(SeqCst), result == Err(JoinError::Cancelled))
    });
    let expected = [(0, true), (1, true), (2, true), (2, false)];
    assert_eq!(seen, BTreeSet::from(expected));
}

#[test]
fn aborting_drops_what_the_task_owns_before_anybody_learns_of_it() {
    outcomes(|| {
        let owned = Arc::new(());
        let theirs = Arc::clone(&owned);
        let task = spawn(async move {
            let _owned = theirs;
            yield_now().await;
        });
        task.abort();
        let _ = block_on(task);
        assert_eq!(Arc::strong_count(&owned), 1);
    });
}

#[test]
fn a_lock_is_given_back_when_its_holder_is_aborted_and_a_wait_for_a_lock_is_not_cut_short() {
    outcomes(|| {
        let lock = Arc::new(Mutex::new(0));
        let theirs = Arc::clone(&lock);
        let held = lock.lock().unwrap();
        let task = spawn(async move { *theirs.lock().unwrap() += 1 });
        task.abort();
        drop(held);
        let finished = block_on(task).is_ok();
        assert_eq!(*lock.lock().unwrap(), i32::from(finished));
    });
}

#[test]
fn a_task_whose_handle_is_dropped_goes_on_and_need_not_end() {
    let received = outcomes(|| {
        let (sender, receiver) = channel();
        drop(spawn(async move { sender.send(7).unwrap() }));
        drop(spawn(std::future::pending::<()>()));
        receiver.recv().unwrap()
    });
    assert_eq!(received, BTreeSet::from([7]));
}

#[test]
fn a_task_that_is_kept_and_never_ends_is_a_deadlock() {
    let finding = failure(|| {
        let task = spawn(std::future::pending::<()>());
        let _ = block_on(task);
    });
    assert_eq!(finding.kind, FindingKind::Deadlock);
}

#[test]
fn is_finished_returns_whether_the_result_is_there() {
    let seen = outcomes(|| {
        let task = spawn(async {});
        let before = task.is_finished();
        block_on(async {
            while !task.is_finished() {
                yield_now().await
            }
        });
        block_on(task).unwrap();
        before
    });
    assert_eq!(seen, BTreeSet::from([false, true]));
}

#[test]
fn a_panic_of_a_task_fails_the_model() {
    let finding = failure(|| {
        let task = spawn(async { panic!("of the task") });
        let _ = block_on(task);
    });
    assert_eq!(
        (finding.kind, finding.message.as_str()),
        (FindingKind::Panic, "of the task")
    );
}

#[test]
fn a_local_task_need_not_be_send() {
    outcomes(|| {
        let value = Rc::new(3);
        let theirs = Rc::clone(&value);
        assert_eq!(block_on(spawn_local(async move { *theirs })), Ok(3));
    });
}

#[test]
fn outside_a_model_tasks_are_real_threads() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let task = spawn(async move {
        yield_now().await;
        receiver.recv().unwrap()
    });
    let waits = spawn(std::future::pending::<()>());
    sender.send(5).unwrap();
    assert_eq!(block_on(task), Ok(5));
    waits.abort();
    assert_eq!(block_on(waits), Err(JoinError::Cancelled));
}
