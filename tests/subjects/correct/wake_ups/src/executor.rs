//! An executor whose tasks run while a thread is in `block_on`.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::{pin, Pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};

/// Runs tasks.
#[derive(Default)]
pub struct Executor {
    queue: Arc<Queue>,
}

#[derive(Default)]
struct Queue {
    jobs: Mutex<VecDeque<Arc<Job>>>,
    changed: Condvar,
}

impl Drop for Executor {
    /// What is queued has the queue.
    fn drop(&mut self) {
        self.queue.jobs.lock().unwrap().clear();
    }
}

impl Queue {
    fn push(&self, job: Arc<Job>) {
        self.jobs.lock().unwrap().push_back(job);
        self.changed.notify_all();
    }
}

/// A task, as it is queued.
struct Job {
    future: Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>,
    is_queued: AtomicBool,
    queue: Arc<Queue>,
    end: Arc<Mutex<End>>,
}

#[derive(Default)]
struct End {
    is_there: bool,
    waker: Option<Waker>,
}

impl Job {
    fn run(self: Arc<Self>) {
        self.is_queued.swap(false, Ordering::AcqRel);
        let waker = Waker::from(Arc::clone(&self));
        let mut future = self.future.lock().unwrap();
        let Some(running) = future.as_mut() else {
            return;
        };
        if running
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_ready()
        {
            *future = None;
            drop(future);
            let mut end = self.end.lock().unwrap();
            end.is_there = true;
            let waker = end.waker.take();
            drop(end);
            waker.into_iter().for_each(Waker::wake);
        }
    }
}

impl Wake for Job {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_queued.swap(true, Ordering::AcqRel) {
            self.queue.push(Arc::clone(self));
        }
    }
}

/// Ready when the task has come to its end.
pub struct Task {
    end: Arc<Mutex<End>>,
}

impl Future for Task {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut end = self.end.lock().unwrap();
        if end.is_there {
            return Poll::Ready(());
        }
        end.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

/// The thread in `block_on`.
struct Blocked {
    is_woken: AtomicBool,
    queue: Arc<Queue>,
}

impl Wake for Blocked {
    fn wake(self: Arc<Self>) {
        let jobs = self.queue.jobs.lock().unwrap();
        self.is_woken.store(true, Ordering::Release);
        drop(jobs);
        self.queue.changed.notify_all();
    }
}

impl Executor {
    /// Without tasks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a task.
    pub fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> Task {
        let end = Arc::default();
        let task = Task {
            end: Arc::clone(&end),
        };
        self.queue.push(Arc::new(Job {
            future: Mutex::new(Some(Box::pin(future))),
            is_queued: AtomicBool::new(true),
            queue: Arc::clone(&self.queue),
            end,
        }));
        task
    }

    /// Runs tasks until the future is ready.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let blocked = Arc::new(Blocked {
            is_woken: AtomicBool::new(false),
            queue: Arc::clone(&self.queue),
        });
        let waker = Waker::from(Arc::clone(&blocked));
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
            let mut jobs = self.queue.jobs.lock().unwrap();
            let job = loop {
                if blocked.is_woken.swap(false, Ordering::Acquire) {
                    break None;
                }
                if let Some(job) = jobs.pop_front() {
                    break Some(job);
                }
                jobs = self.queue.changed.wait(jobs).unwrap();
            };
            drop(jobs);
            job.into_iter().for_each(Job::run);
        }
    }
}
