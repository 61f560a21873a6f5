//! Two accounts of one person. An ordinary crate: it knows nothing of `cargo contest`.

use std::sync::Mutex;

/// A savings and a checking account.
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
        let mut checking = self.checking.lock().unwrap();
        let mut savings = self.savings.lock().unwrap();
        *checking -= i64::from(amount);
        *savings += i64::from(amount);
    }

    /// What is on the savings account.
    pub fn savings(&self) -> i64 {
        *self.savings.lock().unwrap()
    }
}
