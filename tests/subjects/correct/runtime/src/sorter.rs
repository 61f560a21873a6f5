//! Correct: other tasks get their turn before a message is taken, so `select!` never drops one.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, Notify};

type Request = (u32, oneshot::Sender<u32>);

/// A task that answers requests and starts anew when it is nudged.
pub struct Sorter {
    mailbox: mpsc::UnboundedSender<Request>,
    nudged: Arc<Notify>,
}

impl Sorter {
    /// Starts the task.
    pub fn new() -> Self {
        let (mailbox, inbox) = mpsc::unbounded_channel();
        let nudged = Arc::new(Notify::new());
        tokio::spawn(run(inbox, Arc::clone(&nudged)));
        Self { mailbox, nudged }
    }

    /// Twice the number.
    pub async fn twice(&self, n: u32) -> u32 {
        let (reply, answer) = oneshot::channel();
        let _ = self.mailbox.send((n, reply));
        answer.await.expect("every request is answered")
    }

    /// Makes the task start anew.
    pub fn nudge(&self) {
        self.nudged.notify_one();
    }
}

async fn run(mut inbox: mpsc::UnboundedReceiver<Request>, nudged: Arc<Notify>) {
    loop {
        tokio::select! {
            next = next(&mut inbox) => match next {
                Some((n, reply)) => {
                    let _ = reply.send(n.wrapping_mul(2));
                }
                None => return,
            },
            _ = nudged.notified() => {}
        }
    }
}

/// The next request, after the other tasks had their turn.
async fn next(inbox: &mut mpsc::UnboundedReceiver<Request>) -> Option<Request> {
    tokio::task::yield_now().await;
    inbox.recv().await
}
