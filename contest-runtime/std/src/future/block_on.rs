//! Running one future to its end on the calling thread.

use std::pin::pin;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Runs `future` to its end on the calling thread.
///
/// ```
/// assert_eq!(contest::future::block_on(async { 6 * 7 }), 42);
/// ```
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    #[cfg(feature = "explore")]
    if let Some(active) = contest_engine::execution::active() {
        return inside::block_on(active, future);
    }
    let signal = Arc::new(Signal::default());
    let waker = Waker::from(Arc::clone(&signal));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => signal.wait(),
        }
    }
}

/// Wakes a real thread.
#[derive(Default)]
struct Signal {
    woken: Mutex<bool>,
    changed: Condvar,
}

impl Signal {
    fn wait(&self) {
        let mut woken = self.woken.lock().unwrap_or_else(PoisonError::into_inner);
        while !std::mem::take(&mut *woken) {
            woken = self
                .changed
                .wait(woken)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        *self.woken.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_one();
    }
}

#[cfg(feature = "explore")]
mod inside {
    use std::pin::pin;
    use std::sync::Arc;
    use std::task::{Context, Poll, Wake, Waker};

    use contest_data::trace::ThreadIndex;
    use contest_engine::execution::{Active, active};

    /// Wakes a virtual thread. A waker that is kept beyond its execution wakes a thread of the same number too early,
    /// which futures must put up with.
    struct ThreadWaker(ThreadIndex);

    impl Wake for ThreadWaker {
        #[track_caller]
        fn wake(self: Arc<Self>) {
            self.wake_by_ref();
        }

        #[track_caller]
        fn wake_by_ref(self: &Arc<Self>) {
            if let Some(active) = active() {
                active.wake(self.0);
            }
        }
    }

    /// Notes that a future runs, until dropped: also when it panics.
    struct Running(Active);

    impl Drop for Running {
        fn drop(&mut self) {
            self.0.end_future();
        }
    }

    #[track_caller]
    pub(super) fn block_on<F: Future>(active: Active, future: F) -> F::Output {
        let waker = Waker::from(Arc::new(ThreadWaker(active.current())));
        active.begin_future();
        let _running = Running(active);
        let mut future = pin!(future);
        loop {
            match future.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(output) => return output,
                Poll::Pending => active.wait_until_woken(),
            }
        }
    }
}
