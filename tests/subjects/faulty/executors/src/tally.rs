//! Faulty: the actor sends to its own mailbox. When that is full, the only one who could take something out waits.

use async_std::channel::{bounded, Receiver, Sender};
use async_std::task;

enum Message {
    Add(u32, Sender<u32>),
    Note,
}

/// A sum that a task of async-std keeps.
pub struct Tally {
    mailbox: Sender<Message>,
}

impl Tally {
    /// Starts the task.
    pub fn new() -> Self {
        let (mailbox, inbox) = bounded(1);
        task::spawn(run(inbox, mailbox.clone()));
        Self { mailbox }
    }

    /// Adds, and returns the sum.
    pub async fn add(&self, n: u32) -> u32 {
        let (reply, answer) = bounded(1);
        let _ = self.mailbox.send(Message::Add(n, reply)).await;
        answer
            .recv()
            .await
            .expect("the task lives as long as the mailbox")
    }
}

async fn run(inbox: Receiver<Message>, own: Sender<Message>) {
    let (mut sum, mut notes) = (0_u32, 0_u32);
    while let Ok(message) = inbox.recv().await {
        match message {
            Message::Add(n, reply) => {
                sum = sum.wrapping_add(n);
                let _ = own.send(Message::Note).await;
                let _ = reply.send(sum).await;
            }
            Message::Note => notes += 1,
        }
    }
    drop(notes);
}
