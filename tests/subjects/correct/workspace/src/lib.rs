//! A bank over whatever keeps its accounts.

use std::sync::Arc;

use correct_domain::{Account, Accounts};

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

    /// Adds one to an account, in one step.
    pub fn deposit(&self, number: u32) -> Option<u32> {
        let mut balance = None;
        self.0.change(number, &mut |account| {
            account.balance += 1;
            balance = Some(account.balance);
        });
        balance
    }
}
