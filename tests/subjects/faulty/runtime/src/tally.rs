//! Faulty: the actor sends to its own mailbox. When that is full, the only one who could take something out waits.

use tokio::sync::{mpsc, oneshot};

enum Message {
    Add(u32, oneshot::Sender<u32>),
    Note,
}

/// A sum that a task keeps.
pub struct Tally {
    mailbox: mpsc::Sender<Message>,
}

impl Tally {
    /// Starts the task.
    pub fn new() -> Self {
        let (mailbox, inbox) = mpsc::channel(1);
        tokio::spawn(run(inbox, mailbox.clone()));
        Self { mailbox }
    }

    /// Adds, and returns the sum.
    pub async fn add(&self, n: u32) -> u32 {
        let (reply, answer) = oneshot::channel();
        let _ = self.mailbox.send(Message::Add(n, reply)).await;
        answer.await.expect("the task lives as long as the mailbox")
    }
}

async fn run(mut inbox: mpsc::Receiver<Message>, own: mpsc::Sender<Message>) {
    let (mut sum, mut notes) = (0_u32, 0_u32);
    while let Some(message) = inbox.recv().await {
        match message {
            Message::Add(n, reply) => {
                sum = sum.wrapping_add(n);
                let _ = own.send(Message::Note).await;
                let _ = reply.send(sum);
            }
            Message::Note => notes += 1,
        }
    }
    drop(notes);
}
