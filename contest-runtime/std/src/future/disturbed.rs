//! Futures with which the calling thread does what an executor may do: drop them at an `await`, or poll them without
//! having been woken. When it does so is a choice of the scheduler.

use super::block_on;

/// Runs `future` on the calling thread, or drops it where it waits: at which of its `await`s, if at any, the scheduler
/// chooses. `None` if it was dropped.
///
/// Outside an execution it is run to its end.
///
/// # Examples
/// A task that is dropped between the two changes leaves one of them.
/// ```
/// use contest::future::{block_on_or_drop, yield_now};
/// use contest::sync::atomic::{AtomicU32, Ordering::SeqCst};
///
/// let running = AtomicU32::new(0);
/// let task = async {
///     running.fetch_add(1, SeqCst);
///     yield_now().await;
///     running.fetch_sub(1, SeqCst);
/// };
/// // In a model this is `None` in some interleaving, and `running` stays 1.
/// assert_eq!(block_on_or_drop(task), Some(()));
/// assert_eq!(running.load(SeqCst), 0);
/// ```
#[track_caller]
pub fn block_on_or_drop<F: Future>(future: F) -> Option<F::Output> {
    #[cfg(feature = "explore")]
    if contest_engine::execution::active().is_some() {
        use contest_data::subject::FutureUse;
        return contest_engine::observe::block_on(future, FutureUse::Cancel);
    }
    Some(block_on(future))
}

/// Runs `future` to its end on the calling thread; once it may be polled although nothing woke it, when the scheduler
/// chooses. Each poll has a waker of its own, and only that of the newest poll wakes: a future that keeps its first
/// waker waits for ever.
///
/// Outside an execution no poll is without a wake-up.
///
/// # Examples
/// ```
/// use contest::future::{block_on_polled_again, yield_now};
///
/// let three = block_on_polled_again(async {
///     yield_now().await;
///     3
/// });
/// assert_eq!(three, 3);
/// ```
#[track_caller]
#[cfg_attr(
    feature = "explore",
    expect(
        clippy::missing_panics_doc,
        reason = "a future that is not dropped comes to its end"
    )
)]
pub fn block_on_polled_again<F: Future>(future: F) -> F::Output {
    #[cfg(feature = "explore")]
    if contest_engine::execution::active().is_some() {
        use contest_data::subject::FutureUse;
        let output = contest_engine::observe::block_on(future, FutureUse::PollAgain);
        return output.expect("a future that is not dropped comes to its end");
    }
    block_on(future)
}
