//! `std` under shuttle's name, so that shuttle's tests are tests of `std`: each check runs once, and who runs it
//! explores.

pub use std::{hint, thread, thread_local};

pub mod sync {
    pub use std::sync::*;
}

/// As the crate of this name, whose macro shuttle has at its root too.
pub mod lazy_static {
    pub use std_lazy_static::initialize;
}
pub use std_lazy_static::lazy_static;

pub fn check(body: impl Fn() + Send + Sync + 'static) {
    body();
}

pub fn check_random(body: impl Fn() + Send + Sync + 'static, _iterations: usize) {
    body();
}

pub fn check_dfs(body: impl Fn() + Send + Sync + 'static, _iterations: Option<usize>) {
    body();
}

pub fn check_pct(body: impl Fn() + Send + Sync + 'static, _iterations: usize, _depth: usize) {
    body();
}

pub mod scheduler {
    pub struct PctScheduler;

    impl PctScheduler {
        pub fn new(_depth: usize, _iterations: usize) -> Self {
            Self
        }
    }

    pub struct DfsScheduler;

    impl DfsScheduler {
        pub fn new(_iterations: Option<usize>, _random_data: bool) -> Self {
            Self
        }
    }
}

#[derive(Default)]
pub struct Config;

pub struct Runner;

impl Runner {
    pub fn new<S>(_scheduler: S, _config: Config) -> Self {
        Self
    }

    pub fn run(self, body: impl Fn() + Send + Sync + 'static) -> usize {
        body();
        1
    }
}

pub mod future {
    use std::fmt;
    use std::future::{Future, poll_fn};
    use std::mem::ManuallyDrop;
    use std::pin::{Pin, pin};
    use std::sync::{Arc, Mutex};
    use std::task::{Context, Poll, Wake, Waker};
    use std::thread::{self, Thread};

    struct Unparks(Thread);

    impl Wake for Unparks {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    pub fn block_on<F: Future>(future: F) -> F::Output {
        let mut future = pin!(future);
        let waker = Waker::from(Arc::new(Unparks(thread::current())));
        loop {
            match future.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(output) => return output,
                Poll::Pending => thread::park(),
            }
        }
    }

    pub async fn yield_now() {
        let mut polled = false;
        poll_fn(|context| {
            if std::mem::replace(&mut polled, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    #[derive(Debug, PartialEq, Eq)]
    pub enum JoinError {
        Cancelled,
    }

    impl fmt::Display for JoinError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("task was cancelled")
        }
    }

    impl std::error::Error for JoinError {}

    struct Task<T> {
        result: Option<Result<T, JoinError>>,
        finished: bool,
        aborted: bool,
        joiner: Option<Waker>,
        own: Option<Waker>,
    }

    trait Abort: Send + Sync {
        fn abort(&self);
        fn is_finished(&self) -> bool;
    }

    impl<T: Send> Abort for Mutex<Task<T>> {
        fn abort(&self) {
            let mut task = self.lock().unwrap();
            task.aborted = true;
            if let Some(waker) = task.own.take() {
                waker.wake();
            }
        }

        fn is_finished(&self) -> bool {
            self.lock().unwrap().finished
        }
    }

    #[derive(Clone)]
    pub struct AbortHandle(Arc<dyn Abort>);

    impl AbortHandle {
        pub fn abort(&self) {
            self.0.abort();
        }

        pub fn is_finished(&self) -> bool {
            self.0.is_finished()
        }
    }

    pub struct JoinHandle<T>(Arc<Mutex<Task<T>>>);

    impl<T: Send + 'static> JoinHandle<T> {
        pub fn abort(&self) {
            self.0.abort();
        }

        pub fn is_finished(&self) -> bool {
            self.0.is_finished()
        }

        pub fn abort_handle(&self) -> AbortHandle {
            AbortHandle(self.0.clone())
        }
    }

    impl<T> Future for JoinHandle<T> {
        type Output = Result<T, JoinError>;

        fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
            let mut task = self.0.lock().unwrap();
            if let Some(result) = task.result.take() {
                return Poll::Ready(result);
            }
            task.joiner = Some(context.waker().clone());
            Poll::Pending
        }
    }

    struct Sent<T>(ManuallyDrop<T>);
    // SAFETY: the one thread that takes the future is the only one to use it.
    unsafe impl<T> Send for Sent<T> {}

    impl<T> Sent<T> {
        fn take(self) -> T {
            ManuallyDrop::into_inner(self.0)
        }
    }

    /// A thread for each task.
    pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        spawn_local(future)
    }

    pub fn spawn_local<F>(future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: Send + 'static,
    {
        let task = Arc::new(Mutex::new(Task {
            result: None,
            finished: false,
            aborted: false,
            joiner: None,
            own: None,
        }));
        let state = task.clone();
        let future = Sent(ManuallyDrop::new(future));
        thread::spawn(move || {
            let mut future = Box::pin(future.take());
            let ended = {
                let state = state.clone();
                block_on(poll_fn(move |context| {
                    let mut task = state.lock().unwrap();
                    if task.aborted {
                        return Poll::Ready(Err(JoinError::Cancelled));
                    }
                    task.own = Some(context.waker().clone());
                    drop(task);
                    future.as_mut().poll(context).map(Ok)
                }))
            };
            let mut task = state.lock().unwrap();
            task.result = Some(ended);
            task.finished = true;
            if let Some(joiner) = task.joiner.take() {
                joiner.wake();
            }
        });
        JoinHandle(task)
    }
}

pub mod current {
    pub fn me() -> std::thread::Thread {
        std::thread::current()
    }

    pub fn get_name_for_task(task: std::thread::Thread) -> Option<String> {
        task.name().map(str::to_owned)
    }

    /// Of vector clocks, which no test looks at here.
    pub struct Clock;

    impl Clock {
        pub fn get(&self, _task: usize) -> u32 {
            0
        }
    }

    pub fn clock() -> Clock {
        Clock
    }
}

pub mod rand {
    pub use std_rand::thread_rng;
}

pub fn replay(body: impl Fn() + Send + Sync + 'static, _schedule: &str) {
    body();
}
