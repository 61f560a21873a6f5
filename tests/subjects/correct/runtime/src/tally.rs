//! Correct: what the actor has for itself it does at once, instead of sending it to its own mailbox.

use tokio::sync::{mpsc, oneshot};

struct Add(u32, oneshot::Sender<u32>);

/// A sum that a task keeps.
pub struct Tally {
    mailbox: mpsc::Sender<Add>,
}

impl Tally {
    /// Starts the task.
    pub fn new() -> Self {
        let (mailbox, inbox) = mpsc::channel(1);
        tokio::spawn(run(inbox));
        Self { mailbox }
    }

    /// Adds, and returns the sum.
    pub async fn add(&self, n: u32) -> u32 {
        let (reply, answer) = oneshot::channel();
        let _ = self.mailbox.send(Add(n, reply)).await;
        answer.await.expect("the task lives as long as the mailbox")
    }
}

async fn run(mut inbox: mpsc::Receiver<Add>) {
    let (mut sum, mut notes) = (0_u32, 0_u32);
    while let Some(Add(n, reply)) = inbox.recv().await {
        sum = sum.wrapping_add(n);
        notes += 1;
        let _ = reply.send(sum);
    }
    drop(notes);
}
