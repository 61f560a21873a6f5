//! Two versions of tokio, a runtime within a runtime, and timers of one runtime on the executor of another.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

/// A lock of the old version, taken twice: check, then act.
pub struct OldLock(old_tokio::sync::Mutex<u32>);

impl OldLock {
    pub fn new() -> Self {
        Self(old_tokio::sync::Mutex::new(0))
    }

    pub async fn claim(&self) -> bool {
        let free = *self.0.lock().await == 0;
        if free {
            *self.0.lock().await += 1;
        }
        free
    }
}

/// The same with the new version.
pub struct NewLock(tokio::sync::Mutex<u32>);

impl NewLock {
    pub fn new() -> Self {
        Self(tokio::sync::Mutex::new(0))
    }

    pub async fn claim(&self) -> bool {
        let free = *self.0.lock().await == 0;
        if free {
            *self.0.lock().await += 1;
        }
        free
    }
}

/// Has a timer of the old version, for which there is no runtime.
pub struct OldTimer(AtomicU32);

impl OldTimer {
    pub fn new() -> Self {
        Self(0.into())
    }

    pub async fn later(&self) -> u32 {
        old_tokio::time::delay_for(Duration::from_millis(1)).await;
        self.0.fetch_add(1, SeqCst)
    }

    pub fn now(&self) -> u32 {
        self.0.fetch_add(1, SeqCst)
    }
}

/// Its own runtime, entered by each call, dropped with the object.
pub struct Owned {
    runtime: tokio::runtime::Runtime,
    count: tokio::sync::Mutex<u32>,
}

impl Owned {
    pub fn new() -> Self {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        Self {
            runtime: builder.enable_time().build().unwrap(),
            count: tokio::sync::Mutex::new(0),
        }
    }

    /// Blocks on the own runtime, which panics within another one.
    pub fn add(&self) -> u32 {
        self.runtime.block_on(async {
            let mut count = self.count.lock().await;
            *count += 1;
            *count
        })
    }

    /// Drops a runtime within an `async` context.
    pub async fn restart(&self) {
        drop(tokio::runtime::Builder::new_current_thread().build().unwrap());
    }
}

/// A timer of tokio on a thread of smol.
pub struct Elsewhere(AtomicU32);

impl Elsewhere {
    pub fn new() -> Self {
        Self(0.into())
    }

    pub fn later(&self) -> bool {
        smol::block_on(smol::spawn(async {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }));
        self.0.fetch_add(1, SeqCst) == 0
    }
}
