//! Two locks, taken in opposite orders.

use std::sync::Mutex;

#[derive(Default)]
pub struct Accounts {
    checking: Mutex<i64>,
    savings: Mutex<i64>,
}

impl Accounts {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn spend(&self, amount: i64) {
        let mut checking = self.checking.lock().unwrap();
        *self.savings.lock().unwrap() -= amount;
        *checking += amount;
    }

    pub fn save(&self, amount: i64) {
        let mut savings = self.savings.lock().unwrap();
        // Fix: lock `checking` first here as well.
        *self.checking.lock().unwrap() -= amount;
        *savings += amount;
    }
}
