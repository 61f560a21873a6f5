//! A bank over whatever keeps its accounts.

use std::sync::Arc;

use faulty_domain::{Account, Accounts};

/// A bank.
pub struct Bank(Arc<dyn Accounts>);

impl Bank {
    /// Over these accounts.
    pub fn new(accounts: Arc<dyn Accounts>) -> Self {
        Self(accounts)
    }

    /// Keeps an account.
    pub fn open(&self, account: Account) {
        self.0.store(account);
    }

    /// Adds one to an account: it is loaded in one step, and kept in another.
    pub fn deposit(&self, number: u32) -> Option<u32> {
        let mut account = self.0.load(number)?;
        account.balance += 1;
        let balance = account.balance;
        self.0.store(account);
        Some(balance)
    }
}
