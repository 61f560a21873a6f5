//! Faulty: tasks that run on several threads. See README.md.

use std::sync::{Arc, Mutex};

/// Two accounts, which tasks move money between.
pub struct Ledger {
    accounts: Arc<[Mutex<i64>; 2]>,
}

impl Ledger {
    /// Two accounts without money.
    pub fn new() -> Self {
        let accounts = Arc::new([Mutex::new(0), Mutex::new(0)]);
        Self { accounts }
    }

    /// Moves money there and back, in two tasks.
    pub async fn exchange(&self, amount: u8) {
        let there = tokio::spawn(transfer(Arc::clone(&self.accounts), 0, 1, amount));
        let back = tokio::spawn(transfer(Arc::clone(&self.accounts), 1, 0, amount));
        let _ = there.await;
        let _ = back.await;
    }
}

async fn transfer(accounts: Arc<[Mutex<i64>; 2]>, from: usize, to: usize, amount: u8) {
    // BUG: the order of the locks is that of the transfer.
    let mut payer = accounts[from].lock().unwrap();
    let mut payee = accounts[to].lock().unwrap();
    *payer -= i64::from(amount);
    *payee += i64::from(amount);
}
