//! An event that tasks listen to.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// Wakes those who listen.
#[derive(Debug, Default)]
pub struct Event {
    listening: Mutex<Vec<Arc<Ear>>>,
    /// How many listen.
    count: AtomicUsize,
}

/// What an event and a listener share.
#[derive(Debug, Default)]
struct Ear {
    heard: Mutex<Heard>,
}

#[derive(Debug, Default)]
struct Heard {
    is_notified: bool,
    waker: Option<Waker>,
}

impl Event {
    /// An event without listeners.
    pub fn new() -> Self {
        Self::default()
    }

    /// Listens from now on.
    pub fn listen(&self) -> Listener<'_> {
        let ear = Arc::new(Ear::default());
        let mut listening = self.listening.lock().unwrap();
        listening.push(Arc::clone(&ear));
        self.count.store(listening.len(), Ordering::Release);
        drop(listening);
        Listener { event: self, ear }
    }

    /// Wakes all that listen.
    pub fn notify(&self) {
        // BUG: a thread that listens by now may not see yet what the caller has written, and is not seen here.
        if self.count.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut listening = self.listening.lock().unwrap();
        let all = std::mem::take(&mut *listening);
        self.count.store(0, Ordering::Release);
        drop(listening);
        for ear in all {
            let mut heard = ear.heard.lock().unwrap();
            heard.is_notified = true;
            let waker = heard.waker.take();
            drop(heard);
            waker.into_iter().for_each(Waker::wake);
        }
    }
}

/// Ready when the event has notified it.
#[derive(Debug)]
pub struct Listener<'a> {
    event: &'a Event,
    ear: Arc<Ear>,
}

impl Future for Listener<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut heard = self.ear.heard.lock().unwrap();
        if heard.is_notified {
            return Poll::Ready(());
        }
        heard.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Listener<'_> {
    fn drop(&mut self) {
        let mut listening = self.event.listening.lock().unwrap();
        listening.retain(|it| !Arc::ptr_eq(it, &self.ear));
        self.event.count.store(listening.len(), Ordering::Release);
    }
}
