//! What accounts are, and what keeps them.

/// An account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its number.
    pub number: u32,
    /// What is on it.
    pub balance: u32,
}

impl Account {
    /// An empty account.
    pub fn new(number: u32) -> Self {
        Self { number, balance: 0 }
    }
}

/// Keeps accounts.
pub trait Accounts: Send + Sync {
    /// The account of this number.
    fn load(&self, number: u32) -> Option<Account>;
    /// Keeps it in place of the one with its number.
    fn store(&self, account: Account);
    /// Changes the account of this number while no other call has it; true if it is there.
    fn change(&self, number: u32, change: &mut dyn FnMut(&mut Account)) -> bool;
}
