//! What a failing model prints.

use std::panic::catch_unwind;
use std::sync::Arc;

use contest::sync::Mutex;
use contest::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use contest::{Builder, FindingKind, thread};

use crate::running::{abba, lost_update, text};

fn failure_of(model: impl Fn()) -> String {
    let check = std::panic::AssertUnwindSafe(|| contest::model(model));
    text(catch_unwind(check).expect_err("the model fails").as_ref())
}

#[test]
fn the_interleaving_is_a_table_with_a_column_for_each_thread_and_a_location_for_each_step() {
    let text = failure_of(lost_update);
    let table: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert!(table[0].starts_with("| main thread"), "{text}");
    assert!(table[0].contains("| thread 1"), "{text}");
    let loads: Vec<_> = table
        .iter()
        .filter(|line| line.contains(".load() -> 0"))
        .collect();
    assert_eq!(loads.len(), 2, "{text}");
    let located = table[2..]
        .iter()
        .filter(|line| line.contains("tests/model/running.rs:"));
    assert_eq!(located.count(), table.len() - 2, "{text}");
}

#[test]
fn a_deadlock_names_the_holder_and_the_waiting_threads() {
    let text = failure_of(abba);
    for part in [
        "a deadlock: no thread can go on: each waits for what another holds",
        "main thread waits for Mutex#2, held by thread 1 since",
        "thread 1 waits for Mutex#1, held by the main thread since",
        "<hung>",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_wait_for_another_thread_is_reported_with_a_note_about_system_threads() {
    let note = "only threads started with `contest::thread` take part";
    let waiting = failure_of(|| {
        let (sender, receiver) = contest::sync::mpsc::channel::<u32>();
        thread::spawn(|| ()).join().unwrap();
        let _ = receiver.recv();
        drop(sender);
    });
    assert!(waiting.contains(note), "{waiting}");
    assert!(!failure_of(abba).contains(note));
}

#[test]
fn the_next_thing_to_type_is_there_with_the_schedule() {
    let text = failure_of(lost_update);
    let report = Builder::new().run(lost_update);
    let token = &report.findings()[0].schedule;
    assert!(
        text.contains(&format!("CONTEST_REPLAY={token} cargo test")),
        "{text}"
    );
    assert!(text.contains(&format!(".replay(\"{token}\")")), "{text}");
}

#[test]
fn a_joined_panic_is_reported_before_the_unwrap_that_it_made_panic() {
    let text = failure_of(|| {
        let thread = thread::spawn(|| panic!("the cause"));
        thread.join().unwrap();
    });
    assert!(
        text.starts_with("contest found a panic: the cause"),
        "{text}"
    );
    let scoped = failure_of(|| {
        thread::scope(|scope| {
            scope.spawn(|| panic!("the cause"));
        });
    });
    assert!(
        scoped.starts_with("contest found a panic: the cause"),
        "{scoped}"
    );
}

#[test]
fn a_deadlock_that_follows_from_a_panic_is_reported_as_the_panic() {
    let text = failure_of(|| {
        let ready = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&ready);
        let thread = thread::spawn(move || {
            assert!(!theirs.load(SeqCst), "before it is ready");
            panic!("never says that it is ready");
        });
        while !ready.load(SeqCst) {
            thread::yield_now();
        }
        thread.join().unwrap_err();
    });
    assert!(text.contains("never says that it is ready"), "{text}");
    assert!(text.contains("after that no thread could go on"), "{text}");
}

#[test]
fn a_livelock_names_what_is_waited_for() {
    let report = Builder::new().run(|| {
        let never = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&never);
        thread::spawn(move || while !theirs.load(SeqCst) {});
    });
    let finding = &report.findings()[0];
    assert_eq!(finding.kind, FindingKind::Livelock);
    assert!(finding.details[0].contains("spins until"), "{finding:?}");
}

#[test]
fn the_reported_interleaving_has_no_switch_that_is_not_needed() {
    // A random walk switches all the time; one preemption is enough.
    let report = Builder::new().strategy("random").seed(7).run(|| {
        let count = Arc::new(AtomicU32::new(0));
        let other = Arc::new(Mutex::new(0));
        let (theirs, their_other) = (Arc::clone(&count), Arc::clone(&other));
        let thread = thread::spawn(move || {
            for _ in 0..5 {
                *their_other.lock().unwrap() += 1;
            }
            theirs.store(theirs.load(SeqCst) + 1, SeqCst);
        });
        for _ in 0..5 {
            *other.lock().unwrap() += 1;
        }
        count.store(count.load(SeqCst) + 1, SeqCst);
        thread.join().unwrap();
        assert_eq!(count.load(SeqCst), 2);
    });
    assert_eq!(report.findings()[0].preemptions, 1, "{report:?}");
}

#[test]
fn a_panic_that_was_caught_does_not_stand_for_the_one_that_ends_the_test() {
    let text = failure_of(|| {
        let other = thread::spawn(|| panic!("the cause"));
        let payload = other.join().unwrap_err();
        catch_unwind(|| panic!("expected")).unwrap_err();
        std::panic::resume_unwind(payload);
    });
    assert!(text.contains("found a panic: the cause\n"), "{text}");
    let at = text.find("thread 1 panicked at ").expect(&text);
    assert!(at < text.find("expected").expect(&text), "{text}");

    // A payload that was made for `resume_unwind` has no place.
    let text = failure_of(|| std::panic::resume_unwind(Box::new("a text")));
    assert!(text.contains("found a panic: a text\n"), "{text}");
    assert!(!text.contains("panicked at "), "{text}");
}

#[test]
fn names_of_threads_are_shown() {
    let text = failure_of(|| {
        let named = thread::Builder::new().name("worker".into());
        named.spawn(|| panic!("alone")).unwrap();
    });
    assert!(text.contains("thread 1 `worker` panicked at"), "{text}");
}
