//! Futures that are dropped at an `await`, or polled without having been woken, by choice of the scheduler.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};

use contest::future::{block_on_or_drop, block_on_polled_again};
use contest::sync::Mutex;
use contest::sync::atomic::{AtomicU32, Ordering::SeqCst};
use contest::{Builder, FindingKind, thread};

/// Opens once. Keeps the waker of the newest poll, or that of the first one.
struct Gate {
    state: Mutex<(bool, Option<Waker>)>,
    keeps_first: bool,
}

impl Gate {
    fn new(keeps_first: bool) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new((false, None)),
            keeps_first,
        })
    }

    fn open(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 = true;
        let waker = state.1.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    async fn pass(&self) {
        poll_fn(|context| {
            let mut state = self.state.lock().unwrap();
            if state.0 {
                return Poll::Ready(());
            }
            if state.1.is_none() || !self.keeps_first {
                state.1 = Some(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}

/// What every interleaving of this shows.
fn found(model: impl Fn() + Send + Sync + 'static) -> Option<FindingKind> {
    let report = Builder::new().exhaustive().run(model);
    report.findings().first().map(|finding| finding.kind)
}

/// A future that counts itself, and is dropped or not while it waits.
fn counted_while_it_runs(gives_back_when_dropped: bool) {
    struct GivesBack<'a>(&'a AtomicU32, bool);
    impl Drop for GivesBack<'_> {
        fn drop(&mut self) {
            if self.1 {
                self.0.fetch_sub(1, SeqCst);
            }
        }
    }
    let (gate, running) = (Gate::new(false), Arc::new(AtomicU32::new(0)));
    let theirs = (Arc::clone(&gate), Arc::clone(&running));
    let task = thread::spawn(move || {
        let (gate, running) = theirs;
        block_on_or_drop(async {
            running.fetch_add(1, SeqCst);
            let mut guard = GivesBack(&running, gives_back_when_dropped);
            gate.pass().await;
            guard.1 = true;
        })
    });
    gate.open();
    task.join().unwrap();
    assert_eq!(
        running.load(SeqCst),
        0,
        "one was counted that no longer runs"
    );
}

#[test]
fn a_future_that_must_not_be_dropped_is_found() {
    let panic = Some(FindingKind::Panic);
    assert_eq!(found(|| counted_while_it_runs(false)), panic);
    assert_eq!(found(|| counted_while_it_runs(true)), None);
}

#[test]
fn a_future_runs_to_its_end_and_is_dropped_too() {
    let outcomes = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&outcomes);
    let model = move || {
        let gate = Gate::new(false);
        let theirs = Arc::clone(&gate);
        let task = thread::spawn(move || block_on_or_drop(async { theirs.pass().await }));
        gate.open();
        let ended = task.join().unwrap().is_some();
        let mut seen = seen.lock().unwrap();
        if !seen.contains(&ended) {
            seen.push(ended);
        }
    };
    assert_eq!(found(model), None);
    let mut outcomes = outcomes.lock().unwrap().clone();
    outcomes.sort_unstable();
    assert_eq!(outcomes, [false, true]);
}

#[test]
fn a_future_that_keeps_its_first_waker_is_found() {
    let model = |keeps_first| {
        move || {
            let gate = Gate::new(keeps_first);
            let theirs = Arc::clone(&gate);
            let task = thread::spawn(move || block_on_polled_again(theirs.pass()));
            gate.open();
            task.join().unwrap();
        }
    };
    let kind = found(model(true)).expect("a finding");
    let hangs = [FindingKind::Deadlock, FindingKind::LostWakeup];
    assert!(hangs.contains(&kind), "{kind:?}");
    assert_eq!(found(model(false)), None);
}
