//! `std` under loom's name, so that loom's tests are tests of `std`: each model runs once, and who runs it explores.

pub use std::{hint, thread_local};

pub mod sync {
    pub use std::sync::*;

    /// One thread waits until another one notifies it.
    #[derive(Debug, Default)]
    pub struct Notify(Mutex<bool>, Condvar);

    impl Notify {
        pub fn new() -> Self {
            Self::default()
        }

        pub fn notify(&self) {
            *self.0.lock().unwrap() = true;
            self.1.notify_one();
        }

        pub fn wait(&self) {
            let mut notified = self.0.lock().unwrap();
            while !std::mem::take(&mut *notified) {
                notified = self.1.wait(notified).unwrap();
            }
        }
    }
}

#[macro_export]
macro_rules! lazy_static {
    ($(static ref $name:ident: $type:ty = $value:expr;)*) => {$(
        static $name: std::sync::LazyLock<$type> = std::sync::LazyLock::new(|| $value);
    )*};
}

pub mod thread {
    pub use std::thread::*;
    use std::mem::ManuallyDrop;

    struct Sent<T>(ManuallyDrop<T>);
    // SAFETY: for tests whose threads share what is not `Send`, which loom allows.
    unsafe impl<T> Send for Sent<T> {}

    impl<T> Sent<T> {
        fn take(self) -> T {
            ManuallyDrop::into_inner(self.0)
        }
    }

    /// Of a thread whose result need not be `Send`.
    pub struct JoinHandle<T>(std::thread::JoinHandle<Sent<T>>);

    impl<T> JoinHandle<T> {
        pub fn join(self) -> Result<T> {
            self.0.join().map(Sent::take)
        }

        pub fn thread(&self) -> &Thread {
            self.0.thread()
        }
    }

    fn sent<T: 'static>(body: impl FnOnce() -> T + 'static) -> impl FnOnce() -> Sent<T> + Send {
        let body = Sent(ManuallyDrop::new(body));
        move || Sent(ManuallyDrop::new(body.take()()))
    }

    pub fn spawn<T: 'static>(body: impl FnOnce() -> T + 'static) -> JoinHandle<T> {
        JoinHandle(std::thread::spawn(sent(body)))
    }
}

pub mod cell {
    pub use std::cell::Cell;

    #[derive(Debug, Default)]
    pub struct UnsafeCell<T: ?Sized>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub const fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }
    }

    impl<T: ?Sized> UnsafeCell<T> {
        pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            f(self.0.get())
        }

        pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }
    }
}

pub fn model(body: impl Fn() + Sync + Send + 'static) {
    body();
}

pub mod model {
    #[derive(Default)]
    #[non_exhaustive]
    pub struct Builder {
        pub preemption_bound: Option<usize>,
        pub max_branches: usize,
    }

    impl Builder {
        pub fn new() -> Self {
            Self::default()
        }

        pub fn check(&self, body: impl Fn() + Sync + Send + 'static) {
            body();
        }
    }
}

pub mod future {
    use std::future::Future;
    use std::pin::pin;
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

    #[derive(Debug, Default)]
    pub struct AtomicWaker(Mutex<Option<Waker>>);

    impl AtomicWaker {
        pub fn new() -> Self {
            Self::default()
        }

        pub fn register(&self, waker: Waker) {
            *self.0.lock().unwrap() = Some(waker);
        }

        pub fn register_by_ref(&self, waker: &Waker) {
            self.register(waker.clone());
        }

        pub fn take_waker(&self) -> Option<Waker> {
            self.0.lock().unwrap().take()
        }

        pub fn wake(&self) {
            if let Some(waker) = self.take_waker() {
                waker.wake();
            }
        }
    }
}
