//! An executor for the future of one call: each poll has a waker of its own, and only the newest one wakes, as the
//! contract of `Future::poll` allows. A lost wake-up of the code under test is a deadlock that the engine sees.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::execution::{Active, active};
use contest_data::subject::FutureUse;
use contest_data::trace::{AwaitEnd, ThreadIndex};

/// Wakes a virtual thread. Kept beyond its execution, it wakes nobody: its poll is not the newest one.
struct OfPoll {
    thread: ThreadIndex,
    poll: u32,
}

impl Wake for OfPoll {
    #[track_caller]
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    #[track_caller]
    fn wake_by_ref(self: &Arc<Self>) {
        if let Some(active) = active() {
            active.wake_poll(self.thread, self.poll);
        }
    }
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
        Some(active) => controlled(active, future, how),
        None => Some(uncontrolled(future)),
    }
}

#[track_caller]
fn controlled<F: Future>(active: Active, future: F, mut how: FutureUse) -> Option<F::Output> {
    let thread = active.current();
    let mut future = pin!(future);
    loop {
        let poll = active.begin_poll();
        let waker = Waker::from(Arc::new(OfPoll { thread, poll }));
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
            AwaitEnd::Woken | AwaitEnd::Probed => {}
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
