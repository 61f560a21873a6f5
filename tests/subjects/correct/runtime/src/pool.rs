//! Correct: a connection goes back in a task of its own, which waits for the list.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::{Mutex, Notify};

/// One connection that calls take turns with.
pub struct Pool {
    idle: Arc<Idle>,
}

struct Idle {
    connections: Mutex<Vec<u32>>,
    returned: Notify,
}

/// Gives its connection back when it is dropped.
struct Guard {
    idle: Arc<Idle>,
    connection: u32,
}

impl Pool {
    /// A pool with one connection.
    pub fn new() -> Self {
        let idle = Idle {
            connections: Mutex::new(vec![1]),
            returned: Notify::new(),
        };
        let idle = Arc::new(idle);
        tokio::spawn(forget_old(Arc::downgrade(&idle)));
        Self { idle }
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
            self.idle.returned.notified().await;
        }
    }
}

/// Looks at the connections from time to time, for as long as there is a pool.
async fn forget_old(idle: Weak<Idle>) {
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    loop {
        tick.tick().await;
        let Some(idle) = idle.upgrade() else { return };
        idle.connections.lock().await.truncate(4);
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let (idle, connection) = (Arc::clone(&self.idle), self.connection);
        tokio::spawn(async move {
            idle.connections.lock().await.push(connection);
            idle.returned.notify_one();
        });
    }
}
