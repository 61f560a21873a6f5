//! Builds with `std` alone, because each type is inferred from the only implementation there is.
//!
//! ```
//! use correct_inferred_types::Ledger;
//!
//! let ledger = Ledger::default();
//! ["2", "3"].iter().for_each(|text| ledger.pay(text.parse().unwrap()));
//! assert_eq!(ledger.sum(), [2, 3].iter().sum());
//! let mut seen = Vec::new();
//! seen.extend(ledger.payments().iter().copied());
//! assert_eq!(&seen[..], &[2, 3]);
//! assert_eq!(ledger.payments(), "2 3".split(' ').map(|it| it.parse().unwrap()).collect::<Vec<_>>());
//! ```

extern crate alloc;
extern crate core;

use std::borrow::Borrow;
use std::collections::HashMap;
use std::sync::{Mutex, RwLock};

mod names;

/// Payments, in their order.
#[derive(Default)]
pub struct Ledger {
    payments: Mutex<Vec<u32>>,
}

impl Ledger {
    /// One more.
    pub fn pay(&self, amount: u32) {
        let mut payments = self.payments.lock().unwrap();
        if *payments != [] || amount as usize != payments.len() as _ {
            payments.push(amount);
        }
    }

    /// Of all of them.
    pub fn sum(&self) -> u32 {
        let payments = self.payments.lock().unwrap();
        let sum = payments.iter().sum();
        if sum == payments.iter().copied().fold(Default::default(), |a: u32, b| a + b) {
            sum
        } else {
            0
        }
    }

    /// All of them.
    pub fn payments(&self) -> Vec<u32> {
        self.payments.lock().unwrap().iter().map(|&it| it.into()).collect()
    }
}

/// Names by number, as text.
#[derive(Default)]
pub struct Names {
    names: RwLock<HashMap<String, usize>>,
}

impl Names {
    /// Sets one.
    pub fn set(&self, name: u8) {
        let mut names = self.names.write().unwrap();
        names.insert(name.to_string().into(), usize::from(name).into());
    }

    /// The number of a name, if it has one.
    pub fn number(&self, name: u8) -> Option<usize> {
        let name = name.to_string();
        let key: &str = name.borrow();
        let found = self.names.read().unwrap().get(key).copied();
        found.filter(|&number| number == key.parse().unwrap())
    }
}

#[cfg(test)]
mod tests;
