//! Correct: a connection goes back in a task of its own, which waits for the list.

use std::sync::{Arc, Weak};
use std::time::Duration;

use smol::channel::{bounded, Receiver, Sender};
use smol::lock::Mutex;
use smol::Timer;

/// One connection that calls take turns with.
pub struct Pool {
    idle: Arc<Idle>,
    returned: Receiver<()>,
}

struct Idle {
    connections: Mutex<Vec<u32>>,
    returns: Sender<()>,
}

/// Gives its connection back when it is dropped.
struct Guard {
    idle: Arc<Idle>,
    connection: u32,
}

impl Pool {
    /// A pool with one connection.
    pub fn new() -> Self {
        let (returns, returned) = bounded(1);
        let idle = Idle {
            connections: Mutex::new(vec![1]),
            returns,
        };
        let idle = Arc::new(idle);
        smol::spawn(forget_old(Arc::downgrade(&idle))).detach();
        Self { idle, returned }
    }

    /// Uses a connection.
    pub async fn query(&self) -> u32 {
        let guard = self.get().await;
        guard.connection
    }

    async fn get(&self) -> Guard {
        loop {
            if let Some(connection) = self.idle.connections.lock().await.pop() {
                let idle = Arc::clone(&self.idle);
                return Guard { idle, connection };
            }
            let _ = self.returned.recv().await;
        }
    }
}

/// Looks at the connections from time to time, for as long as there is a pool.
async fn forget_old(idle: Weak<Idle>) {
    loop {
        Timer::after(Duration::from_secs(1)).await;
        let Some(idle) = idle.upgrade() else { return };
        idle.connections.lock().await.truncate(4);
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let (idle, connection) = (Arc::clone(&self.idle), self.connection);
        smol::spawn(async move {
            idle.connections.lock().await.push(connection);
            let _ = idle.returns.try_send(());
        })
        .detach();
    }
}
