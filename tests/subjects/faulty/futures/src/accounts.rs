//! Amounts that move over an `await`.

use std::sync::Mutex;

use crate::give_way::give_way;

/// Two accounts.
#[derive(Debug)]
pub struct Accounts {
    amounts: Mutex<(u32, u32)>,
}

impl Accounts {
    /// Ten units in the first one.
    pub fn new() -> Self {
        let amounts = Mutex::new((10, 0));
        Self { amounts }
    }

    /// Moves a unit.
    pub async fn transfer(&self) {
        self.amounts.lock().unwrap().0 -= 1;
        // BUG: dropped here, the unit is gone.
        give_way().await;
        self.amounts.lock().unwrap().1 += 1;
    }

    /// Both together.
    pub fn total(&self) -> u32 {
        let amounts = self.amounts.lock().unwrap();
        amounts.0 + amounts.1
    }
}
