//! Faulty: the server takes it for granted that who asked still waits for the answer, but callers have a time limit.

use std::time::Duration;

use async_std::channel::{bounded, unbounded, Receiver, Sender};
use async_std::future::timeout;
use async_std::task::{sleep, spawn};

type Request = (u32, Sender<u32>);

/// A server that takes its time, and its clients.
pub struct Client {
    requests: Sender<Request>,
}

impl Client {
    /// Starts the server.
    pub fn new() -> Self {
        let (requests, inbox) = unbounded();
        spawn(serve(inbox));
        Self { requests }
    }

    /// The square, if the server is not too busy. Tries twice.
    pub async fn square(&self, n: u32) -> Option<u32> {
        for _ in 0..2 {
            let (reply, answer) = bounded(1);
            self.requests.send((n, reply)).await.ok()?;
            if let Ok(answer) = timeout(Duration::from_millis(1000), answer.recv()).await {
                return answer.ok();
            }
        }
        None
    }
}

async fn serve(inbox: Receiver<Request>) {
    while let Ok((n, reply)) = inbox.recv().await {
        sleep(Duration::from_millis(600)).await;
        reply
            .send(n.wrapping_mul(n))
            .await
            .expect("the caller waits");
    }
}
