//! A bank: money moves between accounts, none of it is lost, and no thread waits forever.

#![forbid(unsafe_code)]

use std::sync::{Mutex, MutexGuard};

/// An account.
#[contest::shared]
#[derive(Debug)]
struct Account {
    balance: Mutex<u64>,
}

#[contest::shared]
impl Account {
    fn new(balance: u64) -> Self {
        Self {
            balance: Mutex::new(balance),
        }
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.balance.lock().unwrap()
    }
}

/// A bank with three accounts.
#[contest::shared]
#[derive(Debug)]
pub struct Bank {
    accounts: Vec<Account>,
}

/// What is on each account in the beginning.
pub const START: u64 = 10;

#[contest::operations]
impl Bank {
    /// Opens the bank.
    pub fn new() -> Self {
        Self {
            accounts: (0..3).map(|_| Account::new(START)).collect(),
        }
    }

    /// Moves money; false if there is not enough of it. Locks are taken in the order of the accounts.
    #[contest(values(from = [0, 1, 2], to = [1, 0, 2], amount = [3, 20]))]
    pub fn transfer(&self, from: usize, to: usize, amount: u64) -> bool {
        if from == to {
            return true;
        }
        let mut first = self.accounts[from.min(to)].lock();
        let mut second = self.accounts[from.max(to)].lock();
        let (from, to) = if from < to {
            (&mut first, &mut second)
        } else {
            (&mut second, &mut first)
        };
        if **from < amount {
            return false;
        }
        **from -= amount;
        **to += amount;
        true
    }

    /// What is on an account.
    #[contest(values(account = [0, 1]))]
    pub fn balance(&self, account: usize) -> u64 {
        *self.accounts[account].lock()
    }

    /// All the money; observed at quiescence.
    #[contest(invariant)]
    fn nothing_is_lost(&self) -> Result<(), String> {
        let sum: u64 = self.accounts.iter().map(|account| *account.lock()).sum();
        if sum == START * 3 {
            Ok(())
        } else {
            Err(format!("{sum} instead of {}", START * 3))
        }
    }
}

impl Default for Bank {
    fn default() -> Self {
        Self::new()
    }
}

/// The same with two mistakes, one for each kind of caller: locks in the order of the call, and a balance that is read
/// and written back later.
#[contest::shared]
#[derive(Debug)]
pub struct CarelessBank {
    accounts: Vec<Account>,
}

#[contest::operations]
impl CarelessBank {
    /// Opens the bank.
    pub fn new() -> Self {
        Self {
            accounts: (0..2).map(|_| Account::new(START)).collect(),
        }
    }

    /// Moves money between the two accounts.
    #[contest(values(back = [false, true]))]
    pub fn transfer(&self, back: bool) {
        let (from, to) = if back { (1, 0) } else { (0, 1) };
        let mut from = self.accounts[from].lock();
        let mut to = self.accounts[to].lock();
        *from -= 1;
        *to += 1;
    }
}

impl Default for CarelessBank {
    fn default() -> Self {
        Self::new()
    }
}

/// Two accounts and no common lock: what is read is old when it is written.
#[contest::shared]
#[derive(Debug)]
pub struct ForgetfulBank {
    left: Account,
    right: Account,
}

#[contest::operations]
impl ForgetfulBank {
    /// Opens the bank.
    pub fn new() -> Self {
        Self {
            left: Account::new(START),
            right: Account::new(START),
        }
    }

    /// Moves one from left to right.
    pub fn transfer(&self) {
        let left = *self.left.lock();
        *self.left.lock() = left - 1;
        *self.right.lock() += 1;
    }

    /// Observed at quiescence.
    #[contest(invariant)]
    fn nothing_is_lost(&self) -> bool {
        *self.left.lock() + *self.right.lock() == 2 * START
    }
}

impl Default for ForgetfulBank {
    fn default() -> Self {
        Self::new()
    }
}
