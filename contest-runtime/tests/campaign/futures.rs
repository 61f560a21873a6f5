//! Futures that are dropped at an `await`, polled again, or not woken.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::task::{Context, Poll, Waker};

use contest::cell::UnsafeCell;
use contest::sync::Mutex;
use contest::sync::atomic::AtomicBool;
use contest_data::finding::FindingKind::{Cancellation, Futurelock, LostWakeup, ReentrantWaker};
use contest_data::settings::{ModelChoice, Settings, SizeBounds};
use contest_data::subject::{Argument, Operation, Subject};

use crate::subjects::{new, object, observer, operation};
use crate::support::{Replies, campaign, settings};

const OF_FUTURE: &[Argument] = &[Argument::OF_FUTURE];

/// Wakes itself and is pending once.
async fn give_way() {
    let mut gave_way = false;
    poll_fn(|context| {
        if std::mem::replace(&mut gave_way, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Moves a unit over an `await`, and what is moved at which side of it.
#[derive(Debug)]
struct Moving<const SAFE: bool>(Mutex<(u32, u32)>);

impl<const SAFE: bool> Default for Moving<SAFE> {
    fn default() -> Self {
        Self(Mutex::new((10, 0)))
    }
}

impl<const SAFE: bool> Moving<SAFE> {
    async fn transfer(&self) {
        if !SAFE {
            self.0.lock().unwrap().0 -= 1;
        }
        give_way().await;
        let mut amounts = self.0.lock().unwrap();
        if SAFE {
            amounts.0 -= 1;
        }
        amounts.1 += 1;
    }

    const OPERATIONS: &'static [Operation] = &[
        operation("transfer", "{s}.transfer().await{0}", OF_FUTURE, |call| {
            let subject = object::<Self>(call);
            contest::observe_future!(subject.transfer(), call.choice(0))
        }),
        Operation {
            weak: true,
            ..observer("total", "{s}.total()", &[], |call| {
                let subject = object::<Self>(call);
                let amounts = subject.0.lock().unwrap();
                Some((amounts.0 + amounts.1).to_string())
            })
        },
        observer("moved", "{s}.moved()", &[], |call| {
            Some(object::<Self>(call).0.lock().unwrap().1.to_string())
        }),
    ];
}

/// Lets tasks wait. Wakes them when the lock is given back, or before.
#[derive(Debug, Default)]
struct Bell<const OUTSIDE: bool> {
    rang: AtomicBool,
    wakers: Mutex<Vec<Waker>>,
}

/// Takes the lock when it is dropped, as a listener does that takes itself off a list.
struct Leaves<'a>(&'a Mutex<Vec<Waker>>);

impl Leaves<'_> {
    fn wait(&self, waker: &Waker, rang: &AtomicBool) -> bool {
        let mut wakers = self.0.lock().unwrap();
        // `ring` sets the flag before it takes the lock.
        let waits = !rang.load(Acquire);
        if waits {
            wakers.push(waker.clone());
        }
        waits
    }
}

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        drop(self.0.lock().unwrap());
    }
}

impl<const OUTSIDE: bool> Bell<OUTSIDE> {
    fn ring(&self) {
        self.rang.store(true, Release);
        let mut held = self.wakers.lock().unwrap();
        let wakers = std::mem::take(&mut *held);
        let held = (!OUTSIDE).then_some(held);
        wakers.into_iter().for_each(Waker::wake);
        drop(held);
    }

    /// The future is ready without the lock, and takes it when it is dropped.
    fn heard(&self) -> impl Future<Output = bool> {
        let leaves = Leaves(&self.wakers);
        poll_fn(move |context| {
            if !self.rang.load(Acquire) && leaves.wait(context.waker(), &self.rang) {
                return Poll::Pending;
            }
            Poll::Ready(true)
        })
    }

    const OPERATIONS: &'static [Operation] = &[
        operation("ring", "{s}.ring()", &[], |call| {
            contest::observe!(object::<Self>(call).ring())
        }),
        operation("heard", "{s}.heard().await{0}", OF_FUTURE, |call| {
            let subject = object::<Self>(call);
            contest::observe_future!(subject.heard(), call.choice(0))
        }),
    ];
}

/// A bell whose future returns memory that is written where it was polled, and where the result is dropped.
#[derive(Debug, Default)]
struct Handing {
    rang: AtomicBool,
    wakers: Mutex<Vec<Waker>>,
}

/// How often it was written.
struct Handed(UnsafeCell<u32>);

impl Handed {
    fn write(&self) {
        // SAFETY: only whoever has it calls it.
        self.0.with_mut(|count| unsafe { *count += 1 });
    }
}

impl Drop for Handed {
    fn drop(&mut self) {
        self.write();
    }
}

impl Handing {
    /// May wake a future a second time.
    fn ring(&self) {
        self.rang.store(true, Release);
        let wakers = self.wakers.lock().unwrap().clone();
        wakers.into_iter().for_each(Waker::wake);
    }

    fn heard(&self) -> impl Future<Output = Handed> {
        poll_fn(|context| {
            let handed = Handed(UnsafeCell::new(0));
            handed.write();
            self.wakers.lock().unwrap().push(context.waker().clone());
            match self.rang.load(Acquire) {
                true => Poll::Ready(handed),
                false => Poll::Pending,
            }
        })
    }

    const OPERATIONS: &'static [Operation] = &[
        operation("ring", "{s}.ring()", &[], |call| {
            contest::observe!(object::<Self>(call).ring())
        }),
        operation("heard", "{s}.heard().await{0}", OF_FUTURE, |call| {
            let subject = object::<Self>(call);
            contest::observe_future!(subject.heard(), call.choice(0))
        }),
    ];
}

/// Entries that one task at a time writes, which waits either while others are kept out or before.
#[derive(Debug, Default)]
struct Register<const BEFORE: bool> {
    entries: Mutex<u32>,
    taken: Mutex<(bool, Vec<Waker>)>,
}

impl<const BEFORE: bool> Register<BEFORE> {
    async fn write(&self) {
        if BEFORE {
            give_way().await;
        }
        poll_fn(|context| {
            let mut taken = self.taken.lock().unwrap();
            if taken.0 {
                taken.1.push(context.waker().clone());
                return Poll::Pending;
            }
            taken.0 = true;
            Poll::Ready(())
        })
        .await;
        if !BEFORE {
            give_way().await;
        }
        *self.entries.lock().unwrap() += 1;
        let mut taken = self.taken.lock().unwrap();
        taken.0 = false;
        let waiting = std::mem::take(&mut taken.1);
        drop(taken);
        waiting.into_iter().for_each(Waker::wake);
    }

    const OPERATIONS: &'static [Operation] = &[operation(
        "write",
        "{s}.write().await{0}",
        OF_FUTURE,
        |call| {
            let subject = object::<Self>(call);
            contest::observe_future!(subject.write(), call.choice(0))
        },
    )];
}

/// Lets one task wait, and wakes it in neither way of letting it go on.
#[derive(Debug, Default)]
struct Silent(Mutex<bool>);

impl Silent {
    async fn heard(&self) {
        poll_fn(|_| match *self.0.lock().unwrap() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }

    const OPERATIONS: &'static [Operation] = &[
        operation("ring", "{s}.ring()", &[], |call| {
            contest::observe!(*object::<Self>(call).0.lock().unwrap() = true)
        }),
        operation("strike", "{s}.strike()", &[], |call| {
            contest::observe!(*object::<Self>(call).0.lock().unwrap() = true)
        }),
        operation("heard", "{s}.heard().await{0}", OF_FUTURE, |call| {
            let subject = object::<Self>(call);
            contest::observe_future!(subject.heard(), call.choice(0))
        }),
    ];
}

/// Lets one task wait. Keeps the waker of the newest poll, or of the first one.
#[derive(Debug, Default)]
struct Gate<const NEWEST: bool>(Mutex<(bool, Option<Waker>)>);

impl<const NEWEST: bool> Gate<NEWEST> {
    fn open(&self) {
        let mut state = self.0.lock().unwrap();
        state.0 = true;
        let waker = state.1.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    async fn pass(&self) {
        poll_fn(|context| {
            let mut state = self.0.lock().unwrap();
            if state.0 {
                return Poll::Ready(());
            }
            if NEWEST || state.1.is_none() {
                state.1 = Some(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }

    const OPERATIONS: &'static [Operation] = &[
        operation("open", "{s}.open()", &[], |call| {
            contest::observe!(object::<Self>(call).open())
        }),
        operation("pass", "{s}.pass().await{0}", OF_FUTURE, |call| {
            let subject = object::<Self>(call);
            contest::observe_future!(subject.pass(), call.choice(0))
        }),
    ];
}

/// A queue that wakes one task for each message. A task that was woken and dropped wakes the next one, or not.
#[derive(Debug, Default)]
struct Mailbox<const PASSES_ON: bool>(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    messages: u32,
    wakers: VecDeque<(u32, Waker)>,
    numbers: u32,
}

impl Waiting {
    /// The waker of the task to wake, once the lock is given back.
    fn next(&mut self) -> Option<Waker> {
        let waiting = if self.messages > 0 {
            self.wakers.pop_front()
        } else {
            None
        };
        waiting.map(|(_, waker)| waker)
    }
}

struct Receive<const PASSES_ON: bool> {
    mailbox: Arc<Mailbox<PASSES_ON>>,
    number: Option<u32>,
}

impl<const PASSES_ON: bool> Future for Receive<PASSES_ON> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mailbox = Arc::clone(&self.mailbox);
        let mut state = mailbox.0.lock().unwrap();
        let number = self.number.take();
        state.wakers.retain(|(other, _)| Some(*other) != number);
        if state.messages > 0 {
            state.messages -= 1;
            let next = state.next();
            drop(state);
            next.into_iter().for_each(Waker::wake);
            return Poll::Ready(());
        }
        state.numbers += 1;
        self.number = Some(state.numbers);
        let number = state.numbers;
        state.wakers.push_back((number, context.waker().clone()));
        Poll::Pending
    }
}

impl<const PASSES_ON: bool> Drop for Receive<PASSES_ON> {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let mut state = self.mailbox.0.lock().unwrap();
        let before = state.wakers.len();
        state.wakers.retain(|(other, _)| *other != number);
        if PASSES_ON && state.wakers.len() == before {
            let next = state.next();
            drop(state);
            next.into_iter().for_each(Waker::wake);
        }
    }
}

impl<const PASSES_ON: bool> Mailbox<PASSES_ON> {
    const OPERATIONS: &'static [Operation] = &[
        operation("send", "{s}.send()", &[], |call| {
            let subject = object::<Self>(call);
            let mut state = subject.0.lock().unwrap();
            state.messages += 1;
            let next = state.next();
            drop(state);
            next.into_iter().for_each(Waker::wake);
            None
        }),
        operation("receive", "{s}.receive().await{0}", OF_FUTURE, |call| {
            let mailbox = object::<Self>(call);
            let future = Receive {
                mailbox,
                number: None,
            };
            contest::observe_future!(future, call.choice(0))
        }),
    ];
}

/// Keeps one thing, which can be removed once.
#[derive(Debug)]
struct Locker(Mutex<bool>);

impl Default for Locker {
    fn default() -> Self {
        Self(Mutex::new(true))
    }
}

impl Locker {
    async fn collect(&self) -> bool {
        give_way().await;
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    const OPERATIONS: &'static [Operation] = &[
        operation("collect", "{s}.collect().await{0}", OF_FUTURE, |call| {
            let subject = object::<Self>(call);
            contest::observe_future!(subject.collect(), call.choice(0))
        }),
        operation("remove", "{s}.remove()", &[], |call| {
            let was_there = std::mem::take(&mut *object::<Self>(call).0.lock().unwrap());
            assert!(was_there, "removed twice");
            None
        }),
        observer("has_it", "{s}.has_it()", &[], |call| {
            Some(object::<Self>(call).0.lock().unwrap().to_string())
        }),
    ];
}

/// Has a thread of its own, which says that it has run before there is an object; the orderings leave open when others
/// see that.
#[derive(Debug)]
struct Started(Arc<AtomicBool>);

impl Default for Started {
    fn default() -> Self {
        let started = Arc::new(AtomicBool::new(false));
        let has_run = Arc::new(AtomicBool::new(false));
        let theirs = (Arc::clone(&started), Arc::clone(&has_run));
        contest::thread::spawn(move || {
            theirs.0.store(true, Release);
            theirs.1.store(true, Relaxed);
        });
        while !has_run.load(Relaxed) {
            contest::thread::yield_now();
        }
        Self(started)
    }
}

impl Started {
    const OPERATIONS: &'static [Operation] = &[
        operation("rest", "{s}.rest().await{0}", OF_FUTURE, |call| {
            contest::observe_future!(give_way(), call.choice(0))
        }),
        observer("has_started", "{s}.has_started()", &[], |call| {
            Some(object::<Self>(call).0.load(Acquire).to_string())
        }),
    ];
}

const fn subject<T: Default + 'static>(operations: &'static [Operation]) -> Subject {
    Subject {
        name: "Subject",
        path: "Subject",
        constructors: const { &[new::<T>("Subject::new()")] },
        operations,
        state: None,
    }
}

static UNSAFE_MOVE: [Subject; 1] = [subject::<Moving<false>>(Moving::<false>::OPERATIONS)];
static SAFE_MOVE: [Subject; 1] = [subject::<Moving<true>>(Moving::<true>::OPERATIONS)];
static FIRST_WAKER: [Subject; 1] = [subject::<Gate<false>>(Gate::<false>::OPERATIONS)];
static NEWEST_WAKER: [Subject; 1] = [subject::<Gate<true>>(Gate::<true>::OPERATIONS)];
static WAKES_INSIDE: [Subject; 1] = [subject::<Bell<false>>(Bell::<false>::OPERATIONS)];
static WAKES_OUTSIDE: [Subject; 1] = [subject::<Bell<true>>(Bell::<true>::OPERATIONS)];
static HANDING: [Subject; 1] = [subject::<Handing>(Handing::OPERATIONS)];
static WAITS_INSIDE: [Subject; 1] = [subject::<Register<false>>(Register::<false>::OPERATIONS)];
static WAITS_BEFORE: [Subject; 1] = [subject::<Register<true>>(Register::<true>::OPERATIONS)];
static SILENT: [Subject; 1] = [subject::<Silent>(Silent::OPERATIONS)];
static KEPT_WAKEUP: [Subject; 1] = [subject::<Mailbox<false>>(Mailbox::<false>::OPERATIONS)];
static PASSED_WAKEUP: [Subject; 1] = [subject::<Mailbox<true>>(Mailbox::<true>::OPERATIONS)];
static STARTED: [Subject; 1] = [subject::<Started>(Started::OPERATIONS)];
static LOCKER: [Subject; 1] = [subject::<Locker>(Locker::OPERATIONS)];

/// With the ladder alone, up to two calls of three threads.
fn ladder(threads: u8, calls: u8) -> Settings {
    Settings {
        generator: "ladder".to_owned(),
        size: SizeBounds {
            threads: Some(threads),
            calls: Some(calls),
        },
        ..settings(3_000)
    }
}

#[track_caller]
fn is_clean(heard: &Replies) {
    assert!(heard.findings.is_empty(), "{}", heard.text());
}

#[test]
fn what_is_lost_where_a_future_is_dropped_is_a_cancellation() {
    let heard = campaign(&UNSAFE_MOVE, &ladder(2, 1));
    let found = heard.findings.iter().find(|it| it.kind == Cancellation);
    let finding = found.unwrap_or_else(|| panic!("{}", heard.text()));
    assert!(
        finding.message.contains("(cancelled)") || finding.message.contains("(dropped unpolled)"),
        "{}",
        finding.message
    );
    assert_eq!(finding.cancelled.len(), 1, "{}", heard.text());
    assert_eq!(finding.cancelled[0].polls, 1, "{}", heard.text());
    // One thread can show it: the call is dropped in a turn of its own, and an observer sees what is lost.
    let turns = finding.turns.as_ref().unwrap();
    let cancelled = finding.cancelled[0].lane as u8;
    let of_cancelled = turns.lanes.iter().filter(|lane| **lane == cancelled);
    assert!(of_cancelled.count() >= 2, "{turns:?}");
    let compared = &finding.compared;
    assert_eq!((compared.results.len(), compared.observers.len()), (0, 1));
}

#[test]
fn a_future_that_changes_nothing_before_its_last_await_can_be_dropped() {
    is_clean(&campaign(&SAFE_MOVE, &ladder(2, 2)));
}

#[test]
fn what_a_thread_of_the_object_wrote_may_be_seen_late_beside_a_dropped_future() {
    let rc11 = Settings {
        memory_model: ModelChoice::Rc11,
        ..ladder(2, 1)
    };
    is_clean(&campaign(&STARTED, &rc11));
}

#[test]
fn the_waker_of_the_first_poll_is_of_no_use_after_the_second_one() {
    let heard = campaign(&FIRST_WAKER, &ladder(2, 1));
    assert_eq!(heard.kinds(), [LostWakeup], "{}", heard.text());
    let threads = &heard.one().threads;
    assert!(
        threads
            .concat()
            .iter()
            .any(|it| it.contains("polled without")),
        "{}",
        heard.text()
    );
    is_clean(&campaign(&NEWEST_WAKER, &ladder(2, 1)));
}

#[test]
fn a_waker_that_polls_at_once_finds_the_lock_of_who_wakes_it() {
    // Reported on request only.
    is_clean(&campaign(&WAKES_INSIDE, &ladder(2, 1)));
    let denied = Settings {
        allow: Vec::new(),
        ..ladder(2, 1)
    };
    let heard = campaign(&WAKES_INSIDE, &denied);
    assert_eq!(heard.kinds(), [ReentrantWaker], "{}", heard.text());
    let finding = heard.one();
    let text = heard.text();
    assert!(finding.message.contains("(polled by its waker)"), "{text}");
    assert!(text.contains("its waker polls the future here"), "{text}");
    assert!(finding.turns.is_some(), "one thread can play it: {text}");
    is_clean(&campaign(&WAKES_OUTSIDE, &ladder(2, 1)));
}

#[test]
fn a_future_that_is_not_woken_because_another_waker_polls_at_once_is_no_lost_wake_up() {
    for generator in ["ladder", "waiters"] {
        let of_three = Settings {
            generator: generator.to_owned(),
            ..ladder(3, 1)
        };
        is_clean(&campaign(&WAKES_INSIDE, &of_three));
        is_clean(&campaign(&WAKES_OUTSIDE, &of_three));
        let denied = Settings {
            allow: Vec::new(),
            ..of_three
        };
        let heard = campaign(&WAKES_INSIDE, &denied);
        assert_eq!(heard.kinds(), [ReentrantWaker], "{}", heard.text());
    }
}

/// Three threads: one waits, one polls the future for it, and one has woken it too and comes too late to poll it.
#[test]
fn what_another_thread_did_in_a_poll_happens_before_what_the_waiting_thread_does_then() {
    let denied = Settings {
        allow: Vec::new(),
        ..ladder(3, 1)
    };
    is_clean(&campaign(&HANDING, &denied));
}

#[test]
fn a_future_that_is_kept_and_not_polled_keeps_others_out() {
    let others = Settings {
        generator: "mixed".to_owned(),
        ..ladder(2, 1)
    };
    let denied = Settings {
        allow: Vec::new(),
        ..others.clone()
    };
    let heard = campaign(&WAITS_INSIDE, &denied);
    assert!(heard.kinds().contains(&Futurelock), "{}", heard.text());
    let finding = heard.findings.iter().find(|it| it.kind == Futurelock);
    let (finding, text) = (finding.unwrap(), heard.text());
    assert!(finding.message.contains("(kept unpolled)"), "{text}");
    assert!(text.contains("without polling it"), "{text}");
    // Others wait for nothing that such a future holds.
    let heard = campaign(&WAITS_BEFORE, &denied);
    assert!(!heard.kinds().contains(&Futurelock), "{}", heard.text());
    // Reported on request only.
    let heard = campaign(&WAITS_INSIDE, &others);
    assert!(!heard.kinds().contains(&Futurelock), "{}", heard.text());
}

#[test]
fn each_operation_that_forgets_to_wake_is_a_finding() {
    let heard = campaign(&SILENT, &ladder(2, 1));
    assert_eq!(heard.kinds(), [LostWakeup, LostWakeup], "{}", heard.text());
    let calls: Vec<String> = heard
        .findings
        .iter()
        .map(|it| format!("{:?}", it.threads))
        .collect();
    for name in ["a.ring()", "a.strike()"] {
        assert_eq!(
            calls.iter().filter(|it| it.contains(name)).count(),
            1,
            "{calls:?}"
        );
    }
}

#[test]
fn a_wake_up_that_a_dropped_future_took_with_it_is_lost() {
    let heard = campaign(&KEPT_WAKEUP, &ladder(3, 1));
    assert!(heard.kinds().contains(&LostWakeup), "{}", heard.text());
    is_clean(&campaign(&PASSED_WAKEUP, &ladder(3, 1)));
}

#[test]
fn a_panic_after_a_cancelled_call_is_no_finding_if_it_shows_without_that_call() {
    // `collect` run to its end takes what the first `remove` of its lane wants: the second one is never reached.
    let heard = campaign(&LOCKER, &ladder(2, 3));
    is_clean(&heard);
    let rungs = heard.totals.subjects[0].ladder.iter();
    let mut cancelled = rungs.filter(|it| it.rung.disturbed == 1 && it.rung.lanes == [1, 3]);
    assert!(cancelled.any(|it| it.begun > 0), "{}", heard.text());
}

#[test]
fn rungs_with_cancelled_futures_come_to_their_end() {
    let heard = campaign(&SAFE_MOVE, &ladder(2, 1));
    for disturbed in 0..=2 {
        let rungs = heard.totals.subjects[0].ladder.iter();
        let mut of = rungs.filter(|it| it.rung.disturbed == disturbed && it.rung.prefix == 0);
        let rung = of.next().unwrap_or_else(|| panic!("{}", heard.text()));
        assert!(rung.enumerated && rung.exact, "{rung:?}");
        assert!(rung.tests > 0 && rung.is_explored(), "{rung:?}");
    }
}
