//! Two locks, always taken in the same order.

use std::sync::Mutex;

/// Two accounts.
#[derive(Debug, Default)]
pub struct Accounts {
    savings: Mutex<i64>,
    checking: Mutex<i64>,
}

impl Accounts {
    /// Both empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves money from savings to checking.
    pub fn spend(&self, amount: i32) {
        let mut savings = self.savings.lock().unwrap();
        let mut checking = self.checking.lock().unwrap();
        *savings -= i64::from(amount);
        *checking += i64::from(amount);
    }

    /// Moves money from checking to savings.
    pub fn save(&self, amount: i32) {
        self.spend(amount.wrapping_neg());
    }

    /// Both together, seen at one time.
    pub fn total(&self) -> i64 {
        let savings = self.savings.lock().unwrap();
        let checking = self.checking.lock().unwrap();
        *savings + *checking
    }
}
