//! Correct: a thread with a runtime of its own, which sleeps in the kernel until another thread hands it a task.

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Runs on its own thread what it is given.
#[derive(Debug)]
pub struct Worker {
    tasks: Handle,
    /// The thread ends once this is gone.
    _alive: oneshot::Sender<()>,
}

impl Worker {
    /// A worker with nothing to do.
    pub fn new() -> Self {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime can be made");
        let tasks = runtime.handle().clone();
        let (_alive, ended) = oneshot::channel::<()>();
        std::thread::spawn(move || runtime.block_on(ended));
        Self { tasks, _alive }
    }

    /// Doubles a number there.
    pub async fn double(&self, number: u32) -> Option<u32> {
        self.tasks.spawn(async move { 2 * number }).await.ok()
    }
}

impl Default for Worker {
    fn default() -> Self {
        Self::new()
    }
}
