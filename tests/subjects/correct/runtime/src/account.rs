//! Correct: the task adds, so that nothing comes between.

use tokio::sync::{mpsc, oneshot};

enum Request {
    Balance(oneshot::Sender<u32>),
    Add(u32, oneshot::Sender<u32>),
}

/// An account that a task keeps.
pub struct Account {
    requests: mpsc::Sender<Request>,
}

impl Account {
    /// Starts the task.
    pub fn new() -> Self {
        let (requests, inbox) = mpsc::channel(4);
        tokio::spawn(keep(inbox));
        Self { requests }
    }

    /// What is in it.
    pub async fn balance(&self) -> u32 {
        let (reply, answer) = oneshot::channel();
        let _ = self.requests.send(Request::Balance(reply)).await;
        answer.await.expect("the task answers")
    }

    /// Puts something in. Returns the new balance.
    pub async fn deposit(&self, amount: u32) -> u32 {
        let (reply, answer) = oneshot::channel();
        let _ = self.requests.send(Request::Add(amount, reply)).await;
        answer.await.expect("the task answers")
    }

    /// Puts something in, without waiting until the task has seen it.
    pub async fn send(&self, amount: u32) {
        let (reply, _) = oneshot::channel();
        let _ = self.requests.send(Request::Add(amount, reply)).await;
    }
}

async fn keep(mut inbox: mpsc::Receiver<Request>) {
    let mut balance = 0_u32;
    while let Some(request) = inbox.recv().await {
        match request {
            Request::Balance(reply) => drop(reply.send(balance)),
            Request::Add(amount, reply) => {
                balance = balance.wrapping_add(amount);
                drop(reply.send(balance));
            }
        }
    }
}
