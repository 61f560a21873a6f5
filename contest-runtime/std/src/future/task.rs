//! Tasks and their handles.

use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use super::block_on;
use super::shared::Shared;

/// What a task and its handles share, whatever its result.
#[derive(Debug)]
struct Control {
    /// Of a real thread; a virtual one has it in the engine.
    aborted: AtomicBool,
    state: Shared<State>,
    /// Wakes the task, if it is a real thread.
    waker: Mutex<Option<Waker>>,
    /// The task, if it is a virtual thread.
    #[cfg(feature = "explore")]
    thread: std::sync::OnceLock<contest_data::trace::ThreadIndex>,
}

#[derive(Debug, Default)]
struct State {
    finished: bool,
    /// Wakes whoever awaits the result.
    joiner: Option<Waker>,
}

/// Where the result of a task is left. Not looked at before the state says that it is there.
type Place<T> = Arc<Mutex<Option<Result<T, JoinError>>>>;

/// Waits for the result of a task when awaited. Dropping it detaches the task: it goes on, and that it never ends is no
/// deadlock.
pub struct JoinHandle<T> {
    control: Arc<Control>,
    place: Place<T>,
}

/// Ends a task before its time.
#[derive(Clone, Debug)]
pub struct AbortHandle(Arc<Control>);

/// Why a task has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinError {
    /// It was aborted.
    Cancelled,
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("task was cancelled")
    }
}

impl std::error::Error for JoinError {}

/// Starts a task that runs `future`; it makes progress on its own, whether or not its handle is awaited or dropped.
///
/// Inside an execution, a panic of the task ends the execution, which then fails.
///
/// ```
/// let task = contest::future::spawn(async { 6 * 7 });
/// assert_eq!(contest::future::block_on(task), Ok(42));
/// ```
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    #[cfg(feature = "explore")]
    if let Some(active) = contest_engine::execution::active() {
        return spawn_virtual(active, future);
    }
    let handle = JoinHandle::new();
    let (control, place) = (Arc::clone(&handle.control), Arc::clone(&handle.place));
    std::thread::spawn(move || run(future, &control, &place));
    handle
}

/// As [`spawn`], for a future that is not `Send`. Inside an execution only, where all tasks run on one thread of the
/// operating system.
///
/// # Panics
/// Outside an execution.
#[track_caller]
pub fn spawn_local<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    #[cfg(feature = "explore")]
    if let Some(active) = contest_engine::execution::active() {
        return spawn_virtual(active, future);
    }
    drop(future);
    panic!("contest: `spawn_local` works inside a model only")
}

#[cfg(feature = "explore")]
#[track_caller]
fn spawn_virtual<F>(active: contest_engine::execution::Active, future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    let handle = JoinHandle::new();
    let (control, place) = (Arc::clone(&handle.control), Arc::clone(&handle.place));
    let thread = active.spawn_task(move || {
        let body = std::panic::AssertUnwindSafe(|| run(future, &control, &place));
        if std::panic::catch_unwind(body).is_err() {
            active.task_panicked();
        }
    });
    handle.control.thread.get_or_init(|| thread);
    handle
}

fn run<F: Future>(future: F, control: &Control, place: &Place<F::Output>) {
    let mut future = Some(Box::pin(future));
    let result = block_on(std::future::poll_fn(|context| {
        *unpoisoned(&control.waker) = Some(context.waker().clone());
        if control.is_aborted() {
            return Poll::Ready(Err(JoinError::Cancelled));
        }
        let future = future.as_mut().expect("it is dropped only below");
        future.as_mut().poll(context).map(Ok)
    }));
    // What the future owns is gone before anybody learns that it has ended.
    drop(future.take());
    *unpoisoned(place) = Some(result);
    let joiner = control.state.access("finish task", |state| {
        state.finished = true;
        state.joiner.take()
    });
    if let Some(joiner) = joiner {
        joiner.wake();
    }
}

fn unpoisoned<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Control {
    #[track_caller]
    fn abort(&self) {
        #[cfg(feature = "explore")]
        if let (Some(active), Some(thread)) =
            (contest_engine::execution::active(), self.thread.get())
        {
            active.abort(*thread);
            return;
        }
        self.aborted.store(true, Ordering::SeqCst);
        let waker = unpoisoned(&self.waker).take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn is_aborted(&self) -> bool {
        #[cfg(feature = "explore")]
        if let (Some(active), Some(_)) = (contest_engine::execution::active(), self.thread.get()) {
            return active.is_aborted();
        }
        self.aborted.load(Ordering::SeqCst)
    }

    #[track_caller]
    fn is_finished(&self) -> bool {
        self.state.look("is_finished", |state| state.finished)
    }
}

impl<T> JoinHandle<T> {
    fn new() -> Self {
        Self {
            control: Arc::new(Control {
                aborted: AtomicBool::new(false),
                state: Shared::default(),
                waker: Mutex::new(None),
                #[cfg(feature = "explore")]
                thread: std::sync::OnceLock::new(),
            }),
            place: Arc::default(),
        }
    }

    /// Aborts the task: it ends at its next `await` point. Its result is then [`JoinError::Cancelled`], unless it has
    /// ended before.
    #[track_caller]
    pub fn abort(&self) {
        self.control.abort();
    }

    /// True if the task has left its result.
    #[must_use]
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.control.is_finished()
    }

    /// A handle that can only abort.
    #[must_use]
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle(Arc::clone(&self.control))
    }
}

impl AbortHandle {
    /// As [`JoinHandle::abort`].
    #[track_caller]
    pub fn abort(&self) {
        self.0.abort();
    }

    /// As [`JoinHandle::is_finished`].
    #[must_use]
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.0.is_finished()
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let finished = self.control.state.access("join task", |state| {
            if !state.finished {
                state.joiner = Some(context.waker().clone());
            }
            state.finished
        });
        if !finished {
            return Poll::Pending;
        }
        let result = unpoisoned(&self.place).take();
        Poll::Ready(result.expect("a task is not awaited again after it has given its result"))
    }
}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        #[cfg(feature = "explore")]
        if let (Some(active), Some(thread)) = (
            contest_engine::execution::active(),
            self.control.thread.get(),
        ) {
            active.detach(*thread);
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}
