//! A small executor for one future: park and unpark of the virtual thread, so that a lost wake-up of the code under
//! test is a deadlock that the engine sees.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use crate::execution::active;
use contest_data::trace::ThreadIndex;

enum Sleeper {
    Virtual(ThreadIndex),
    Real(std::thread::Thread),
}

struct Unpark {
    sleeper: Sleeper,
    /// The future woke itself while it was polled: it wants another turn after the others.
    by_itself: AtomicBool,
}

impl Wake for Unpark {
    #[track_caller]
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    #[track_caller]
    fn wake_by_ref(self: &Arc<Self>) {
        match (&self.sleeper, active()) {
            (Sleeper::Virtual(thread), Some(active)) if active.current() == *thread => {
                self.by_itself.store(true, Ordering::Relaxed);
            }
            (Sleeper::Virtual(thread), Some(active)) => active.unpark(*thread),
            // The execution is over, and with it every wait.
            (Sleeper::Virtual(_), None) => {}
            (Sleeper::Real(thread), _) => thread.unpark(),
        }
    }
}

/// Polls `future` until it is ready, parking this thread in between. A future that only ever wakes itself gives way at
/// each poll; the engine's rules for spinning threads and its step limit end it.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let sleeper = match active() {
        Some(active) => Sleeper::Virtual(active.current()),
        None => Sleeper::Real(std::thread::current()),
    };
    let unpark = Arc::new(Unpark {
        sleeper,
        by_itself: AtomicBool::new(false),
    });
    let waker = Waker::from(Arc::clone(&unpark));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        match active() {
            Some(active) if unpark.by_itself.swap(false, Ordering::Relaxed) => {
                active.yield_now("poll")
            }
            Some(active) => {
                active.park(None);
            }
            None => std::thread::park(),
        }
    }
}
