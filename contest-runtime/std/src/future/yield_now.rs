//! Giving way inside a future.

use std::future::poll_fn;
use std::task::Poll;

/// Yields to other tasks once: wakes its own task and returns `Pending`.
pub async fn yield_now() {
    let mut yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
