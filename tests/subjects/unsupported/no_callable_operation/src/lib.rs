//! A type whose every method takes something that no code outside can construct.

use std::sync::Mutex;

/// Only this crate can make one.
#[derive(Debug)]
pub struct Permit(());

/// A vault.
#[derive(Debug, Default)]
pub struct Vault {
    gold: Mutex<u32>,
}

impl Vault {
    /// An empty vault.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts gold in.
    pub fn put(&self, _permit: &Permit) {
        *self.gold.lock().unwrap() += 1;
    }
}
