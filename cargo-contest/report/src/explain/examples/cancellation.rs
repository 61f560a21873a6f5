//! State that is changed on both sides of an `await`.

use std::future::poll_fn;
use std::sync::Mutex;
use std::task::Poll;

#[derive(Debug)]
pub struct Accounts {
    amounts: Mutex<(u32, u32)>,
}

impl Accounts {
    pub fn new() -> Self {
        let amounts = Mutex::new((10, 0));
        Self { amounts }
    }

    pub async fn transfer(&self) {
        self.amounts.lock().unwrap().0 -= 1;
        // Wrong: dropped here, the unit is gone. Fix: change both after the `await`.
        give_way().await;
        self.amounts.lock().unwrap().1 += 1;
    }

    pub fn total(&self) -> u32 {
        let amounts = self.amounts.lock().unwrap();
        amounts.0 + amounts.1
    }
}

async fn give_way() {
    let mut gave_way = false;
    poll_fn(|context| {
        if gave_way {
            return Poll::Ready(());
        }
        gave_way = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}
