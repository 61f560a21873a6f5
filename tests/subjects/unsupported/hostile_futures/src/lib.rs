//! Futures that behave badly: never ready, always awake, panicking in `poll` and in `Drop`, blocking the thread, neither
//! `Send` nor `Unpin`. Beside each of them is a sound type, which is to be tested all the same.

use std::future::{Future, pending, poll_fn};
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Mutex, mpsc};
use std::task::{Context, Poll};

macro_rules! counter {
    ($name:ident, $($method:item)*) => {
        #[derive(Debug, Default)]
        pub struct $name(AtomicU32);

        impl $name {
            pub fn new() -> Self {
                Self::default()
            }

            pub fn add(&self) -> u32 {
                self.0.fetch_add(1, SeqCst)
            }

            $($method)*
        }
    };
}

counter!(Never,
    /// No waker is kept: nothing can end the wait.
    pub async fn wait(&self) {
        self.add();
        pending::<()>().await;
    }
);

counter!(Busy,
    /// Wakes itself at each poll and is never ready.
    pub async fn spin(&self) {
        poll_fn(|context| {
            self.add();
            context.waker().wake_by_ref();
            Poll::<()>::Pending
        })
        .await;
    }
);

counter!(PanicsInPoll,
    /// Panics at the second poll.
    pub async fn fail(&self) -> u32 {
        let mut polls = 0;
        poll_fn(|context| {
            polls += 1;
            assert_eq!(polls, 1, "polled again");
            context.waker().wake_by_ref();
            Poll::<()>::Pending
        })
        .await;
        self.add()
    }
);

/// A future that panics when it is dropped.
pub struct Bomb<'a>(&'a AtomicU32, bool);

impl Future for Bomb<'_> {
    type Output = u32;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<u32> {
        if std::mem::replace(&mut self.1, true) {
            return Poll::Ready(self.0.fetch_add(1, SeqCst));
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Drop for Bomb<'_> {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

counter!(PanicsInDrop,
    pub fn bomb(&self) -> Bomb<'_> {
        Bomb(&self.0, false)
    }
);

/// Blocks its thread in `poll`, until another call sends.
pub struct Blocks {
    sender: Mutex<mpsc::Sender<u32>>,
    receiver: Mutex<mpsc::Receiver<u32>>,
}

impl Default for Blocks {
    fn default() -> Self {
        Self::new()
    }
}

impl Blocks {
    pub fn new() -> Self {
        let (sender, receiver) = mpsc::channel();
        Self {
            sender: Mutex::new(sender),
            receiver: Mutex::new(receiver),
        }
    }

    pub fn send(&self) {
        self.sender.lock().unwrap().send(1).unwrap();
    }

    pub async fn receive(&self) -> u32 {
        self.receiver.lock().unwrap().recv().unwrap()
    }
}

counter!(NotSend,
    /// Keeps an `Rc` over an `await`.
    #[allow(clippy::future_not_send)]
    pub async fn count(&self) -> u32 {
        let one = Rc::new(1);
        let mut polled = false;
        poll_fn(|context| {
            if std::mem::replace(&mut polled, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        self.0.fetch_add(*one, SeqCst)
    }
);

/// A future that must not move.
pub struct Pinned<'a>(&'a AtomicU32, PhantomPinned);

impl Future for Pinned<'_> {
    type Output = u32;

    fn poll(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<u32> {
        Poll::Ready(self.0.fetch_add(1, SeqCst))
    }
}

counter!(NotUnpin,
    pub fn pinned(&self) -> Pinned<'_> {
        Pinned(&self.0, PhantomPinned)
    }
);

/// Sound, but for the check and the act of `claim`.
#[derive(Debug, Default)]
pub struct Flag(AtomicU32);

impl Flag {
    pub fn new() -> Self {
        Self::default()
    }

    pub async fn claim(&self) -> bool {
        let free = self.0.load(SeqCst) == 0;
        if free {
            self.0.store(1, SeqCst);
        }
        free
    }
}
