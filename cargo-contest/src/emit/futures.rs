//! Futures in emitted tests: polled on the thread of their call, with a few lines that need no dependency.

use contest_data::finding::Finding;
use contest_data::subject::FutureUse;

use contest_build::workspace::selection::Tokio;
use contest_catalog::subject_catalog::SubjectEntry;

/// The expression that drives a future as its call does.
pub(super) fn driven(
    future: &str,
    finding: &Finding,
    how: FutureUse,
    place: Option<(usize, usize)>,
) -> String {
    match how {
        FutureUse::Run | FutureUse::PollInWake => format!("block_on({future})"),
        FutureUse::Drop => future.to_owned(),
        FutureUse::PollAgain => format!("polled_again({future})"),
        FutureUse::Keep | FutureUse::LeaveWaiting => format!("kept({future})"),
        FutureUse::Cancel => {
            let of = finding.cancelled.iter().find(|cancelled| {
                place == Some((usize::from(cancelled.lane), usize::from(cancelled.call)))
            });
            let polls = of.map_or(1, |cancelled| cancelled.polls.max(1));
            format!("cancelled_after({polls}, {future})")
        }
    }
}

/// True if some call of the test cancels its future or polls it once more.
pub(super) fn disturbs(finding: &Finding, subject: &SubjectEntry) -> bool {
    finding.test.threads.iter().flatten().any(|call| {
        let operation = subject.operations.get(usize::from(call.operation));
        operation.is_some_and(|it| it.future_use(&call.choices) != FutureUse::Run)
    })
}

/// Adds the functions that the test calls.
pub(super) fn write_helpers(out: &mut String) {
    let uses = |name: &str| {
        // A method of the object may have that name.
        let mut calls = out.match_indices(name);
        calls.any(|(at, _)| !out[..at].ends_with('.'))
    };
    let (in_wake, looks_at_drops) = (uses("polled_by_waker("), uses("drops(&result)"));
    let (runs, again, cancels, keeps) = (
        uses("block_on("),
        uses("polled_again("),
        uses("cancelled_after("),
        uses("kept("),
    );
    if in_wake {
        out.push_str(POLLED_BY_WAKER);
    }
    if looks_at_drops {
        out.push_str(DROPS);
    }
    if !(runs || again || cancels || keeps) {
        return;
    }
    if runs || again {
        out.push_str(BLOCK_ON);
    }
    if again {
        out.push_str(POLLED_AGAIN);
    }
    if cancels {
        out.push_str(CANCELLED_AFTER);
    }
    if keeps {
        out.push_str(KEPT);
    }
    out.push_str(TASK);
}

/// Adds the runtime that the calls need, with two workers if so.
pub(super) fn write_runtime(out: &mut String, tokio: &Tokio, workers: bool) {
    let Some(name) = &tokio.library else {
        out.push_str("\n// The calls need a runtime of tokio, which the tests of this package cannot name.\n");
        return;
    };
    let time = if tokio.time { ".enable_time()" } else { "" };
    let runtime = if workers { WORKERS } else { RUNTIME };
    out.push_str(&runtime.replace("{tokio}", name).replace("{time}", time));
}

const RUNTIME: &str = "
/// The runtime that the calls need. It runs tasks on a thread of its own.
fn runtime() -> &'static {tokio}::runtime::Handle {
    static RUNTIME: std::sync::OnceLock<{tokio}::runtime::Handle> = std::sync::OnceLock::new();
    RUNTIME.get_or_init(|| {
        let runtime = {tokio}::runtime::Builder::new_current_thread(){time}.build().unwrap();
        let handle = runtime.handle().clone();
        std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
        handle
    })
}
";

const WORKERS: &str = "
/// The runtime that the calls need.
fn runtime() -> &'static {tokio}::runtime::Handle {
    static RUNTIME: std::sync::OnceLock<{tokio}::runtime::Runtime> = std::sync::OnceLock::new();
    let made = || {tokio}::runtime::Builder::new_multi_thread().worker_threads(2){time}.build().unwrap();
    RUNTIME.get_or_init(made).handle()
}
";

const BLOCK_ON: &str = "
/// Polls a future until it is ready, each time with a waker of its own.
fn block_on<F: std::future::Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    loop {
        let (waker, woken) = task();
        let mut context = std::task::Context::from_waker(&waker);
        if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        let _ = woken.recv();
    }
}
";

const POLLED_BY_WAKER: &str = include_str!("polled_by_waker.rs.in");

const DROPS: &str = "
fn drops<T>(_: &T) -> bool {
    std::mem::needs_drop::<T>()
}
";

const POLLED_AGAIN: &str = "
/// As `block_on`, after one poll with a waker that is never looked at again.
fn polled_again<F: std::future::Future>(future: F) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    let (waker, _woken) = task();
    let mut context = std::task::Context::from_waker(&waker);
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(output) => Some(output),
        std::task::Poll::Pending => Some(block_on(future)),
    }
}
";

const KEPT: &str = "
/// Polls a future once, and keeps it without polling it again.
fn kept<F: std::future::Future>(future: F) {
    let mut future = Box::pin(future);
    let (waker, _woken) = task();
    let mut context = std::task::Context::from_waker(&waker);
    if future.as_mut().poll(&mut context).is_pending() {
        std::mem::forget(future);
    }
}
";

const CANCELLED_AFTER: &str = "
/// Drops a future after so many polls, soon after it was woken or, in every second round, without waiting for that.
fn cancelled_after<F: std::future::Future>(polls: u32, future: F) -> Option<F::Output> {
    static ROUND: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let waits = ROUND.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % 2 == 0;
    let mut future = std::pin::pin!(future);
    for poll in 1..=polls {
        let (waker, woken) = task();
        let mut context = std::task::Context::from_waker(&waker);
        if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        if poll < polls {
            let _ = woken.recv();
        } else if waits {
            let _ = woken.recv_timeout(std::time::Duration::from_millis(1));
        }
    }
    None
}
";

const TASK: &str = "
/// A waker, and what is sent a message when it is woken. It stays silent if the waker is dropped.
fn task() -> (std::task::Waker, std::sync::mpsc::Receiver<()>) {
    struct Task(std::sync::mpsc::Sender<()>);
    impl std::task::Wake for Task {
        fn wake(self: std::sync::Arc<Self>) {
            let _ = self.0.send(());
        }
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    // A lost wake-up hangs, it does not end the wait.
    std::mem::forget(sender.clone());
    (std::sync::Arc::new(Task(sender)).into(), receiver)
}
";
