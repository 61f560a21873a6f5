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

const TEMPLATE: &str = r#"//! A first example by `cargo contest init`. Edit it, or replace it by tests of your own types.

use contest::sync::{Arc, Mutex};
use contest::thread;

/// Runs once for every interleaving of its threads that can make a difference.
#[test]
fn both_deposits_arrive() {
    contest::model(|| {
        let balance = Arc::new(Mutex::new(0));
        let theirs = Arc::clone(&balance);
        let thread = thread::spawn(move || *theirs.lock().unwrap() += 1);
        *balance.lock().unwrap() += 1;
        thread.join().unwrap();
        assert_eq!(*balance.lock().unwrap(), 2);
    });
}
"#;
