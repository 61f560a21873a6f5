//! A type whose objects cannot be made, which takes some time to find out, as where a server is not there.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};

use contest_data::subject::{Operation, Subject};

use crate::subjects::{new, object, operation};
use crate::support::{campaign, settings};

static TRIED: AtomicU32 = AtomicU32::new(0);

/// Cannot be made.
#[derive(Debug)]
struct Client;

impl Default for Client {
    fn default() -> Self {
        TRIED.fetch_add(1, SeqCst);
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(20) {}
        panic!("no server");
    }
}

const OPERATIONS: &[Operation] = &[
    operation("send", "{s}.send()", &[], |call| {
        let _client = object::<Client>(call);
        contest::observe!(())
    }),
    operation("receive", "{s}.receive()", &[], |call| {
        let _client = object::<Client>(call);
        contest::observe!(())
    }),
];

static CLIENT: [Subject; 1] = [Subject {
    name: "Client",
    path: "Client",
    constructors: const { &[new::<Client>("Client::connect()")] },
    operations: OPERATIONS,
    state: None,
}];

#[test]
fn what_cannot_be_made_is_not_made_again_and_again() {
    let heard = campaign(&CLIENT, &settings(3_000));
    assert!(heard.findings.is_empty(), "{}", heard.text());
    // Some sequences in search of a test, and the orders of twelve tests.
    let tried = TRIED.load(SeqCst);
    assert!((1..=45).contains(&tried), "{tried}");
}
