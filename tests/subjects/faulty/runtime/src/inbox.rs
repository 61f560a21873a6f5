//! Faulty: who waits is not woken, and sees what was put in when its time is up.

use std::future::poll_fn;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::timeout;

/// Items for one who takes them, and who waits for a limited time.
#[derive(Debug)]
pub struct Inbox {
    state: Mutex<(Vec<u32>, Option<Waker>)>,
    /// One at a time.
    taking: tokio::sync::Mutex<()>,
}

impl Inbox {
    /// Empty.
    pub fn new() -> Self {
        Self {
            state: Mutex::default(),
            taking: tokio::sync::Mutex::new(()),
        }
    }

    /// Puts an item in.
    pub fn put(&self, item: u32) {
        self.state.lock().unwrap().0.push(item);
    }

    /// Takes the newest item, once there is one; `None` if there is none in time.
    pub async fn take(&self) -> Option<u32> {
        let _one = self.taking.lock().await;
        let item = poll_fn(|context| self.poll_item(context));
        timeout(Duration::from_millis(10), item).await.ok()
    }

    fn poll_item(&self, context: &Context<'_>) -> Poll<u32> {
        let mut state = self.state.lock().unwrap();
        if let Some(item) = state.0.pop() {
            return Poll::Ready(item);
        }
        state.1 = Some(context.waker().clone());
        Poll::Pending
    }
}
