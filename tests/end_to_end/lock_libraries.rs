//! A package with locks of parking_lot: to take one is one step, and who holds it is known.

use crate::support::{Run, Subject};

/// `parking_lot` is written as a user writes it; `features` are turned on in it.
fn manifest(name: &str, version: &str, features: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         [dependencies]\nparking_lot = {{ version = \"{version}\", features = [{features}] }}\n"
    )
}

const SHELF: &str = r#"
use parking_lot::{Condvar, Mutex, RwLock};

/// Two boxes.
#[derive(Default)]
pub struct Shelf {
    upper: Mutex<Vec<u8>>,
    lower: Mutex<Vec<u8>>,
}

impl Shelf {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn lift(&self) {
        let mut lower = self.lower.lock();
        let mut upper = self.upper.lock();
        upper.extend(lower.pop());
    }

    pub fn sink(&self) {
        let mut upper = self.upper.lock();
        let mut lower = self.lower.lock();
        lower.extend(upper.pop());
    }
}

/// A board with notes.
#[derive(Default)]
pub struct Board {
    notes: RwLock<Vec<u8>>,
}

impl Board {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn pin(&self, note: u8) {
        self.notes.write().push(note);
    }

    /// The first note and the last one.
    pub fn ends(&self) -> Option<(u8, u8)> {
        let first = self.notes.read();
        let last = self.notes.read();
        Some((*first.first()?, *last.last()?))
    }
}

/// A right one.
#[derive(Default)]
pub struct Tray {
    notes: Mutex<Vec<u8>>,
    filled: Condvar,
}

impl Tray {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn put(&self, note: u8) {
        self.notes.lock().push(note);
        self.filled.notify_one();
    }

    pub fn take(&self) -> u8 {
        let mut notes = self.notes.lock();
        loop {
            match notes.pop() {
                Some(note) => return note,
                None => self.filled.wait(&mut notes),
            }
        }
    }
}
"#;

/// That it says so in its summary.
fn assert_stood_in(run: &Run, version: &str) {
    let skipped = run.summary()["uninstrumented"].to_string();
    let expected = format!("parking_lot {version}");
    assert!(
        skipped.contains(&expected) && skipped.contains("stood in for"),
        "{skipped}"
    );
    assert!(
        !skipped.contains("inline assembly in parking_lot"),
        "{skipped}"
    );
}

#[test]
fn a_lock_of_parking_lot_is_one_step_and_has_its_name() {
    let manifest = manifest("shelf", "0.12", "\"arc_lock\"");
    let shelf = Subject::with("shelf", &[("Cargo.toml", &manifest), ("src/lib.rs", SHELF)]);
    let run = shelf
        .contest(&["--budget", "5s", "--message-format", "json"])
        .status(1);
    let found = run.types_and_kinds();
    let expected =
        ["shelf::Board", "shelf::Shelf"].map(|it| (it.to_owned(), "deadlock".to_owned()));
    assert_eq!(found, expected.into(), "{}", run.text());
    let findings = run.with_reason("finding");
    let of_shelf = findings.iter().find(|it| it["type"] == "shelf::Shelf");
    let notes = of_shelf.expect("there is one").to_string();
    for held in ["Shelf.upper, held by", "Shelf.lower, held by"] {
        assert!(notes.contains(held), "no `{held}` in {notes}");
    }
    assert_stood_in(&run, "0.12");
}

const NEWEST: &str = r#"
use std::cell::Cell;
use std::time::Duration;

use parking_lot::lock_api::Condvar as AnyCondvar;
use parking_lot::{
    Condvar, FairMutex, Mutex, MutexGuard, Once, RawCondvar, RecursiveRwLock, ReentrantMutex, RwLock,
    RwLockUpgradableReadGuard, RwLockWriteGuard,
};

/// Two reads of one thread, of which a writer may come between.
#[derive(Default)]
pub struct Desk {
    notes: RwLock<Vec<u8>>,
}

impl Desk {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn pin(&self, note: u8) {
        self.notes.write().push(note);
    }

    pub fn ends(&self) -> Option<(u8, u8)> {
        let first = self.notes.read();
        let last = self.notes.read();
        Some((*first.first()?, *last.last()?))
    }
}

/// The same, and right: readers come in whoever waits.
#[derive(Default)]
pub struct Board {
    notes: RecursiveRwLock<Vec<u8>>,
}

impl Board {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn pin(&self, note: u8) {
        self.notes.write().push(note);
    }

    pub fn ends(&self) -> Option<(u8, u8)> {
        let first = self.notes.read();
        let last = self.notes.read();
        Some((*first.first()?, *last.last()?))
    }
}

/// Both are one type.
fn wake<C: parking_lot::lock_api::RawCondvar>(waiting: &AnyCondvar<C>) {
    waiting.notify_all();
}

/// A bit of each.
pub struct Kit {
    fair: FairMutex<u8>,
    nested: ReentrantMutex<Cell<u8>>,
    begun: Once,
    lock: RwLock<u8>,
    open: Mutex<bool>,
    opened: Condvar,
    closed: AnyCondvar<RawCondvar>,
}

impl Kit {
    pub fn new() -> Self {
        Self {
            fair: FairMutex::new(0),
            nested: ReentrantMutex::new(Cell::new(0)),
            begun: Once::new(),
            lock: RwLock::new(0),
            open: Mutex::new(false),
            opened: Condvar::new(),
            closed: AnyCondvar::new(),
        }
    }

    pub fn count(&self) -> u8 {
        self.begun.call_once(|| *self.fair.lock() += 10);
        self.begun.wait();
        Once::new_completed().call_once(|| unreachable!());
        let looking = self.lock.upgradable_read();
        let mut writing = match RwLockUpgradableReadGuard::try_upgrade(looking) {
            Ok(writing) => writing,
            Err(looking) => RwLockUpgradableReadGuard::upgrade(looking),
        };
        *writing += 1;
        let outer = self.nested.lock();
        self.nested.lock().set(outer.get() + 1);
        *RwLockWriteGuard::downgrade(writing)
    }

    pub fn open(&self) {
        *self.open.lock() = true;
        wake(&self.opened);
        self.closed.notify_one();
    }

    pub fn wait(&self) {
        let mut open: MutexGuard<'_, bool> = self.open.lock();
        self.opened.wait_while(&mut open, |open| !*open);
    }

    pub fn wait_a_little(&self) -> bool {
        let mut open = self.open.lock();
        if !*open {
            self.closed.wait_for(&mut open, Duration::from_millis(5));
        }
        *open
    }
}
"#;

/// Its lock_api has another interface, and more: a recursive lock, a condition variable for any lock, more of `Once`.
#[test]
fn the_newest_parking_lot_is_stood_in_for_with_all_that_it_has() {
    let manifest = manifest("newest", "0.13", "\"arc_lock\"");
    let newest = Subject::with(
        "newest",
        &[("Cargo.toml", &manifest), ("src/lib.rs", NEWEST)],
    );
    let run = newest
        .contest(&["--budget", "6s", "--message-format", "json"])
        .status(1);
    let found = run.types_and_kinds();
    let expected = [("newest::Desk".to_owned(), "deadlock".to_owned())];
    assert_eq!(found, expected.into(), "{}", run.text());
    assert_stood_in(&run, "0.13");
    for (calls, outcomes) in [
        (
            "let a = newest::Kit::new(); a.count() | a.count()",
            "2 outcomes",
        ),
        (
            "let a = newest::Kit::new(); a.open() | a.wait_a_little()",
            "2 outcomes",
        ),
    ] {
        let said = newest.contest(&["try", calls]).status(0).text();
        assert!(said.contains(outcomes), "{calls}: {said}");
    }
}

#[test]
fn small_tests_with_locks_of_parking_lot_are_whole() {
    for (name, version) in [("tray12", "0.12"), ("tray11", "0.11"), ("tray13", "0.13")] {
        let manifest = manifest(name, version, "\"send_guard\"");
        let tray = Subject::with(name, &[("Cargo.toml", &manifest), ("src/lib.rs", SHELF)]);
        let run = tray
            .contest(&["Tray", "--budget", "3s", "--message-format", "json"])
            .status(0);
        let summary = run.summary();
        let (tests, whole) = (&summary["tests"], &summary["coverage"]["tests_exhausted"]);
        assert!(
            whole.as_u64() > Some(50),
            "{whole} of {tests}: {}",
            run.text()
        );
        assert_stood_in(&run, version);
    }
}

const LINKS: &str = r#"
use dashmap::DashMap;

/// Links in both directions.
pub struct Links {
    forth: DashMap<u8, u8>,
    back: DashMap<u8, u8>,
}

impl Links {
    pub fn new() -> Self {
        let full = || DashMap::from_iter([(1, 1)]);
        Self { forth: full(), back: full() }
    }

    pub fn forth(&self) -> Option<u8> {
        let from = self.forth.get_mut(&1)?;
        Some(*from + *self.back.get(&1)?)
    }

    pub fn back(&self) -> Option<u8> {
        let from = self.back.get_mut(&1)?;
        Some(*from + *self.forth.get(&1)?)
    }
}

/// A right one.
#[derive(Default)]
pub struct Stock {
    items: DashMap<u8, u32>,
}

impl Stock {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&self, item: u8) {
        *self.items.entry(item).or_insert(0) += 1;
    }

    pub fn left(&self, item: u8) -> Option<u32> {
        self.items.get(&item).map(|it| *it)
    }

    /// Looks, and takes later.
    #[doc(hidden)]
    pub fn take(&self, item: u8) -> Option<u32> {
        let left = *self.items.get(&item)?;
        self.items.insert(item, left - 1);
        Some(left)
    }
}
"#;

/// A lock that another library makes of the queue of parking_lot.
#[test]
fn a_lock_on_parking_lots_queue_is_whole_and_says_what_it_waits_for() {
    let manifest = "[package]\nname = \"links\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
                    [dependencies]\ndashmap = \"6\"\n";
    let links = Subject::with("links", &[("Cargo.toml", manifest), ("src/lib.rs", LINKS)]);
    let run = links.contest(&["--budget", "4s", "--no-emit"]).status(1);
    let said = run.text();
    for expected in [
        "error[deadlock]: a.forth() and a.back() never return",
        " for Links.back[",
        " for Links.forth[",
        "parking_lot_core 0.9",
    ] {
        assert!(said.contains(expected), "no `{expected}` in {said}");
    }
    let order = "let a = links::Stock::new(); a.add(1) | a.left(1)";
    let order = links.contest(&["try", order]).status(0).text();
    assert!(order.contains("every interleaving"), "{order}");
    // It is at the lines of the package, not at those of the lock.
    let takes = "let a = links::Stock::new(); a.add(1); let b = 0; a.take(1) | a.take(1)";
    let takes = links.contest(&["try", takes]).status(1).text();
    let place = takes.split(" --> ").nth(1).unwrap_or_default();
    assert!(place.starts_with("src/lib.rs:"), "{takes}");
}
