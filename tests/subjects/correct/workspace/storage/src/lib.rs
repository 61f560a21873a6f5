//! Accounts in memory.

use std::collections::BTreeMap;
use std::sync::Mutex;

use correct_domain::{Account, Accounts};

/// Keeps accounts in a map.
#[derive(Default)]
pub struct MemoryAccounts(Mutex<BTreeMap<u32, Account>>);

impl MemoryAccounts {
    /// No account.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Accounts for MemoryAccounts {
    fn load(&self, number: u32) -> Option<Account> {
        self.0.lock().unwrap().get(&number).cloned()
    }

    fn store(&self, account: Account) {
        self.0.lock().unwrap().insert(account.number, account);
    }

    fn change(&self, number: u32, change: &mut dyn FnMut(&mut Account)) -> bool {
        let mut accounts = self.0.lock().unwrap();
        accounts.get_mut(&number).map(change).is_some()
    }
}
