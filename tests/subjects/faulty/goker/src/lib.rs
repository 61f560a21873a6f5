//! What Go has and `std` has not, and what the kernels below `tests` have in common.

use std::cell::UnsafeCell;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::task::{Context as Waking, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::sync::watch;

/// Whether kernels are without their bugs.
pub const MENDED: bool = cfg!(feature = "mended");

/// So many milliseconds.
pub fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Locks what no thread has poisoned.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap()
}

/// Counts what is to be waited for: `sync.WaitGroup`.
#[derive(Default)]
pub struct WaitGroup {
    count: Mutex<i32>,
    none: Condvar,
}

impl WaitGroup {
    pub fn add(&self, number: i32) {
        let mut count = lock(&self.count);
        *count += number;
        assert!(*count >= 0, "more done than added");
        if *count == 0 {
            self.none.notify_all();
        }
    }

    pub fn done(&self) {
        self.add(-1);
    }

    pub fn wait(&self) {
        let count = lock(&self.count);
        drop(self.none.wait_while(count, |it| *it > 0).unwrap());
    }
}

/// A channel that carries nothing and is closed once: `chan struct{}`.
#[derive(Default)]
pub struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    pub fn close(&self) {
        let before = std::mem::replace(&mut *lock(&self.open), true);
        assert!(!before, "closed twice");
        self.opened.notify_all();
    }

    pub fn wait(&self) {
        let open = lock(&self.open);
        drop(self.opened.wait_while(open, |it| !*it).unwrap());
    }
}

/// What can be cancelled, for `select!`: `context.Context`.
#[derive(Default)]
pub struct Context(watch::Sender<bool>);

impl Context {
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    pub fn is_done(&self) -> bool {
        *self.0.borrow()
    }

    pub async fn done(&self) {
        let mut receiver = self.0.subscribe();
        receiver.wait_for(|it| *it).await.unwrap();
    }
}

/// A variable without synchronisation. What safe Rust does not compile is written with it.
#[derive(Default)]
pub struct Racy<T>(UnsafeCell<T>);

// SAFETY: None: this is what the kernels do wrong.
unsafe impl<T: Send> Sync for Racy<T> {}

impl<T> Racy<T> {
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// Reads it.
    pub fn with<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        // SAFETY: None, see above.
        read(unsafe { &*self.0.get() })
    }

    /// Changes it.
    pub fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: None, see above.
        change(unsafe { &mut *self.0.get() })
    }
}

struct Unparks(Thread);

impl Wake for Unparks {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future on this thread: what waits in `select!`.
pub fn run<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unparks(thread::current())));
    let mut waking = Waking::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut waking) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}
