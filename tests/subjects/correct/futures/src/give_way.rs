//! A future that is pending once.

use std::future::poll_fn;
use std::task::Poll;

/// Wakes itself and is pending once.
pub async fn give_way() {
    let mut gave_way = false;
    poll_fn(|context| {
        if gave_way {
            return Poll::Ready(());
        }
        gave_way = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}
