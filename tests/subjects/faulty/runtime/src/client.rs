//! Faulty: the server takes it for granted that who asked still waits for the answer, but callers have a time limit.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

type Request = (u32, oneshot::Sender<u32>);

/// A server that takes its time, and its clients.
pub struct Client {
    requests: mpsc::UnboundedSender<Request>,
}

impl Client {
    /// Starts the server.
    pub fn new() -> Self {
        let (requests, inbox) = mpsc::unbounded_channel();
        tokio::spawn(serve(inbox));
        Self { requests }
    }

    /// The square, if the server is not too busy. Tries twice.
    pub async fn square(&self, n: u32) -> Option<u32> {
        for _ in 0..2 {
            let (reply, answer) = oneshot::channel();
            self.requests.send((n, reply)).ok()?;
            if let Ok(answer) = timeout(Duration::from_millis(1000), answer).await {
                return answer.ok();
            }
        }
        None
    }
}

async fn serve(mut inbox: mpsc::UnboundedReceiver<Request>) {
    while let Some((n, reply)) = inbox.recv().await {
        sleep(Duration::from_millis(600)).await;
        reply.send(n.wrapping_mul(n)).expect("the caller waits");
    }
}
