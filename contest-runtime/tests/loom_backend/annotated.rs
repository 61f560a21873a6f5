//! An annotated type whose fields are loom's then, in a test written with names of `std`.

#![expect(
    unreachable_pub,
    reason = "operations are methods that are `pub`, also in a test"
)]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
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
    // The order in which loom ran it, with the load that saw an older value.
    let steps: Vec<(u16, &str)> = finding
        .interleaving
        .iter()
        .map(|step| (step.thread, step.event.as_str()))
        .collect();
    let at = |step: (u16, &str)| steps.iter().position(|it| *it == step);
    let stored = at((1, "AtomicUsize#1.store(7, Relaxed)"));
    let old = at((0, "AtomicUsize#1.load(Relaxed) -> 0, not yet 7"));
    assert!(stored.is_some() && stored < old, "{steps:#?}");
    let location = &finding.interleaving[old.unwrap()].location;
    assert!(location.contains("annotated.rs:"), "{location}");
}

/// A flag that is set in the wrong order of memory, among generated calls.
#[contest::shared]
struct Slot {
    value: AtomicUsize,
    full: AtomicBool,
}

#[contest::operations]
impl Slot {
    pub fn new() -> Self {
        Self {
            value: AtomicUsize::new(0),
            full: AtomicBool::new(false),
        }
    }

    pub fn put(&self) {
        self.value.store(7, Ordering::Relaxed);
        self.full.store(true, Ordering::Relaxed);
    }

    pub fn look(&self) -> Option<usize> {
        self.full
            .load(Ordering::Acquire)
            .then(|| self.value.load(Ordering::Relaxed))
    }
}

/// The same, mended, beside a lock and a wait.
#[contest::shared]
struct Queue {
    items: std::sync::Mutex<Vec<u32>>,
    changed: std::sync::Condvar,
    puts: AtomicUsize,
}

#[contest::operations]
impl Queue {
    pub fn new() -> Self {
        Self {
            items: std::sync::Mutex::new(Vec::new()),
            changed: std::sync::Condvar::new(),
            puts: AtomicUsize::new(0),
        }
    }

    pub fn push(&self, item: u32) {
        self.items.lock().unwrap().push(item);
        self.puts.fetch_add(1, Ordering::Relaxed);
        self.changed.notify_one();
    }

    pub fn pop(&self) -> u32 {
        let mut items = self.items.lock().unwrap();
        loop {
            if let Some(item) = items.pop() {
                return item;
            }
            items = self.changed.wait(items).unwrap();
        }
    }

    pub fn try_pop(&self) -> Option<u32> {
        self.items.lock().unwrap().pop()
    }

    pub fn len(&self) -> usize {
        self.items.lock().unwrap().len()
    }
}

#[test]
fn a_generated_test_shows_a_result_that_no_order_gives() {
    let report = contest::check::<Slot>().report();
    let finding = report.findings.first().expect("nothing was found");
    assert_eq!(finding.kind.name(), "non-linearizable", "{finding:#?}");
    assert!(
        finding.details.iter().any(|it| it.contains("Some(0)")),
        "{finding:#?}"
    );
    let rows = &finding.interleaving;
    let has = |event: &str| rows.iter().any(|row| row.event.contains(event));
    assert!(
        has("a.look()") && has("a.put()") && has("-> 0, not yet 7"),
        "{rows:#?}"
    );
    assert!(
        rows.iter()
            .any(|row| row.result.as_deref() == Some("returned Some(0)")),
        "{rows:#?}"
    );
    let text = std::panic::catch_unwind(|| contest::check::<Slot>().without_regressions().run());
    let text = *text.unwrap_err().downcast::<String>().unwrap();
    assert!(text.contains("SeqCst"), "{text}");
    assert!(!text.contains("CONTEST_REPLAY"), "{text}");
}

#[test]
fn a_result_is_allowed_in_the_file_of_its_steps() {
    let run = |place| {
        contest::check::<Slot>()
            .allow(place)
            .budget(std::time::Duration::from_millis(300))
            .report()
    };
    let here = run("non-linearizable:loom_backend/annotated.rs");
    assert!(here.findings.is_empty(), "{:#?}", here.findings);
    let mut skipped = here.totals.skipped.iter();
    assert!(skipped.any(|(why, _)| why.starts_with("allowed: ")));
    let elsewhere = run("non-linearizable:loom_backend/main.rs");
    assert!(!elsewhere.findings.is_empty());
}

#[test]
fn generated_tests_of_a_type_that_is_right_are_clean_and_what_was_left_out_is_counted() {
    let report = contest::check::<Queue>().report();
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    assert!(report.totals.tests > 5, "{:#?}", report.totals);
    assert!(
        report
            .totals
            .left_out
            .iter()
            .any(|(why, _)| why.contains("waits for ever")),
        "{:#?}",
        report.totals
    );
}

/// Two shelves whose sum stays, seen between two calls only.
#[contest::shared]
struct Shelves {
    left: Mutex<u32>,
    right: Mutex<u32>,
}

#[contest::operations]
impl Shelves {
    pub fn new() -> Self {
        Self {
            left: Mutex::new(5),
            right: Mutex::new(5),
        }
    }

    pub fn shift(&self) {
        *self.left.lock().unwrap() -= 1;
        *self.right.lock().unwrap() += 1;
    }

    #[contest(invariant)]
    fn keeps_its_sum(&self) -> bool {
        *self.left.lock().unwrap() + *self.right.lock().unwrap() == 10
    }
}

#[test]
fn an_invariant_need_not_hold_in_the_middle_of_a_call() {
    let report = contest::check::<Shelves>()
        .budget(std::time::Duration::from_millis(300))
        .report();
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
}

/// Takes from one shelf what never comes to the other.
#[contest::shared]
struct Dropped {
    left: AtomicUsize,
    right: AtomicUsize,
}

#[contest::operations]
impl Dropped {
    pub fn new() -> Self {
        Self {
            left: AtomicUsize::new(5),
            right: AtomicUsize::new(5),
        }
    }

    pub fn shift(&self) {
        let right = self.right.load(Ordering::SeqCst);
        self.left.fetch_sub(1, Ordering::SeqCst);
        self.right.store(right + 1, Ordering::SeqCst);
    }

    #[contest(invariant)]
    fn keeps_its_sum(&self) -> bool {
        self.left.load(Ordering::SeqCst) + self.right.load(Ordering::SeqCst) == 10
    }
}

#[test]
fn an_invariant_that_is_broken_in_the_end_is_a_finding_of_its_own_kind() {
    let report = contest::check::<Dropped>()
        .budget(std::time::Duration::from_millis(300))
        .report();
    let kinds: Vec<&str> = report.findings.iter().map(|it| it.kind.name()).collect();
    assert!(kinds.contains(&"invariant"), "{kinds:?}");
    assert!(!kinds.contains(&"panic"), "{kinds:?}");
}

#[test]
fn locks_are_taken_and_given_back_at_the_place_of_the_code_under_test() {
    let finding = super::found(|| {
        let lock = Arc::new(contest::sync::Mutex::new(0));
        let theirs = Arc::clone(&lock);
        let thread = contest::thread::spawn(move || *theirs.lock().unwrap() += 1);
        assert_eq!(*lock.lock().unwrap(), 0, "it came first");
        thread.join().unwrap();
    });
    let of_locks = finding
        .interleaving
        .iter()
        .filter(|step| step.event.starts_with("Mutex"));
    let places: Vec<&str> = of_locks.map(|step| step.location.as_str()).collect();
    assert!(places.len() >= 2, "{finding:#?}");
    assert!(
        places.iter().all(|place| place.contains("annotated.rs:")),
        "{places:?}"
    );
}
