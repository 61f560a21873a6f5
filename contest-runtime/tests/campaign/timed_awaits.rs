//! A future that waits with a time limit of its runtime: a thread of a timer ends the wait, not the call itself.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use contest::sync::Mutex;
use contest::sync::atomic::{AtomicU32, Ordering::SeqCst};
use contest_data::finding::FindingKind::Deadlock;
use contest_data::settings::{Settings, SizeBounds};
use contest_data::subject::{Argument, Operation, Subject};

use crate::subjects::{new, object, operation};
use crate::support::{Replies, campaign, settings};

const LIMIT: Duration = Duration::from_secs(30);

/// What a task does when another one has the only object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// It waits to be woken when the object is given back.
    Waits,
    /// It waits, and no task wakes it.
    IsForgotten,
    /// It looks again after a while.
    Retries,
    /// It waits to be woken, which may take too long, as the object is used for a while.
    IsLate,
}

/// One object for all, which a call has for itself for a moment.
#[derive(Debug)]
struct Pool<const THEN: usize> {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    is_away: bool,
    waiting: Vec<Arc<Signal>>,
}

const WOKEN: u32 = 1;
const OVER: u32 = 2;

/// What a task waits for: another task, or the end of its time.
#[derive(Debug, Default)]
struct Signal {
    state: AtomicU32,
    waker: Mutex<Option<Waker>>,
}

impl Signal {
    /// Waits, for what it returns.
    async fn wait(self: &Arc<Self>, limit: Duration) -> u32 {
        let timer = Arc::clone(self);
        contest::thread::spawn(move || {
            contest::thread::sleep(limit);
            if timer.set(OVER) {
                timer.wake();
            }
        });
        poll_fn(|context| {
            *self.waker.lock().unwrap() = Some(context.waker().clone());
            match self.state.load(SeqCst) {
                0 => Poll::Pending,
                by => Poll::Ready(by),
            }
        })
        .await
    }

    /// True if it was not set before.
    fn set(&self, by: u32) -> bool {
        let set = self.state.compare_exchange(0, by, SeqCst, SeqCst);
        set.is_ok()
    }

    fn wake(&self) {
        let waker = self.waker.lock().unwrap().take();
        waker.into_iter().for_each(Waker::wake);
    }
}

const WAYS: [Then; 4] = [Then::Waits, Then::IsForgotten, Then::Retries, Then::IsLate];

impl<const THEN: usize> Default for Pool<THEN> {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
        }
    }
}

impl<const THEN: usize> Pool<THEN> {
    async fn borrow(&self) -> Result<u32, &'static str> {
        loop {
            let mut state = self.state.lock().unwrap();
            if !std::mem::replace(&mut state.is_away, true) {
                break;
            }
            let signal = Arc::new(Signal::default());
            state.waiting.push(Arc::clone(&signal));
            drop(state);
            if signal.wait(LIMIT).await == OVER && WAYS[THEN] != Then::Retries {
                return Err("no object in time");
            }
        }
        if WAYS[THEN] == Then::IsLate {
            Arc::new(Signal::default()).wait(LIMIT * 2).await;
        }
        self.give_back();
        Ok(1)
    }

    fn give_back(&self) {
        let mut state = self.state.lock().unwrap();
        state.is_away = false;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        if matches!(WAYS[THEN], Then::Waits | Then::IsLate) {
            for signal in waiting {
                signal.set(WOKEN);
                signal.wake();
            }
        }
    }

    const OPERATIONS: &'static [Operation] = &[operation(
        "borrow",
        "{s}.borrow().await{0}",
        &[Argument::OF_FUTURE],
        |call| {
            let pool = object::<Self>(call);
            contest::observe_future!(pool.borrow(), call.choice(0))
        },
    )];
}

fn found<const THEN: usize>() -> Replies {
    let subject = Subject {
        name: "Pool",
        path: "Pool",
        constructors: &[const { new::<Pool<THEN>>("Pool::new()") }],
        operations: Pool::<THEN>::OPERATIONS,
        state: None,
    };
    let settings = Settings {
        size: SizeBounds {
            threads: Some(2),
            calls: Some(1),
        },
        ..settings(400)
    };
    campaign(Box::leak(Box::new([subject])), &settings)
}

#[test]
fn a_task_that_nobody_wakes_gives_up_when_its_time_is_over() {
    let found = found::<1>();
    let finding = found.one();
    assert_eq!(finding.kind, Deadlock, "{}", found.text());
    assert!(
        finding
            .message
            .contains("is not woken: it waits until its timeout (30 s)"),
        "{}",
        found.text()
    );
    let one_after_another = finding
        .details
        .iter()
        .filter(|it| it.starts_with("one after"));
    assert!(
        one_after_another
            .clone()
            .all(|it| !it.contains("no object in time")),
        "{}",
        found.text()
    );
    assert!(one_after_another.count() > 0, "{}", found.text());
}

#[test]
fn a_task_that_is_woken_or_looks_again_or_may_be_late_is_clean() {
    let waits = found::<0>();
    assert_eq!(waits.kinds(), [], "{}", waits.text());
    let retries = found::<2>();
    assert_eq!(retries.kinds(), [], "{}", retries.text());
    let is_late = found::<3>();
    assert_eq!(is_late.kinds(), [], "{}", is_late.text());
}
