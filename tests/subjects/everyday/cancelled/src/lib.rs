//! Calls that do all that they do at once, and then wait for an answer.

use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// The answer, once it is there.
#[derive(Default)]
struct Answer {
    state: Mutex<(bool, Option<Waker>)>,
}

/// Waits for the answer.
pub struct Reply(Arc<Answer>);

impl Future for Reply {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.state.lock().unwrap();
        if state.0 {
            return Poll::Ready(());
        }
        state.1 = Some(context.waker().clone());
        Poll::Pending
    }
}

/// A mailbox of one place: `send` puts the message in at once, its future waits for an answer that never comes.
#[derive(Default)]
pub struct Mailbox {
    message: Mutex<Option<Arc<Answer>>>,
}

impl Mailbox {
    pub fn send(&self) -> Reply {
        let answer = Arc::new(Answer::default());
        let mut message = self.message.lock().unwrap();
        if message.is_none() {
            *message = Some(Arc::clone(&answer));
        } else {
            answer.state.lock().unwrap().0 = true;
        }
        Reply(answer)
    }

    pub fn try_send(&self) -> bool {
        let mut message = self.message.lock().unwrap();
        let free = message.is_none();
        if free {
            *message = Some(Arc::default());
        }
        free
    }
}

/// Counts those who came to wait.
#[derive(Default)]
pub struct Visitors {
    came: AtomicU32,
}

impl Visitors {
    /// Counts at the first poll, and lets others run once.
    pub async fn visit(&self) -> u32 {
        let number = self.came.fetch_add(1, SeqCst);
        let mut polled = false;
        std::future::poll_fn(|context| {
            if std::mem::replace(&mut polled, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        number
    }

    pub fn came(&self) -> u32 {
        self.came.load(SeqCst)
    }
}
