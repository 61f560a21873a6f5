//! An annotated type whose fields are loom's then, in a test written with names of `std`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
#[allow(unused_imports, reason = "the attributes replace it")]
use std::thread;

use contest::FindingKind;

#[contest::shared]
struct Mailbox {
    letter: AtomicUsize,
    there: AtomicBool,
    order: Ordering,
}

#[contest::shared]
impl Mailbox {
    fn new(order: Ordering) -> Self {
        Self {
            letter: AtomicUsize::new(0),
            there: AtomicBool::new(false),
            order,
        }
    }

    fn put(&self, letter: usize) {
        self.letter.store(letter, Ordering::Relaxed);
        self.there.store(true, self.order);
    }

    fn take(&self) -> Option<usize> {
        self.there
            .load(Ordering::Acquire)
            .then(|| self.letter.load(Ordering::Relaxed))
    }
}

#[contest::shared]
fn letters(order: Ordering) {
    let mailbox = Arc::new(Mailbox::new(order));
    let theirs = Arc::clone(&mailbox);
    let thread = thread::spawn(move || theirs.put(7));
    if let Some(letter) = mailbox.take() {
        assert_eq!(letter, 7, "an empty letter");
    }
    thread.join().unwrap();
}

#[contest::test]
fn a_released_letter_arrives() {
    letters(Ordering::Release);
}

#[test]
fn a_relaxed_letter_is_empty() {
    let finding = super::found(|| letters(Ordering::Relaxed));
    assert_eq!(finding.kind, FindingKind::Panic);
    assert!(finding.message.contains("an empty letter"), "{finding:?}");
}
