//! The first example: a file of its own below `tests/`, so that nothing of the user's is touched.

/// Name of the test target.
pub const NAME: &str = "contest_example";
/// Where it is, below the package.
pub const FILE: &str = "tests/contest_example.rs";

/// Its source, for the name under which the package knows the runtime.
#[must_use]
pub fn source(contest: &str) -> String {
    TEMPLATE.replace("contest::", &format!("{contest}::"))
}

const TEMPLATE: &str = r#"//! A first example by `cargo contest init`. Edit it, or replace it by tests of your own types: put the two attributes on a type in `src`, and
//! here a test that calls `contest::check` for it. Without the feature for tests the attributes change nothing.

use std::sync::Mutex;

/// An account of two balances.
#[contest::shared]
#[derive(Debug)]
struct Account {
    giro: Mutex<u32>,
    savings: Mutex<u32>,
}

/// What is called beside each other, in all orders: every `pub` method.
#[contest::operations]
impl Account {
    pub fn new() -> Self {
        Self {
            giro: Mutex::new(1),
            savings: Mutex::new(1),
        }
    }

    pub fn save(&self, amount: u32) -> bool {
        let mut giro = self.giro.lock().unwrap();
        let mut savings = self.savings.lock().unwrap();
        if *giro < amount {
            return false;
        }
        *giro -= amount;
        *savings += amount;
        true
    }

    pub fn total(&self) -> u32 {
        // Take the locks in the other order, and the test below finds a deadlock.
        let giro = self.giro.lock().unwrap();
        let savings = self.savings.lock().unwrap();
        *giro + *savings
    }
}

/// Generated: calls of the operations in two threads, held against the same calls one after another.
#[test]
fn accounts_behave_as_in_a_single_thread() {
    contest::check::<Account>().run();
}

/// Written by hand: runs once for every interleaving of its threads that can make a difference.
#[contest::test]
fn money_is_never_seen_on_its_way() {
    let account = std::sync::Arc::new(Account::new());
    let other = std::sync::Arc::clone(&account);
    let thread = std::thread::spawn(move || other.save(1));
    assert_eq!(account.total(), 2);
    thread.join().unwrap();
}
"#;
