//! Faulty: a deposit asks the task for the balance and then tells it the new one; another deposit may come between.

use tokio::sync::{mpsc, oneshot};

enum Request {
    Balance(oneshot::Sender<u32>),
    Set(u32, oneshot::Sender<()>),
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
        let balance = self.balance().await.wrapping_add(amount);
        let (reply, answer) = oneshot::channel();
        let _ = self.requests.send(Request::Set(balance, reply)).await;
        answer.await.expect("the task answers");
        balance
    }
}

async fn keep(mut inbox: mpsc::Receiver<Request>) {
    let mut balance = 0;
    while let Some(request) = inbox.recv().await {
        match request {
            Request::Balance(reply) => drop(reply.send(balance)),
            Request::Set(new, reply) => {
                balance = new;
                drop(reply.send(()));
            }
        }
    }
}
