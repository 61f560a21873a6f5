//! A register that is locked while a call waits.

use std::future::poll_fn;
use std::sync::Mutex;
use std::task::{Poll, Waker};

#[derive(Debug, Default)]
pub struct Register(Mutex<(bool, Vec<Waker>)>);

impl Register {
    pub fn new() -> Self {
        Self::default()
    }

    pub async fn write(&self) {
        poll_fn(|context| {
            let mut taken = self.0.lock().unwrap();
            if taken.0 {
                taken.1.push(context.waker().clone());
                return Poll::Pending;
            }
            taken.0 = true;
            Poll::Ready(())
        })
        .await;
        // Wrong: a task that keeps this future here, unpolled, keeps all others out. Fix: wait before it is taken.
        another_turn().await;
        let waiting = std::mem::take(&mut *self.0.lock().unwrap());
        waiting.1.into_iter().for_each(Waker::wake);
    }
}

/// Lets other tasks have their turn.
async fn another_turn() {
    let mut had = false;
    poll_fn(|context| {
        if std::mem::replace(&mut had, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
