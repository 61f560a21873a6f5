//! `block_on` that polls once too often.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use contest_std::notify::Notify;

struct Waiting(Notify);

impl Wake for Waiting {
    #[track_caller]
    fn wake(self: Arc<Self>) {
        self.0.notify();
    }

    #[track_caller]
    fn wake_by_ref(self: &Arc<Self>) {
        self.0.notify();
    }
}

/// Runs a future to its end on the calling thread. Inside an execution it may poll the future once without having been
/// woken, as an executor may do.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let waiting = Arc::new(Waiting(Notify::new()));
    let waker = Waker::from(Arc::clone(&waiting));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    let mut polled_early = false;
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        if !polled_early && may_poll_early() {
            polled_early = true;
        } else {
            waiting.0.wait();
        }
    }
}

fn may_poll_early() -> bool {
    contest_engine::execution::active().is_some_and(|active| active.choose(2) == 1)
}
