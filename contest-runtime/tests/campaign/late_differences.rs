//! Code that takes other steps under the same decisions, though not in the first execution of a test.

use std::sync::atomic::AtomicU32 as Outside;
use std::sync::atomic::Ordering::SeqCst;

use contest::sync::atomic::AtomicU32;
use contest_data::gap::Gap;
use contest_data::subject::Subject;

use crate::subjects::{new, object, operation};
use crate::support::{campaign, settings};

/// Nothing puts it back after an execution.
static DISTURBED: Outside = Outside::new(0);

#[derive(Default)]
struct Counter(AtomicU32);

impl Counter {
    /// Every other time that another thread comes between, it takes one step more.
    fn twice(&self) -> (u32, u32) {
        let first = self.0.fetch_add(1, SeqCst);
        let second = self.0.fetch_add(1, SeqCst);
        if second != first + 1 && DISTURBED.fetch_add(1, SeqCst).is_multiple_of(2) {
            self.0.load(SeqCst);
        }
        (first, second)
    }
}

static COUNTER: [Subject; 1] = [Subject {
    name: "Counter",
    path: "Counter",
    constructors: &[new::<Counter>("Counter::default()")],
    operations: &[operation("twice", "{s}.twice()", &[], |call| {
        contest::observe!(object::<Counter>(call).twice())
    })],
    state: None,
}];

#[test]
fn tests_that_differ_later_are_not_called_complete() {
    let heard = campaign(&COUNTER, &settings(1_000));
    let ladder = &heard.totals.subjects[0].ladder;
    // One call each: the first execution has no other thread in between, some of the further outcomes have.
    let pair = ladder.iter().find(|it| it.rung.lanes == [1, 1]);
    let pair = pair.unwrap_or_else(|| panic!("{ladder:?}"));
    let differs = |it: &Gap| matches!(it, Gap::Nondeterministic(_));
    let reasons = pair.partly.iter();
    let counted = reasons.filter(|(gaps, _)| gaps.iter().any(differs));
    assert!(counted.count() > 0 && pair.complete == 0, "{pair:?}");
}
