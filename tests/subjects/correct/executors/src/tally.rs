//! Correct: what the actor has for itself it does at once, instead of sending it to its own mailbox.

use async_std::channel::{bounded, Receiver, Sender};
use async_std::task;

struct Add(u32, Sender<u32>);

/// A sum that a task of async-std keeps.
pub struct Tally {
    mailbox: Sender<Add>,
}

impl Tally {
    /// Starts the task.
    pub fn new() -> Self {
        let (mailbox, inbox) = bounded(1);
        task::spawn(run(inbox));
        Self { mailbox }
    }

    /// Adds, and returns the sum.
    pub async fn add(&self, n: u32) -> u32 {
        let (reply, answer) = bounded(1);
        let _ = self.mailbox.send(Add(n, reply)).await;
        answer
            .recv()
            .await
            .expect("the task lives as long as the mailbox")
    }
}

async fn run(inbox: Receiver<Add>) {
    let (mut sum, mut notes) = (0_u32, 0_u32);
    while let Ok(Add(n, reply)) = inbox.recv().await {
        sum = sum.wrapping_add(n);
        notes += 1;
        let _ = reply.send(sum).await;
    }
    drop(notes);
}
