//! An executor for the future of one call: each poll has a waker of its own, and only the newest one wakes, as the
//! contract of `Future::poll` allows. A lost wake-up of the code under test is a deadlock that the engine sees.

use std::future::Future;
use std::pin::pin;
use std::ptr::NonNull;
use std::sync::Arc;
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Wake, Waker};

use crate::execution::{Active, PollInWake, PollStep, active};
use contest_data::subject::FutureUse;
use contest_data::trace::{AwaitEnd, ThreadIndex};

/// Wakes a virtual thread. Kept beyond its execution, it has no effect: its poll is not the newest one.
struct OfPoll {
    thread: ThreadIndex,
    poll: u32,
}

/// Not that of `Wake`: where a waker is cloned is where a future begins to wait.
static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_waker);

/// The waker of one poll.
fn waker(thread: ThreadIndex, poll: u32) -> Waker {
    let data = Arc::into_raw(Arc::new(OfPoll { thread, poll }));
    // SAFETY: the functions of the table keep the contract of `RawWaker`: the data is an `Arc` that each waker owns.
    unsafe { Waker::from_raw(RawWaker::new(data.cast(), &VTABLE)) }
}

unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY: of a waker that lives.
    let of = unsafe { &*data.cast::<OfPoll>() };
    if let Some(active) = active() {
        active.note_await(of.thread, of.poll);
    }
    // SAFETY: likewise; the new waker owns one count more.
    unsafe { Arc::increment_strong_count(data.cast::<OfPoll>()) };
    RawWaker::new(data, &VTABLE)
}

unsafe fn wake(data: *const ()) {
    // SAFETY: the waker is used up.
    unsafe {
        wake_by_ref(data);
        drop_waker(data);
    }
}

unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: of a waker that lives.
    let of = unsafe { &*data.cast::<OfPoll>() };
    if let Some(active) = active() {
        if active.current() == of.thread {
            active.note_await(of.thread, of.poll);
        }
        if let Some(PollInWake { mut step, poll }) = active.wake_lent(of.thread, of.poll) {
            let waker = waker(of.thread, poll);
            // SAFETY: the thread that lent it keeps it where it is and does not use it before the poll is over.
            let ready = unsafe { step.as_mut() }(&mut Context::from_waker(&waker));
            drop(waker);
            active.end_poll_in_wake(of.thread, step, ready);
        }
    }
}

unsafe fn drop_waker(data: *const ()) {
    // SAFETY: the waker is used up.
    drop(unsafe { Arc::from_raw(data.cast::<OfPoll>()) });
}

/// True inside a poll that a thread makes because it has woken the future of a call of another thread. It must not wait
/// there for what the task would wait for.
#[must_use]
pub fn is_polled_by_waker(context: &Context<'_>) -> bool {
    let waker = context.waker();
    let (true, Some(active)) = (std::ptr::eq(waker.vtable(), &VTABLE), active()) else {
        return false;
    };
    // SAFETY: wakers with this table have this data.
    let of = unsafe { &*waker.data().cast::<OfPoll>() };
    active.current() != of.thread
}

struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls `future` until it is ready. Inside an execution it may be dropped before, or be polled without having been
/// woken, as `how` says and when the scheduler says; `None` if it was dropped. A future that only ever wakes itself
/// gives way at each poll; the engine's rules for spinning threads and its step limit end it.
#[track_caller]
pub fn block_on<F: Future>(future: F, how: FutureUse) -> Option<F::Output> {
    match active() {
        Some(_) if how == FutureUse::Drop => None,
        Some(active) if how == FutureUse::LeaveWaiting => {
            let mut future = Box::pin(future);
            let output = controlled(active, future.as_mut(), how);
            if output.is_none() {
                // It waits where it is, as long as the execution lasts.
                std::mem::forget(future);
            }
            output
        }
        Some(active) => controlled(active, future, how),
        None => Some(uncontrolled(future)),
    }
}

/// Polls `future` until it is ready: one that makes an object, or an argument.
#[track_caller]
pub fn wait_for<F: Future>(future: F) -> F::Output {
    match block_on(future, FutureUse::Run) {
        Some(output) => output,
        None => unreachable!("a future that nothing disturbs is polled to its end"),
    }
}

/// As [`block_on`], of a future that other threads may poll.
#[track_caller]
pub(super) fn block_on_sent<F>(future: F, how: FutureUse) -> Option<F::Output>
where
    F: Future<Output: Send> + Send,
{
    match active() {
        Some(active) if how == FutureUse::PollInWake => Some(polled_in_wake(active, future)),
        _ => block_on(future, how),
    }
}

/// Polls `future` until it is ready; while it waits, the thread that wakes it polls it. A future that is ready is
/// dropped where it was polled.
#[track_caller]
fn polled_in_wake<F>(active: Active, future: F) -> F::Output
where
    F: Future<Output: Send> + Send,
{
    let thread = active.current();
    let mut future = pin!(Some(future));
    let mut output = None;
    let mut poll_once = |context: &mut Context<'_>| {
        let Some(running) = future.as_mut().as_pin_mut() else {
            return true;
        };
        let Poll::Ready(ready) = running.poll(context) else {
            return false;
        };
        output = Some(ready);
        future.set(None);
        true
    };
    let step: NonNull<dyn FnMut(&mut Context<'_>) -> bool + '_> = NonNull::from(&mut poll_once);
    // SAFETY: only the lifetime changes. Others use it while this thread waits below, and it is taken back after that.
    let mut step: PollStep = unsafe { std::mem::transmute(step) };
    let mut first = true;
    loop {
        let poll = active.begin_poll(std::mem::take(&mut first));
        let waker = waker(thread, poll);
        // SAFETY: it is not lent, so no other thread uses it.
        if unsafe { step.as_mut() }(&mut Context::from_waker(&waker)) {
            break;
        }
        drop(waker);
        active.lend_future(step);
        active.wait_until_woken();
        active.take_future_back();
    }
    active.end_polls();
    output.expect("the future was ready")
}

#[track_caller]
fn controlled<F: Future>(active: Active, future: F, mut how: FutureUse) -> Option<F::Output> {
    let thread = active.current();
    let mut future = pin!(future);
    let mut first = true;
    loop {
        let poll = active.begin_poll(std::mem::take(&mut first));
        let waker = waker(thread, poll);
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            active.end_polls();
            return Some(output);
        }
        drop(waker);
        match active.wait_for_poll(how) {
            AwaitEnd::Cancelled | AwaitEnd::CancelledWoken => {
                active.end_polls();
                return None;
            }
            // Once, so that what depends on it is found in few executions.
            AwaitEnd::PolledAgain => how = FutureUse::Run,
            AwaitEnd::Kept => loop {
                active.wait_until_woken();
            },
            AwaitEnd::Woken | AwaitEnd::Probed | AwaitEnd::PolledInWake => {}
        }
    }
}

fn uncontrolled<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}
