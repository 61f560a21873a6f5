//! What is made once is made of loom's locks and atomics.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Once, OnceLock};
#[allow(unused_imports, reason = "the attributes replace it")]
use std::thread;

use super::clean;

#[contest::shared]
struct Settings {
    name: OnceLock<String>,
    loads: AtomicUsize,
    length: LazyLock<usize>,
    started: Once,
}

#[contest::shared]
impl Settings {
    fn new() -> Self {
        Self {
            name: OnceLock::new(),
            loads: AtomicUsize::new(0),
            length: LazyLock::new(|| 4),
            started: Once::new(),
        }
    }

    fn name(&self) -> &str {
        self.name.get_or_init(|| {
            self.loads.fetch_add(1, Ordering::Relaxed);
            "name".to_owned()
        })
    }

    fn start(&self) {
        self.started.call_once(|| {
            self.loads.fetch_add(10, Ordering::Relaxed);
        });
    }
}

#[contest::shared]
fn both() {
    let settings = Arc::new(Settings::new());
    let theirs = Arc::clone(&settings);
    let thread = thread::spawn(move || {
        theirs.start();
        theirs.name().len()
    });
    assert_eq!(settings.name().len(), *settings.length);
    settings.start();
    assert_eq!(thread.join().unwrap(), 4);
    assert_eq!(settings.loads.load(Ordering::Relaxed), 11);
    assert_eq!(
        settings.name.set("other".to_owned()),
        Err("other".to_owned())
    );
    assert!(settings.started.is_completed());
}

#[test]
fn one_thread_makes_it_and_all_see_it() {
    clean(both);
}

#[contest::shared]
fn seen_late() {
    let settings = Arc::new(Settings::new());
    let theirs = Arc::clone(&settings);
    let thread = thread::spawn(move || theirs.name.get().cloned());
    settings.name();
    let seen = thread.join().unwrap();
    assert!(seen.is_some(), "not made yet");
}

#[test]
fn who_only_looks_may_be_early() {
    let finding = super::found(seen_late);
    assert!(finding.message.contains("not made yet"), "{finding:?}");
}
